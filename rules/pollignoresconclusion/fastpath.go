package pollignoresconclusion

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

// A verdict is a flag by which a hook of a handle ends its request, and which
// nobody but the poller of the handle looks at.
type verdict struct {
	poll *flow.Entry
	flag *flow.Location
	hook *program.Func
	at   rule.Place
}

// unpolled finds the queues that do not poll handles which were ready once: what
// ends the request of one after that is seen by nobody for as long as the queue
// does not move.
func unpolled(prog *program.Program, facts []*status.Facts) []rule.Finding {
	var out []rule.Finding
	seen := map[ast.Node]bool{}
	sites := map[*ast.Call]bool{}
	for _, v := range verdicts(facts) {
		for _, site := range prog.Calls(v.hook.Name) {
			e := endingOf(prog, site)
			if e == nil || sites[site.Call] || !v.of(e.handleType()) {
				continue
			}
			sites[site.Call] = true
			for _, f := range e.owner.MethodList() {
				for _, s := range skips(f, e) {
					if s.test == nil || seen[s.test] || !s.polls(v.poll.Func.Name) || s.seesOtherwise(v) {
						continue
					}
					seen[s.test] = true
					f := s.finding(v)
					f.Threat = s.passesBy(v, facts)
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// verdicts returns the flags that hooks of handles end requests with.
func verdicts(facts []*status.Facts) []verdict {
	var out []verdict
	seen := map[[2]any]bool{}
	for _, st := range facts {
		for _, p := range st.Pollers {
			if p.Class == nil || p.Class == st.Comp.Class {
				continue
			}
			c := check{st: st, poll: p}
			for _, m := range c.carriers() {
				for _, w := range m.writes {
					hook := w.Entry.Func
					if w.Op != flow.SetFlag || !evidence.IsHook(w.Entry) || !st.Terminal(w.Val) || seen[[2]any{hook, m.loc}] {
						continue
					}
					seen[[2]any{hook, m.loc}] = true
					out = append(out, verdict{poll: p, flag: m.loc, hook: hook, at: rule.AtStep(w.Node)})
				}
			}
		}
	}
	return out
}

// of reports whether a value of some class can be the handle of a verdict.
func (v verdict) of(c *program.Class) bool {
	return c != nil && (v.poll.Class.IsSubclass(c) || c.IsSubclass(v.poll.Class))
}

// An ending is a call that ends requests in a list of a class: for each element,
// of a method of its handle.
type ending struct {
	prog   *program.Program
	site   program.CallSite
	owner  *program.Class // keeps the list
	list   string         // attribute of owner
	elem   *program.Class
	handle string // attribute of elem
}

// endingOf returns the ending that a call of the form e.handle.hook() is, in a
// loop of e over a list; nil when it is none, or when the function around it sees
// to it that the queue learns of the end.
func endingOf(prog *program.Program, site program.CallSite) *ending {
	at, ok := site.Call.Func.(*ast.Attribute)
	if !ok || site.Func == nil {
		return nil
	}
	h, ok := at.Value.(*ast.Attribute)
	if !ok {
		return nil
	}
	x, ok := h.Value.(*ast.Name)
	if !ok {
		return nil
	}
	loop := loopOf(site.Func, x.Id(), site.Call)
	if loop == nil {
		return nil
	}
	l := walked(loop.Iter)
	if l == nil || tellsQueue(loop, x.Id()) || removes(loop, l.Attr()) {
		return nil
	}
	owner, elem := ownerOf(prog, site, l)
	if elem == nil {
		return nil
	}
	return &ending{prog: prog, site: site, owner: owner, list: l.Attr(), elem: elem, handle: h.Attr()}
}

func (e *ending) handleType() *program.Class { return e.prog.AttrType(e.elem, e.handle).Class }

// loopOf returns the innermost for loop of a function that takes a variable,
// around a node.
func loopOf(f *program.Func, name string, at ast.Node) *ast.For {
	var found *ast.For
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if n.Pos() > at.Pos() || n.End() < at.End() {
				return false
			}
			if loop, ok := n.(*ast.For); ok && binds(loop.Target, name) {
				found = loop
			}
			return true
		})
	}
	return found
}

// binds reports whether a target binds a variable.
func binds(target ast.Expr, name string) bool {
	found := false
	ast.Inspect(target, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Id() == name {
			found = true
		}
		return !found
	})
	return found
}

// walked returns the attribute that an iterable is, or is a copy of; nil for
// another one.
func walked(e ast.Expr) *ast.Attribute {
	for {
		switch x := e.(type) {
		case *ast.Attribute:
			return x
		case *ast.Subscript:
			if _, ok := x.Slice.(*ast.Slice); !ok {
				return nil
			}
			e = x.Value
		case *ast.Call:
			switch fn := x.Func.(type) {
			case *ast.Name:
				if len(x.Args()) == 0 {
					return nil
				}
				switch fn.Id() {
				case "list", "tuple", "enumerate", "sorted", "reversed", "iter", "zip":
					e = x.Args()[0]
				default:
					return nil
				}
			case *ast.Attribute:
				if fn.Attr() != "copy" && fn.Attr() != "values" {
					return nil
				}
				e = fn.Value
			default:
				return nil
			}
		default:
			return nil
		}
	}
}

// ownerOf returns the class that keeps a list, and that of its elements.
func ownerOf(prog *program.Program, site program.CallSite, l *ast.Attribute) (owner, elem *program.Class) {
	env := program.Env{Module: site.Module, Func: site.Func}
	if home := site.Func.SelfFunc(); home != nil {
		env.Self = home.Class
	}
	owner = prog.TypeOf(l.Value, env).Class
	if owner == nil {
		owner = onlyWith(prog, l.Attr())
	}
	if owner == nil {
		return nil, nil
	}
	if home := owner.AttrOwner(l.Attr()); home != nil {
		owner = home
	}
	t := prog.AttrType(owner, l.Attr())
	if !t.Kind.Keyed() {
		return nil, nil
	}
	return owner, t.Element().Class
}

// onlyWith returns the one class of the program that has a keyed attribute of
// a name whose elements are objects, or nil.
func onlyWith(prog *program.Program, attr string) *program.Class {
	var found *program.Class
	for _, c := range prog.Classes {
		if c.Attrs[attr] == nil || prog.AttrType(c, attr).Element().Class == nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// tellsQueue reports whether a loop stores something in an element beside the
// call of its handle: the queue can look there.
func tellsQueue(loop *ast.For, elem string) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && at.Ctx() == ast.Store && rootName(at) == elem {
			found = true
		}
		return !found
	})
	return found
}

