package partialcleanup

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// A request can hold what it has taken from an object that keeps a bounded number of
// it: a slot of a pool, in an attribute of the request. It is lost when no code gives
// back to that pool, be it that others do so with pools of the same class.

// A taking stores what a pool hands out in an attribute of a request.
type taking struct {
	fn      *program.Func
	call    *ast.Call
	cls     *program.Class // whose attribute holds the pool
	field   string
	pool    *program.Class
	attr    string // of the request
	release string // the method of the pool that takes it back
}

// takings returns what the methods of a program take for requests and keep in them.
func takings(p *program.Program) []taking {
	var out []taking
	for _, f := range p.Funcs {
		cls := f.SelfClass()
		if cls == nil || f.Name == "__init__" {
			continue
		}
		ast.EachInScope(f.Body(), func(n ast.Node) {
			a, ok := n.(*ast.Assign)
			if !ok || len(a.Targets) != 1 {
				return
			}
			to, ok := a.Targets[0].(*ast.Attribute)
			call, isCall := a.Value.(*ast.Call)
			if !ok || !isCall || f.OnSelf(to.Value) {
				return
			}
			if _, name := to.Value.(*ast.Name); !name {
				return
			}
			take, ok := call.Func.(*ast.Attribute)
			if !ok {
				return
			}
			at, ok := take.Value.(*ast.Attribute)
			if !ok || !f.OnSelf(at.Value) {
				return
			}
			t := p.TypeOf(at, program.Env{Module: f.Module, Func: f, Self: cls})
			if t.Kind != program.Instance || len(t.Others) > 0 || t.Class.Method(take.Attr()) == nil {
				return
			}
			if back := counterpart(t.Class, take.Attr()); back != "" {
				out = append(out, taking{fn: f, call: call, cls: cls, field: at.Attr(), pool: t.Class, attr: to.Attr(), release: back})
			}
		})
	}
	return out
}

// counterpart returns the method of a class that takes back what another one hands
// out, by their verbs, or "".
func counterpart(c *program.Class, take string) string {
	for _, k := range c.MRO {
		for _, m := range k.MethodList() {
			if verb, ok := flow.ReleaseVerb(m.Name); ok && len(m.Params) > 1 && flow.Acquires(take, verb) {
				return m.Name
			}
		}
	}
	return ""
}

// neverGivenBack returns the findings for takings that no code gives back.
func neverGivenBack(fp *flow.Program, facts []*status.Facts) []rule.Finding {
	p := fp.Index
	var out []rule.Finding
	seen := map[string]bool{}
	for _, t := range takings(p) {
		id := t.cls.Module.Path + "." + t.cls.Qual + "." + t.field
		if seen[id] || !fp.Concerns(t.cls) {
			continue
		}
		seen[id] = true
		made := madeFor(p, t.cls, t.field, 0)
		if made == nil || givenBack(p, t, made) {
			continue
		}
		if left, ok := leaves(p, t); ok {
			f := t.finding(p, left)
			f.Threat = t.threat(facts, left)
			out = append(out, f)
		}
	}
	return out
}

// givenBack reports whether some code may give back to the pool of a taking: names
// the method on an object that may be the same.
func givenBack(p *program.Program, t taking, made map[ast.Node]bool) bool {
	found := false
	for _, f := range p.Funcs {
		ast.EachInScope(f.Body(), func(n ast.Node) {
			at, ok := n.(*ast.Attribute)
			if !ok || found || at.Attr() != t.release {
				return
			}
			cls := f.SelfClass()
			env := program.Env{Module: f.Module, Func: f, Self: cls}
			on := p.TypeOf(at.Value, env)
			switch {
			case on.Kind == program.Instance && !related(on, t.pool):
			case on.Kind != program.Instance:
				found = found || on.Kind == program.Unknown && evidence.NamesAttr(f, t.attr)
			default:
				other, ok := at.Value.(*ast.Attribute)
				if !ok {
					found = true
					return
				}
				owner := p.TypeOf(other.Value, env)
				if owner.Kind != program.Instance {
					found = true
					return
				}
				found = overlap(made, madeFor(p, owner.ClassWith(other.Attr()), other.Attr(), 0))
			}
		})
		if found {
			return true
		}
	}
	return false
}

func related(t *program.Type, c *program.Class) bool {
	for _, k := range t.Classes() {
		if k.IsSubclass(c) || c.IsSubclass(k) {
			return true
		}
	}
	return false
}

// overlap reports whether two attributes may hold one object: nothing is known of one
// of them, or an expression makes it for both.
func overlap(a, b map[ast.Node]bool) bool {
	if a == nil || b == nil {
		return true
	}
	for n := range a {
		if b[n] {
			return true
		}
	}
	return false
}

// maxHops bounds the attributes and constructors that an object is followed through.
const maxHops = 3

