package missedowner

import (
	"fmt"
	"slices"
	"sort"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// A held is a place of an object that an object holds: self.queue.parked.
type held struct{ object, place string }

func (h held) String() string { return h.object + "." + h.place }

// held returns the places of held objects that a function mentions. Objects of
// which it calls a method have none: who knows where that looks.
func (o *object) held(f *program.Func) map[held]ast.Node {
	out := map[held]ast.Node{}
	asked := map[string]bool{}
	self := f.Params[0].Name
	inner := func(e ast.Expr) string { // of self.x
		at, ok := e.(*ast.Attribute)
		if !ok || !o.objects[at.Attr()] {
			return ""
		}
		if x, ok := at.Value.(*ast.Name); !ok || x.Id() != self {
			return ""
		}
		return at.Attr()
	}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok {
				if a := inner(at.Value); a != "" {
					asked[a] = true
				}
			}
		case *ast.Attribute:
			if a := inner(n.Value); a != "" && o.prog.AttrType(o.holds(a), n.Attr()).Kind.Keyed() {
				out[held{a, n.Attr()}] = n
			}
		}
		return true
	})
	for h := range out {
		if asked[h.object] {
			delete(out, h)
		}
	}
	return out
}

// holds returns the class of a held object.
func (o *object) holds(a string) *program.Class { return o.prog.AttrType(o.class, a).Class }

// unasked reports the place of a held object that a predicate does not ask for,
// although it asks for another one of the same object, and a method that looks for
// a request looks in both.
func (o *object) unasked(m *method) (missed, bool) {
	asks := o.held(m.fn)
	if len(asks) == 0 {
		return missed{}, false
	}
	for _, scan := range o.methods {
		if scan == m || !scan.scans() || !scan.fn.Public() {
			continue
		}
		looks := o.held(scan.fn)
		for _, h := range sorted(looks) {
			if _, ok := asks[h]; ok || !o.waits(h) || o.parked(h) {
				continue
			}
			for _, other := range sorted(looks) {
				if _, ok := asks[other]; ok && other.object == h.object && !o.recordOf(h, other) {
					return o.unaskedFinding(m, scan, h, other, looks[h]), true
				}
			}
		}
	}
	return missed{}, false
}

// parked reports whether items move on from the place of a held object only when a message
// asks for it: a server does not do that by itself, so it is idle with such items.
func (o *object) parked(h held) bool {
	in := newObject(o.prog, o.holds(h.object))
	found := false
	for _, mv := range in.moves {
		if mv.from != h.place {
			continue
		}
		found = true
		calls := 0
		for _, s := range o.prog.Calls(mv.fn.Name) {
			at, ok := s.Call.Func.(*ast.Attribute)
			if !ok || s.Func == nil {
				continue
			}
			if of, ok := at.Value.(*ast.Attribute); ok && s.Func.OnSelf(of.Value) && of.Attr() != h.object {
				continue
			}
			if !o.flow.Handler(s.Func) {
				return false
			}
			calls++
		}
		if calls == 0 {
			return false
		}
	}
	return found
}

// unlooked reports the place of a held object in which a method that looks for a
// request does not look, although it looks in the place of the same object to
// which requests move on from there.
func (o *object) unlooked(m *method) (missed, bool) {
	looks := o.held(m.fn)
	for _, h := range sorted(looks) {
		c := o.holds(h.object)
		in := newObject(o.prog, c)
		for _, mv := range in.moves {
			from := held{h.object, mv.from}
			if _, ok := looks[from]; ok || mv.to != h.place || !m.searches(h) || !o.waits(from) || o.recordOf(from, h) || in.isIndex(mv.from, in.owners) || in.withinOne(mv.from) || in.slots[mv.from] {
				continue
			}
			return o.unlookedFinding(m, from, h, mv), true
		}
	}
	return missed{}, false
}

// searches reports whether a method looks for what it is given in a place of an
// object that it holds: it asks a parameter of each element, or whether the place contains it.
// One that hands the place on, or counts what is in it, does not.
func (m *method) searches(h held) bool {
	found := false
	within := func(e ast.Node) bool {
		mentions := false
		ast.Inspect(e, func(n ast.Node) bool {
			if at, ok := n.(*ast.Attribute); ok && at.Attr() == h.place {
				of, ok := at.Value.(*ast.Attribute)
				mentions = mentions || ok && of.Attr() == h.object
			}
			return !mentions
		})
		return mentions
	}
	asks := func(n ast.Node) bool {
		yes := false
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Compare:
				yes = yes || m.usesParam(n)
			case *ast.Call:
				yes = yes || m.usesParam(n)
			}
			return !yes
		})
		return yes
	}
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.For:
			found = found || within(n.Iter) && slices.ContainsFunc(n.Body, func(st ast.Stmt) bool { return asks(st) })
		case *ast.Comprehension:
			found = found || within(n.Iter) && slices.ContainsFunc(n.Ifs, func(e ast.Expr) bool { return asks(e) })
		case *ast.Compare:
			found = found || within(n) && m.usesParam(n)
		}
		return !found
	})
	return found
}