func rootName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Attribute:
			e = x.Value
		case *ast.Subscript:
			e = x.Value
		case *ast.Name:
			return x.Id()
		default:
			return ""
		}
	}
}

// removes reports whether a loop takes something out of a list.
func removes(loop *ast.For, list string) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok {
				l, ok := at.Value.(*ast.Attribute)
				switch at.Attr() {
				case "remove", "pop", "discard", "popleft", "clear":
					found = found || ok && l.Attr() == list
				}
			}
		case *ast.Attribute:
			found = found || n.Attr() == list && n.Ctx() != ast.Load
		}
		return !found
	})
	return found
}

// A skip is a place where a method leaves out the poll of elements whose flag is
// set.
type skip struct {
	*ending
	fn   *program.Func
	test ast.Expr       // the flag, or the call of what asks for it
	flag *ast.Attribute // e.ready
	rest []ast.Node     // what is left out
	// negated reports whether the flag stands behind a not.
	negated bool
}

// skips returns the places in a method of a queue where it does not go on to poll
// the elements of a list, because of a flag of theirs.
func skips(f *program.Func, e *ending) []skip {
	var out []skip
	body := f.Body()
	for i, st := range body {
		var rest []ast.Node
		for _, s := range body[i+1:] {
			rest = append(rest, s)
		}
		switch st := st.(type) {
		case *ast.If:
			if leaves(st.Body) && len(st.Orelse) == 0 {
				if flag, negated := e.allSet(f, st.Test, 0); flag != nil {
					s := skip{ending: e, fn: f, test: st.Test, flag: flag, rest: rest, negated: negated}
					if ast.Encloses(st.Test, flag) {
						s.test = flag
					}
					out = append(out, s)
				}
			}
		case *ast.For:
			if flag := e.noneUnset(st); flag != nil {
				out = append(out, skip{ending: e, fn: f, test: flag, flag: flag, rest: rest, negated: true})
			}
			if s, ok := e.passedOver(st); ok {
				s.fn = f
				out = append(out, s)
			}
		}
	}
	return out
}