// madeFor returns the calls that make the objects which an attribute of a class holds,
// or nil when they are not known.
func madeFor(p *program.Program, c *program.Class, name string, depth int) map[ast.Node]bool {
	owner := c.AttrOwner(name)
	if owner == nil || depth > maxHops {
		return nil
	}
	out := map[ast.Node]bool{}
	for _, d := range owner.Attrs[name].Defs {
		if d.Value == nil || d.Func == nil || d.Index >= 0 || d.Elem || d.Enter || !made(p, d.Value, d.Func, c, depth, out) {
			return nil
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// made adds the calls that make the value of an expression of a function, and reports
// whether they are known.
func made(p *program.Program, e ast.Expr, f *program.Func, c *program.Class, depth int, out map[ast.Node]bool) bool {
	switch e := e.(type) {
	case *ast.Call:
		if p.Resolve(e.Func, f, f.Module).Class == nil {
			return false
		}
		out[e] = true
		return true
	case *ast.Name:
		b, _ := f.Scope.Lookup(e.Id())
		if b == nil || b.Param == nil {
			v := assignedBefore(f.Body(), e)
			return v != nil && made(p, v, f, c, depth+1, out)
		}
		if b.Param.Func != f || len(b.Defs) > 0 || f.Name != "__init__" {
			return false
		}
		return passedTo(p, b.Param, c, depth, out)
	case *ast.Attribute:
		cls := f.SelfClass()
		t := p.TypeOf(e.Value, program.Env{Module: f.Module, Func: f, Self: cls})
		if t.Kind != program.Instance {
			return false
		}
		inner := madeFor(p, t.ClassWith(e.Attr()), e.Attr(), depth+1)
		for n := range inner {
			out[n] = true
		}
		return inner != nil
	}
	return false
}

// passedTo adds what the calls of a constructor pass for a parameter.
func passedTo(p *program.Program, prm *program.Param, c *program.Class, depth int, out map[ast.Node]bool) bool {
	if depth > maxHops {
		return false
	}
	known := false
	for _, s := range p.Calls(c.Name) {
		if r := p.Resolve(s.Call.Func, s.Func, s.Module); r.Class != c {
			continue
		}
		arg := program.Argument(s.Call, prm, 1)
		if arg == nil || s.Func == nil || !made(p, arg, s.Func, s.Func.SelfClass(), depth+1, out) {
			return false
		}
		known = true
	}
	return known
}

// assignedBefore returns what a variable was assigned last in the blocks around a use,
// or nil when a branch before may have assigned it.
func assignedBefore(body []ast.Stmt, use *ast.Name) ast.Expr {
	var value ast.Expr
	for _, st := range body {
		if ast.Encloses(st, use) {
			for _, inner := range ast.Blocks(st) {
				if ast.Covers(inner, use) {
					if v := assignedBefore(inner, use); v != nil {
						return v
					}
				}
			}
			return value
		}
		if st.Pos() > use.Pos() {
			break
		}
		if a, ok := st.(*ast.Assign); ok && len(a.Targets) == 1 {
			if n, ok := a.Targets[0].(*ast.Name); ok && n.Id() == use.Id() {
				value = a.Value
				continue
			}
		}
		if assigns(st, use.Id()) {
			value = nil
		}
	}
	return value
}

func assigns(st ast.Stmt, name string) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		found = found || ok && x.Id() == name && x.Ctx() != ast.Load
		return !found
	})
	return found
}

// A leaving is where requests leave the last list of a kind: a loop over it keeps some,
// and nothing is done with the others that could give them to a further one.
type leaving struct {
	fn    *program.Func
	at    *ast.Assign // self.list = kept
	list  string
	items string // the list of those that leave, or ""
}

// leaves returns where requests with a taking leave for good: the class that takes
// gives its requests another attribute as well, by which the loop knows them.
func leaves(p *program.Program, t taking) (leaving, bool) {
	given := map[string]bool{}
	for _, m := range t.cls.MethodList() {
		ast.EachInScope(m.Body(), func(n ast.Node) {
			if at, ok := n.(*ast.Attribute); ok && at.Ctx() == ast.Store && !m.OnSelf(at.Value) && at.Attr() != t.attr {
				if _, name := at.Value.(*ast.Name); name {
					given[at.Attr()] = true
				}
			}
		})
	}
	for _, f := range p.Funcs {
		if f.SelfClass() == nil || f.SelfClass() == t.cls || f.Outer != nil {
			continue
		}
		if l, ok := leavingIn(f, given); ok {
			return l, true
		}
	}
	return leaving{}, false
}