func (o *object) unlookedFinding(m *method, from, to held, mv move) missed {
	f := rule.Finding{
		Place: rule.AtName(m.fn), Function: m.fn.Qual, Component: o.class,
		Containers: []string{from.place, to.place}, Shape: "misses:" + from.String(),
		Message: fmt.Sprintf("%s looks in %s and not in %s, where a request can be as well", m.fn.Qual, to, from),
		Related: []rule.Related{{
			Place: rule.At(mv.fn.Module, mv.at), Role: report.RoleRival,
			Message: fmt.Sprintf("%s moves requests from %s to %s", mv.fn.Qual, mv.from, mv.to),
		}},
		Consequence: fmt.Sprintf("an abort of a request that is in %s is lost; the request keeps its memory and goes on for nobody", from),
	}
	c := o.holds(from.object)
	var alike []string
	item := o.prog.AttrType(c, from.place).Element().Class
	if o.prog.AttrType(c, to.place).Element().Class == item {
		alike = append(alike, to.String())
	}
	for _, a := range o.owners { // where it is later
		if m.looked[a] && o.plain(a) && o.prog.AttrType(o.class, a).Element().Class == item {
			alike = append(alike, a)
		}
	}
	f.Fixes = likewise(m.fn, alike, from.String())
	return missed{Finding: f, fn: m.fn, class: c, place: from.place, seen: []owner{{c, to.place}}}
}

func sorted(set map[held]ast.Node) []held {
	var out []held
	for h := range set {
		out = append(out, h)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out
}

// waits reports whether the class of a held object puts single items into a place,
// and takes them out elsewhere.
func (o *object) waits(h held) bool {
	in, out := map[*program.Func]bool{}, map[*program.Func]bool{}
	for _, f := range o.methodsOf(h.object) {
		puts, takes := uses(f, h.place)
		in[f], out[f] = puts, takes
	}
	for f, puts := range in {
		for g, takes := range out {
			if puts && takes && f != g {
				return true
			}
		}
	}
	return false
}

// recordOf reports whether a method puts the same into two places: parts of one
// record.
func (o *object) recordOf(a, b held) bool {
	for _, f := range o.methodsOf(a.object) {
		x, y := itemsPut(f, a.place), itemsPut(f, b.place)
		for name, p := range x {
			if q, ok := y[name]; ok && !alternatives(f, p, q) {
				return true
			}
		}
	}
	return false
}

func (o *object) methodsOf(a string) []*program.Func {
	var out []*program.Func
	for _, k := range o.holds(a).MRO {
		for _, f := range k.MethodList() {
			if f.Name != "__init__" && len(f.Params) > 0 {
				out = append(out, f)
			}
		}
	}
	return out
}

// uses reports whether a method puts an item into an attribute, and whether it
// takes some out of it or walks over it.
func uses(f *program.Func, attr string) (puts, takes bool) {
	is := func(e ast.Expr) bool {
		at, ok := e.(*ast.Attribute)
		return ok && at.Attr() == attr
	}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok && is(at.Value) {
				puts = puts || inserting[at.Attr()]
				takes = takes || removing[at.Attr()]
			}
		case *ast.Assign:
			for _, t := range n.Targets {
				if sub, ok := t.(*ast.Subscript); ok && is(sub.Value) {
					puts = true
				}
				takes = takes || is(t)
			}
		}
		return true
	})
	return puts, takes
}

// itemsPut returns the names that a method puts into an attribute, and where.
func itemsPut(f *program.Func, attr string) map[string]ast.Node {
	out := map[string]ast.Node{}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		at, ok := call.Func.(*ast.Attribute)
		if !ok || !inserting[at.Attr()] || len(call.Args()) == 0 {
			return true
		}
		if place, ok := at.Value.(*ast.Attribute); ok && place.Attr() == attr {
			for name := range names(call.Args()[len(call.Args())-1], f.Params[0].Name) {
				out[name] = call
			}
		}
		return true
	})
	return out
}

func (o *object) unaskedFinding(m, scan *method, h, other held, at ast.Node) missed {
	f := rule.Finding{
		Place: rule.AtName(m.fn), Function: m.fn.Qual, Component: o.class,
		Containers: []string{h.place, other.place}, Shape: "misses:" + h.String(),
		Message: fmt.Sprintf("%s asks for %s and not for %s, where a request can be as well", m.fn.Qual, other, h),
		Related: []rule.Related{{
			Place: rule.At(scan.fn.Module, at), Role: report.RoleContext, Message: fmt.Sprintf("%s looks in both", scan.fn.Qual),
		}},
		Consequence: fmt.Sprintf("with requests left in %s the answer is that nothing is left; whoever asks stops what would move them on", h),
		Fixes:       likewise(m.fn, []string{other.String()}, h.String()),
	}
	c := o.holds(h.object)
	return missed{Finding: f, fn: m.fn, class: c, place: h.place, seen: []owner{{c, other.place}}}
}

// tallies reports whether a method does nothing but gather conditions in one
// variable, and returns it.
func (m *method) tallies() bool {
	for _, p := range m.fn.Params[1:] {
		if c, ok := p.Default.(*ast.Constant); !ok || c.Kind() != ast.True && c.Kind() != ast.False {
			return false
		}
	}
	if len(m.fn.Returns) != 1 || m.fn.Kind == program.StaticMethod {
		return false
	}
	ret, ok := m.fn.Returns[0].(*ast.Name)
	return ok && onlyTallies(m.fn.Body(), ret.Id())
}

func onlyTallies(body []ast.Stmt, name string) bool {
	is := func(e ast.Expr) bool {
		x, ok := e.(*ast.Name)
		return ok && x.Id() == name
	}
	for _, st := range body {
		switch st := st.(type) {
		case *ast.Assign:
			if len(st.Targets) == 1 && is(st.Targets[0]) && !condition(st.Value) {
				return false
			}
		case *ast.AugAssign:
			if is(st.Target) && st.Op != ast.BitAnd && st.Op != ast.BitOr {
				return false
			}
		case *ast.If:
			if !onlyTallies(st.Body, name) || !onlyTallies(st.Orelse, name) {
				return false
			}
		case *ast.Return, *ast.Pass:
		case *ast.ExprStmt:
			if _, doc := st.Value.(*ast.Constant); !doc {
				return false
			}
		default:
			return false
		}
	}
	return true
}