// leaves reports whether statements return, and do little else.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 || len(body) > 2 {
		return false
	}
	_, ok := body[len(body)-1].(*ast.Return)
	return ok
}

// allSet returns the flag of which a condition says that all elements of the list
// have it, or nil: all(e.ready for e in self.queue), also in a method. negated
// reports whether it asks for an element that does not.
func (e *ending) allSet(f *program.Func, test ast.Expr, depth int) (flag *ast.Attribute, negated bool) {
	if u, ok := test.(*ast.UnaryOp); ok && u.Op == ast.Not {
		negated, test = true, u.Operand
	}
	call, ok := test.(*ast.Call)
	if !ok {
		return nil, false
	}
	if at, ok := call.Func.(*ast.Attribute); ok && !negated && depth < 2 && len(call.Args()) == 0 && isSelf(at.Value, f) {
		g := e.owner.Method(at.Attr())
		if g == nil || len(g.Returns) != 1 || len(g.Body()) > 2 {
			return nil, false
		}
		return e.allSet(g, g.Returns[0], depth+1)
	}
	name, ok := call.Func.(*ast.Name)
	if !ok || len(call.Args()) != 1 || name.Id() != "all" && name.Id() != "any" || negated != (name.Id() == "any") {
		return nil, false
	}
	elt, gens := comprehended(call.Args()[0])
	if len(gens) != 1 || len(gens[0].Ifs) > 0 || !e.walks(gens[0].Iter) {
		return nil, false
	}
	if negated {
		u, ok := elt.(*ast.UnaryOp)
		if !ok || u.Op != ast.Not {
			return nil, false
		}
		elt = u.Operand
	}
	return flagOf(elt, gens[0].Target), negated
}

func comprehended(e ast.Expr) (ast.Expr, []*ast.Comprehension) {
	switch x := e.(type) {
	case *ast.GeneratorExp:
		return x.Elt, x.Generators
	case *ast.ListComp:
		return x.Elt, x.Generators
	}
	return nil, nil
}

func isSelf(e ast.Expr, f *program.Func) bool {
	x, ok := e.(*ast.Name)
	return ok && len(f.Params) > 0 && x.Id() == f.Params[0].Name
}

// walks reports whether an iterable is the list, or a copy of it.
func (e *ending) walks(iter ast.Expr) bool {
	at := walked(iter)
	return at != nil && at.Attr() == e.list
}

// flagOf returns an expression that is an attribute of a variable, or nil.
func flagOf(x, target ast.Expr) *ast.Attribute {
	at, ok := x.(*ast.Attribute)
	if !ok {
		return nil
	}
	name, ok := at.Value.(*ast.Name)
	if !ok || !binds(target, name.Id()) {
		return nil
	}
	return at
}

// noneUnset returns the flag that a loop over the list looks for an element
// without: it returns when there is none.
func (e *ending) noneUnset(loop *ast.For) *ast.Attribute {
	if !e.walks(loop.Iter) || len(loop.Body) != 1 || !leaves(loop.Orelse) {
		return nil
	}
	st, ok := loop.Body[0].(*ast.If)
	if !ok || len(st.Body) != 1 || len(st.Orelse) != 0 {
		return nil
	}
	if _, ok := st.Body[0].(*ast.Break); !ok {
		return nil
	}
	u, ok := st.Test.(*ast.UnaryOp)
	if !ok || u.Op != ast.Not {
		return nil
	}
	return flagOf(u.Operand, loop.Target)
}

// passedOver returns the skip by which a loop over the list goes on to the next
// element.
func (e *ending) passedOver(loop *ast.For) (skip, bool) {
	if !e.walks(loop.Iter) {
		return skip{}, false
	}
	for i, st := range loop.Body {
		cond, ok := st.(*ast.If)
		if !ok || len(cond.Body) == 0 || len(cond.Orelse) != 0 {
			continue
		}
		if _, ok := cond.Body[len(cond.Body)-1].(*ast.Continue); !ok || len(cond.Body) > 2 {
			continue
		}
		flag := flagOf(cond.Test, loop.Target)
		if flag == nil {
			continue
		}
		s := skip{ending: e, test: flag, flag: flag}
		for _, r := range loop.Body[i+1:] {
			s.rest = append(s.rest, r)
		}
		return s, true
	}
	return skip{}, false
}