// leavingIn returns the leaving of a function, if there is one and the requests have
// one of some attributes.
func leavingIn(f *program.Func, given map[string]bool) (leaving, bool) {
	for _, st := range f.Body() {
		a, ok := st.(*ast.Assign)
		if !ok || len(a.Targets) != 1 {
			continue
		}
		to, ok := a.Targets[0].(*ast.Attribute)
		kept, isName := a.Value.(*ast.Name)
		if !ok || !isName || !f.OnSelf(to.Value) {
			continue
		}
		loop := loopOver(f, to.Attr(), a)
		if loop == nil || !appended(loop.Body, kept.Id(), loop.Target) {
			continue
		}
		if !knows(f, loop, to.Attr(), given) || handedOn(f, loop, kept.Id()) {
			continue
		}
		return leaving{fn: f, at: a, list: to.Attr(), items: otherList(f, loop, kept.Id())}, true
	}
	return leaving{}, false
}

// loopOver returns the loop of a function over a list of its object before a statement.
func loopOver(f *program.Func, list string, before ast.Node) *ast.For {
	for _, st := range f.Body() {
		l, ok := st.(*ast.For)
		if !ok || l.Pos() > before.Pos() {
			continue
		}
		found := false
		ast.Inspect(l.Iter, func(n ast.Node) bool {
			at, ok := n.(*ast.Attribute)
			found = found || ok && at.Attr() == list && f.OnSelf(at.Value)
			return true
		})
		if found {
			return l
		}
	}
	return nil
}

// appended reports whether a block appends what a loop takes to a list.
func appended(body []ast.Stmt, list string, target ast.Expr) bool {
	found := false
	eachAppend(body, func(to string, arg ast.Expr) {
		found = found || to == list && takesName(target, arg)
	})
	return found
}

// eachAppend visits the statements list.append(x) of a block, with the name of a local
// list; it is "" for any other.
func eachAppend(body []ast.Stmt, visit func(to string, arg ast.Expr)) {
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			if !ok || len(call.Args()) != 1 {
				return true
			}
			at, ok := call.Func.(*ast.Attribute)
			if !ok || at.Attr() != "append" && at.Attr() != "add" && at.Attr() != "put" && at.Attr() != "extend" && at.Attr() != "insert" {
				return true
			}
			to := ""
			if n, ok := at.Value.(*ast.Name); ok && at.Attr() == "append" {
				to = n.Id()
			}
			visit(to, call.Args()[0])
			return true
		})
	}
}

func takesName(target, arg ast.Expr) bool {
	a, ok := arg.(*ast.Name)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(target, func(n ast.Node) bool {
		t, ok := n.(*ast.Name)
		found = found || ok && t.Id() == a.Id()
		return true
	})
	return found
}

// knows reports whether a function reads one of some attributes of the elements of a
// list: in the loop over it, or in a comprehension.
func knows(f *program.Func, loop *ast.For, list string, attrs map[string]bool) bool {
	found := false
	read := func(target ast.Expr, in ast.Node) {
		ast.Inspect(in, func(n ast.Node) bool {
			at, ok := n.(*ast.Attribute)
			found = found || ok && attrs[at.Attr()] && takesName(target, at.Value)
			return true
		})
	}
	for _, st := range loop.Body {
		read(loop.Target, st)
	}
	ast.EachInScope(f.Body(), func(n ast.Node) {
		c, ok := n.(*ast.ListComp)
		if !ok || len(c.Generators) != 1 {
			return
		}
		g := c.Generators[0]
		if at, ok := g.Iter.(*ast.Attribute); ok && at.Attr() == list && f.OnSelf(at.Value) {
			read(g.Target, c.Elt)
		}
	})
	return found
}

// handedOn reports whether a loop may give requests that it does not keep to somebody:
// puts them somewhere else than into a list of the function, or that is returned.
func handedOn(f *program.Func, loop *ast.For, kept string) bool {
	others := map[string]bool{}
	found := false
	eachAppend(loop.Body, func(to string, arg ast.Expr) {
		if !takesName(loop.Target, arg) {
			return
		}
		if to == "" {
			found = true
		}
		if to != kept {
			others[to] = true
		}
	})
	ast.EachInScope(f.Body(), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Return:
			if n.Value == nil {
				return
			}
			ast.Inspect(n.Value, func(x ast.Node) bool {
				v, ok := x.(*ast.Name)
				found = found || ok && others[v.Id()]
				return true
			})
		case *ast.Call: // self.next.extend(done)
			at, ok := n.Func.(*ast.Attribute)
			if ok && (at.Attr() == "extend" || at.Attr() == "update") && len(n.Args()) == 1 {
				v, ok := n.Args()[0].(*ast.Name)
				found = found || ok && others[v.Id()]
			}
		}
	})
	return found
}

// otherList returns the local list of those that a loop does not keep, if there is one
// alone.
func otherList(f *program.Func, loop *ast.For, kept string) string {
	other, many := "", false
	eachAppend(loop.Body, func(to string, arg ast.Expr) {
		if takesName(loop.Target, arg) && to != kept && to != "" {
			many = many || other != "" && other != to
			other = to
		}
	})
	if many {
		return ""
	}
	return other
}