// polls reports whether what is left out polls the handles of the elements: here,
// or in a function that it hands them to.
func (s skip) polls(method string) bool {
	touches, polls := false, false
	for _, n := range s.rest {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Attribute:
				touches = touches || n.Attr() == s.handle
			case *ast.Call:
				polls = polls || called(n) == method || s.prog.Resolve(n.Func, s.fn, s.fn.Module).Func != nil &&
					callsIn(s.prog.Resolve(n.Func, s.fn, s.fn.Module).Func, method)
			}
			return true
		})
	}
	return touches && polls
}

func called(c *ast.Call) string {
	switch f := c.Func.(type) {
	case *ast.Attribute:
		return f.Attr()
	case *ast.Name:
		return f.Id()
	}
	return ""
}

func callsIn(f *program.Func, method string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && called(c) == method {
				found = true
			}
			return !found
		})
	}
	return found
}

// seesOtherwise reports whether the end of a request is noticed without that poll:
// something else polls the elements of the list or looks at the verdict of their
// handles, or whoever ends them takes back the flag.
func (s skip) seesOtherwise(v verdict) bool {
	for _, f := range s.prog.Funcs {
		if f == s.fn || f.Name == "__init__" {
			continue
		}
		if s.takesBack(f) {
			return true
		}
		if f == v.hook || f == v.poll.Func || !mentions(f, s.list) || !mentions(f, s.handle) {
			continue
		}
		if callsIn(f, v.poll.Func.Name) || mentions(f, v.flag.Name) {
			return true
		}
	}
	return false
}

// takesBack reports whether a function stores something else than True in the flag
// of an element.
func (s skip) takesBack(f *program.Func) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			as, ok := n.(*ast.Assign)
			if !ok {
				return !found
			}
			for _, t := range as.Targets {
				if at, ok := t.(*ast.Attribute); ok && at.Attr() == s.flag.Attr() {
					c, ok := as.Value.(*ast.Constant)
					found = found || !ok || c.Kind() != ast.True
				}
			}
			return !found
		})
	}
	return found
}

func mentions(f *program.Func, attr string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Attribute:
				found = found || n.Attr() == attr
			case *ast.Constant:
				found = found || n.Kind() == ast.Str && n.Value() == attr
			}
			return !found
		})
	}
	return found
}

func (s skip) finding(v verdict) rule.Finding {
	flag := s.flag.Attr()
	f := rule.Finding{
		Place: rule.At(s.fn.Module, s.test), Function: s.fn.Qual, Component: s.owner,
		Containers: []string{s.list, v.flag.Name}, Shape: "unpolled:" + flag,
		Message: fmt.Sprintf("%s does not poll what has %s set: that %s ends one of %s is not noticed while the queue does not move",
			s.fn.Qual, flag, v.hook.Qual, s.list),
		Related: []rule.Related{
			{Place: rule.At(s.site.Module, s.site.Call), Role: report.RoleRival, Message: fmt.Sprintf("%s ends requests in %s", s.site.Func.Qual, s.list)},
			{Place: v.at, Role: report.RoleContext, Message: fmt.Sprintf("%s says so from then on, and %s answers with it", v.flag.Name, v.poll.Name())},
		},
		Consequence: "an ended request keeps its place and its memory for as long as those before it wait; its client waits, too",
		Fixes:       s.fixes(v),
	}
	return f
}

// fixes polls all the same what has its verdict.
func (s skip) fixes(v verdict) []rule.Fix {
	if v.flag.Outer != nil || !v.flag.Optional {
		return nil
	}
	text := s.flag.Value.(*ast.Name).Id() + "." + s.handle + "." + v.flag.Name + " is None"
	ed := patch.NewEditor(s.fn.Module.AST)
	text = s.flag.Value.(*ast.Name).Id() + "." + s.flag.Attr() + " and " + text
	if s.negated {
		text = "(" + text + ")"
	}
	edit := ed.ReplaceExpr(s.flag, text)
	return []rule.Fix{{Description: "poll what has its verdict all the same", Safety: report.SafetySafe, Edits: []patch.Edit{edit}}}
}