func (t taking) finding(p *program.Program, l leaving) rule.Finding {
	return rule.Finding{
		Place: rule.At(l.fn.Module, l.at), Function: l.fn.Qual, Component: l.fn.SelfClass(),
		Containers: []string{l.list}, Key: t.attr, Shape: "taken:" + t.field,
		Message: fmt.Sprintf("requests leave %s with what %s.%s has handed out, in %s: nothing calls %s on %s",
			l.list, t.field, takeName(t.call), t.attr, t.release, t.field),
		Consequence: fmt.Sprintf("each request takes one for ever; when none is left, %s has nothing for the next ones, and they wait", t.fn.Qual),
		Related: []rule.Related{
			{Place: rule.At(t.fn.Module, t.call), Role: report.RoleRival, Message: fmt.Sprintf("%s takes it here", t.fn.Qual)},
			{Place: rule.AtName(t.pool.Method(t.release)), Role: report.RoleContext, Message: "this would take it back"},
		},
		Fixes: t.fixes(p, l),
	}
}

// threat is that a request which has got something from the pool leaves the list, and
// nothing looks into the pool meanwhile, be it to give it back: where one entrypoint of the
// component does all of that.
func (t taking) threat(facts []*status.Facts, l leaving) *rule.Threat {
	for _, st := range facts {
		if st.Comp.Class != l.fn.SelfClass() {
			continue
		}
		for _, e := range st.Comp.Entries {
			take, leave := int32(-1), int32(-1)
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				switch {
				case n.Op == flow.Del && within(n.Frame, t.call):
					take = int32(i)
				case n.Op == flow.Rebind && n.Stmt == ast.Stmt(l.at):
					leave = int32(i)
				}
			}
			if take >= 0 && leave >= 0 {
				return t.threatIn(st, e, take, leave)
			}
		}
	}
	return nil
}

// threatIn is threat for the steps of an entrypoint that take from the pool and let the
// request leave its list.
func (t taking) threatIn(st *status.Facts, e *flow.Entry, take, leave int32) *rule.Threat {
	pool, list := e.Graph.Nodes[take].Loc, e.Graph.Nodes[leave].Loc
	out := &rule.Threat{
		Property: rule.Avoids, Status: st, Sight: &rule.Sight{Entry: e, Loc: pool},
		Steps: []rule.Step{{Entry: e, ID: take, When: rule.Anyhow}},
	}
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Op == flow.Put && n.Loc == list {
			out.Steps = append(out.Steps, rule.Step{Entry: e, ID: int32(i), When: rule.Anyhow, By: rule.TheFirst})
		}
	}
	out.Steps = append(out.Steps,
		rule.Step{Entry: e, ID: leave, When: rule.Present, By: rule.TheFirst},
		rule.Step{Entry: e, ID: flow.ExitNode, When: rule.Absent, Of: list, By: rule.TheFirst})
	return out
}

// within reports whether a frame is that of a call, or of one that it makes.
func within(fr *flow.Frame, call *ast.Call) bool {
	for ; fr != nil; fr = fr.Caller {
		if fr.Call != nil && fr.Call == ast.Node(call) {
			return true
		}
	}
	return false
}

func takeName(call *ast.Call) string { return call.Func.(*ast.Attribute).Attr() }

// fixes suggests to give back what the requests hold that leave.
func (t taking) fixes(p *program.Program, l leaving) []rule.Fix {
	self := l.fn.SelfFunc().Params[0].Name
	holder := heldIn(p, l.fn.SelfClass(), t.cls)
	if l.items == "" || holder == "" {
		return nil
	}
	item := "request"
	for _, st := range l.fn.Body() {
		if loop, ok := st.(*ast.For); ok {
			eachAppend(loop.Body, func(to string, arg ast.Expr) {
				if n, ok := arg.(*ast.Name); ok && to == l.items {
					item = n.Id()
				}
			})
		}
	}
	edits, err := patch.NewEditor(l.fn.Module.AST).InsertBefore(l.at,
		fmt.Sprintf("for %s in %s:", item, l.items),
		fmt.Sprintf("\t%s.%s.%s.%s(%s.%s)", self, holder, t.field, t.release, item, t.attr))
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "give it back when they leave", Safety: report.SafetyReview, Edits: edits}}
}

// heldIn returns the attribute in which the objects of a class, or of one derived from
// it, hold an object of another class, or "".
func heldIn(p *program.Program, c, held *program.Class) string {
	for _, k := range p.Classes {
		if k.IsSubclass(c) {
			if name := evidence.HolderOf(p, k, held); name != "" {
				return name
			}
		}
	}
	return ""
}
