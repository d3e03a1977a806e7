package resourceleak

import (
	"fmt"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// An object can keep something for a request under its name: one method begins it,
// another one ends it early. Requests that are put into a queue after the first call
// hold it there, so whoever lets one of them go has to call the second.

// A holding is a pair of such methods.
type holding struct {
	cls           *program.Class
	keeps         string // the container with what is held
	take, release *program.Func
}

// holdings returns the pairs of methods of which one stores an entry under its
// argument, and the other, which has a verb of release, removes that entry.
func holdings(p *program.Program) []holding {
	var out []holding
	for _, c := range p.Classes {
		for _, r := range c.MethodList() {
			if _, ok := flow.ReleaseVerb(r.Name); !ok {
				continue
			}
			for _, kept := range removedIn(r) {
				for _, t := range c.MethodList() {
					if t != r && storesUnder(t, kept) {
						out = append(out, holding{cls: c, keeps: kept, take: t, release: r})
						break
					}
				}
			}
		}
	}
	return out
}

// removedIn returns the containers of its object from which a method removes the entry
// of its first argument.
func removedIn(f *program.Func) []string {
	var out []string
	ast.EachInScope(f.Body(), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Delete:
			for _, t := range n.Targets {
				if sub, ok := t.(*ast.Subscript); ok && f.IsParam(sub.Slice, 1) {
					if name := f.SelfAttr(sub.Value); name != "" {
						out = append(out, name)
					}
				}
			}
		case *ast.Call:
			at, ok := n.Func.(*ast.Attribute)
			if ok && at.Attr() == "pop" && len(n.Args()) > 0 && f.IsParam(n.Args()[0], 1) {
				if name := f.SelfAttr(at.Value); name != "" {
					out = append(out, name)
				}
			}
		}
	})
	return out
}

// storesUnder reports whether a method stores an entry of its first argument.
func storesUnder(f *program.Func, container string) bool {
	found := false
	ast.EachInScope(f.Body(), func(n ast.Node) {
		a, ok := n.(*ast.Assign)
		if !ok || len(a.Targets) != 1 {
			return
		}
		sub, ok := a.Targets[0].(*ast.Subscript)
		found = found || ok && f.IsParam(sub.Slice, 1) && f.SelfAttr(sub.Value) == container
	})
	return found
}

// A use is a call of a method of a holding for a request: method(request.name).
type use struct {
	program.CallSite
	item, key string
}

// usesOf returns the calls of a method of a holding for a request.
func usesOf(p *program.Program, h holding, m *program.Func) []use {
	var out []use
	for _, s := range p.Calls(m.Name) {
		at, ok := s.Call.Func.(*ast.Attribute)
		if !ok || s.Func == nil || len(s.Call.Args()) == 0 {
			continue
		}
		key, ok := s.Call.Args()[0].(*ast.Attribute)
		if !ok {
			continue
		}
		item, ok := key.Value.(*ast.Name)
		if !ok {
			continue
		}
		t := p.TypeOf(at.Value, program.Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()})
		if t.Kind == program.Instance && (t.ClassWith(m.Name).IsSubclass(h.cls) || h.cls.IsSubclass(t.ClassWith(m.Name))) {
			out = append(out, use{s, item.Id(), key.Attr()})
		}
	}
	return out
}

// A queue is a list of the objects of a class in which requests wait.
type queue struct {
	cls  *program.Class
	list string
}

// queuesAfter returns the queues into which requests are put after a call that takes
// something for them, in the same block.
func queuesAfter(p *program.Program, u use, depth int) []queue {
	st := evidence.StatementAt(u.Func, u.Call)
	block, _ := evidence.Block(u.Func.Body(), st)
	var out []queue
	after := false
	for _, s := range block {
		if s == st {
			after = true
			continue
		}
		if !after {
			continue
		}
		ast.EachInScope([]ast.Stmt{s}, func(n ast.Node) {
			if call, ok := n.(*ast.Call); ok {
				if q, ok := putInto(p, u.Func, call, u.item); ok {
					out = append(out, q)
				}
			}
		})
	}
	if len(out) > 0 || depth > 0 || u.Func.Param(u.item) == nil {
		return out
	}
	for _, s := range p.Calls(u.Func.Name) { // who calls the helper for a request
		at, ok := s.Call.Func.(*ast.Attribute)
		if !ok || s.Func == nil || s.Func.SelfClass() == nil || len(s.Call.Args()) == 0 || u.Func.SelfClass() == nil {
			continue
		}
		_, self := at.Value.(*ast.Name)
		n, ok := s.Call.Args()[0].(*ast.Name)
		if !ok || !self || !s.Func.SelfClass().IsSubclass(u.Func.SelfClass()) && !u.Func.SelfClass().IsSubclass(s.Func.SelfClass()) {
			continue
		}
		out = append(out, queuesAfter(p, use{s, n.Id(), u.key}, depth+1)...)
	}
	return out
}

// putInto returns the queue into which a call puts a request: a list of the object, or
// that of an object which it holds, whose method appends its argument.
func putInto(p *program.Program, f *program.Func, call *ast.Call, item string) (queue, bool) {
	at, ok := call.Func.(*ast.Attribute)
	if !ok || len(call.Args()) == 0 {
		return queue{}, false
	}
	if n, ok := call.Args()[0].(*ast.Name); !ok || n.Id() != item {
		return queue{}, false
	}
	if list := f.SelfAttr(at.Value); list != "" && at.Attr() == "append" && f.SelfClass() != nil {
		return queue{f.SelfClass(), list}, true
	}
	t := p.TypeOf(at.Value, program.Env{Module: f.Module, Func: f, Self: f.SelfClass()})
	if t.Kind != program.Instance {
		return queue{}, false
	}
	m := t.ClassWith(at.Attr()).Method(at.Attr())
	if m == nil || m.Class == nil || len(m.Params) < 2 {
		return queue{}, false
	}
	found := queue{}
	ast.EachInScope(m.Body(), func(n ast.Node) {
		inner, ok := n.(*ast.Call)
		if !ok || len(inner.Args()) != 1 || !m.IsParam(inner.Args()[0], 1) {
			return
		}
		if to, ok := inner.Func.(*ast.Attribute); ok && to.Attr() == "append" {
			if list := m.SelfAttr(to.Value); list != "" {
				found = queue{m.Class, list}
			}
		}
	})
	return found, found.cls != nil
}

// keptByFailed finds the branches for requests that have failed, in loops over a queue,
// that let them go without what the abort of a request elsewhere gives back.
func keptByFailed(fp *flow.Program, facts []*status.Facts) []rule.Finding {
	p := fp.Index
	var out []rule.Finding
	for _, h := range holdings(p) {
		releases := usesOf(p, h, h.release)
		if len(releases) == 0 {
			continue
		}
		seen := map[*ast.If]bool{}
		for _, t := range usesOf(p, h, h.take) {
			for _, q := range queuesAfter(p, t, 0) {
				if !fp.Concerns(q.cls) {
					continue
				}
				for _, f := range q.cls.MethodList() {
					branch, item := failedBranch(f, q.list)
					if branch == nil || seen[branch] || calls(p, f, branch.Body, h.release.Name) || callersCall(p, f, h.release.Name) {
						continue
					}
					seen[branch] = true
					finding := kept(p, h, t, releases[0], q, f, branch, item)
					finding.Threat = threatOf(facts, h, q, branch)
					out = append(out, finding)
				}
			}
		}
	}
	return out
}

// failedBranch returns the branch of a loop over a list that a request which has failed
// takes, and that puts it among those which leave the list, with the loop variable.
func failedBranch(f *program.Func, list string) (*ast.If, string) {
	var found *ast.If
	item := ""
	for _, st := range f.Body() {
		loop, ok := st.(*ast.For)
		if !ok || !walks(f, loop.Iter, list) || !replaced(f, list, loop) {
			continue
		}
		ast.EachInScope(loop.Body, func(n ast.Node) {
			i, ok := n.(*ast.If)
			if !ok || found != nil || !asksForFailure(i.Test) {
				return
			}
			if name, ok := leavesBy(i.Body, loop); ok {
				found, item = i, name
			}
		})
	}
	return found, item
}

func walks(f *program.Func, iter ast.Expr, list string) bool {
	found := false
	ast.Inspect(iter, func(n ast.Node) bool {
		if e, ok := n.(*ast.Attribute); ok {
			found = found || f.SelfAttr(e) == list
		}
		return true
	})
	return found
}

// replaced reports whether a function stores what is left of a list after a loop.
func replaced(f *program.Func, list string, loop *ast.For) bool {
	found := false
	ast.EachInScope(f.Body(), func(n ast.Node) {
		if a, ok := n.(*ast.Assign); ok && a.Pos() > loop.End() {
			for _, t := range a.Targets {
				found = found || f.SelfAttr(t) == list
			}
		}
	})
	return found
}

// asksForFailure reports whether a test compares with a constant whose name says that a
// request has failed.
func asksForFailure(test ast.Expr) bool {
	cmp, ok := test.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Eq && cmp.Ops[0] != ast.Is {
		return false
	}
	name := ""
	switch e := cmp.Comparators[0].(type) {
	case *ast.Attribute:
		name = e.Attr()
	case *ast.Name:
		name = e.Id()
	case *ast.Constant:
		name = e.Value()
	}
	return status.SaysFailed(name)
}

// leavesBy reports whether a block of a loop notes the request, or its index, in a local
// list or set, and returns the variable of the request: the one of which the loop uses
// an attribute.
func leavesBy(block []ast.Stmt, loop *ast.For) (string, bool) {
	names := map[string]bool{}
	ast.Inspect(loop.Target, func(n ast.Node) bool {
		if t, ok := n.(*ast.Name); ok {
			names[t.Id()] = true
		}
		return true
	})
	noted := false
	ast.EachInScope(block, func(n ast.Node) {
		call, ok := n.(*ast.Call)
		if !ok || len(call.Args()) != 1 {
			return
		}
		at, ok := call.Func.(*ast.Attribute)
		if !ok || at.Attr() != "add" && at.Attr() != "append" {
			return
		}
		_, local := at.Value.(*ast.Name)
		arg, ok := call.Args()[0].(*ast.Name)
		noted = noted || local && ok && names[arg.Id()]
	})
	item := ""
	ast.EachInScope(loop.Body, func(n ast.Node) {
		if at, ok := n.(*ast.Attribute); ok && item == "" {
			if v, ok := at.Value.(*ast.Name); ok && names[v.Id()] {
				item = v.Id()
			}
		}
	})
	return item, noted && item != ""
}

// calls reports whether a function, or one that a block of it calls by name, calls a
// method.
func calls(p *program.Program, f *program.Func, block []ast.Stmt, name string) bool {
	found := evidence.NamesAttr(f, name)
	ast.EachInScope(block, func(n ast.Node) {
		call, ok := n.(*ast.Call)
		if !ok || found {
			return
		}
		for _, m := range callees(p, f, call) {
			found = found || evidence.NamesAttr(m, name)
		}
	})
	return found
}

// callees returns the functions of the program that a call may run.
func callees(p *program.Program, f *program.Func, call *ast.Call) []*program.Func {
	switch fn := call.Func.(type) {
	case *ast.Name:
		if m := p.Resolve(fn, f, f.Module).Func; m != nil {
			return []*program.Func{m}
		}
	case *ast.Attribute:
		t := p.TypeOf(fn.Value, program.Env{Module: f.Module, Func: f, Self: f.SelfClass()})
		if t.Kind == program.Instance {
			if m := t.ClassWith(fn.Attr()).Method(fn.Attr()); m != nil {
				return []*program.Func{m}
			}
		}
	}
	return nil
}

// callersCall reports whether one who calls a function calls a method as well: it does
// so for the requests that it gets back.
func callersCall(p *program.Program, f *program.Func, name string) bool {
	for _, s := range p.Calls(f.Name) {
		if s.Func != nil && evidence.NamesAttr(s.Func, name) {
			return true
		}
	}
	return false
}

// threatOf is that a request which fails leaves the queue while what is held for it stays,
// in the component of the queue.
func threatOf(facts []*status.Facts, h holding, q queue, branch *ast.If) *rule.Threat {
	for _, st := range facts {
		if st.Comp.Class != q.cls {
			continue
		}
		for _, e := range st.Comp.Entries {
			next := int32(-1)
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				switch {
				case n.Op == flow.Next && n.Loc != nil && n.Loc.Name == q.list:
					next = int32(i)
				case n.Op == flow.Branch && n.Src == branch.Test && next >= 0:
					if t := threatIn(st, e, h, next, int32(i)); t != nil {
						return t
					}
				}
			}
		}
	}
	return nil
}

// threatIn is threatOf for the steps of an entrypoint that take the request from the queue
// and find that it has failed; nil where the component has nothing to do with what is held.
func threatIn(st *status.Facts, e *flow.Entry, h holding, next, fails int32) *rule.Threat {
	t := &rule.Threat{
		Property: rule.Avoids, Status: st,
		Undo: []rule.Step{
			{Entry: e, ID: flow.StartNode, When: rule.Anyhow, By: rule.TheFirst},
			{Entry: e, ID: next, When: rule.TakesOther, By: rule.TheFirst}, // which may have failed, too
		},
	}
	var held *flow.Location
	for _, o := range st.Comp.Entries {
		for i := range o.Graph.Nodes {
			n := &o.Graph.Nodes[i]
			if n.Loc == nil || n.Loc.Owner != h.cls || n.Loc.Name != h.keeps || n.Op != flow.Put && n.Op != flow.Del || len(n.Pred) == 0 {
				continue
			}
			held = n.Loc
			t.Undo = append(t.Undo, rule.Step{Entry: o, ID: int32(i), When: rule.Anyhow})
		}
	}
	if held == nil {
		return nil
	}
	t.Steps = []rule.Step{
		{Entry: e, ID: next, When: rule.TakesKey},
		{Entry: e, ID: fails, When: rule.Holds, By: rule.TheFirst},
		{Entry: e, ID: flow.ExitNode, When: rule.Present, Of: held, By: rule.TheFirst},
	}
	return t
}

func kept(p *program.Program, h holding, t, r use, q queue, f *program.Func, branch *ast.If, item string) rule.Finding {
	name := h.release.Name
	return rule.Finding{
		Place: rule.At(f.Module, branch.Test), Function: f.Qual, Component: q.cls,
		Containers: []string{q.list, h.keeps}, Key: item + "." + t.key, Shape: "held:" + h.keeps,
		Message: fmt.Sprintf("a request that has failed leaves %s without %s, which %s calls for one that it drops",
			q.list, name, r.Func.Qual),
		Consequence: fmt.Sprintf("what %s has taken for it stays in %s, with all that the entry holds", h.take.Qual, h.keeps),
		Related: []rule.Related{
			{Place: rule.At(t.Module, t.Call), Role: report.RoleRival, Message: "taken here, before the request is put into " + q.list},
			{Place: rule.At(r.Module, r.Call), Role: report.RoleSibling, Message: r.Func.Qual + " gives it back here"},
		},
		Fixes: giveBack(p, r, q, f, branch, item),
	}
}

// giveBack suggests to do in the branch what the other function does, through the
// attribute in which the queue holds the object of that.
func giveBack(p *program.Program, r use, q queue, f *program.Func, branch *ast.If, item string) []rule.Fix {
	from, to := r.Func.SelfFunc(), f.SelfFunc()
	if from == nil || to == nil || from.Class == nil {
		return nil
	}
	path := to.Params[0].Name
	if !q.cls.IsSubclass(from.Class) {
		attr := evidence.HolderOf(p, q.cls, from.Class)
		if attr == "" {
			return nil
		}
		path += "." + attr
	}
	st, ok := evidence.StatementAt(r.Func, r.Call).(*ast.ExprStmt)
	if !ok || st.Value != r.Call {
		return nil
	}
	self := from.Params[0].Name
	text := func(n ast.Node) string {
		return renamed(r.Module, n, map[string]string{self: path, r.item: item})
	}
	lines := []string{text(st)}
	if _, owner := evidence.Block(r.Func.Body(), st); owner != nil {
		if i, ok := owner.(*ast.If); ok && len(i.Body) == 1 && len(i.Orelse) == 0 {
			lines = []string{"if " + text(i.Test) + ":", "\t" + lines[0]}
		}
	}
	last := branch.Body[len(branch.Body)-1]
	ed := patch.NewEditor(f.Module.AST)
	insert := ed.InsertAfter
	switch last.(type) {
	case *ast.Continue, *ast.Return, *ast.Break, *ast.Raise:
		insert = ed.InsertBefore
	}
	edits, err := insert(last, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "give it back as the other function does", Safety: report.SafetyReview, Edits: edits}}
}

// renamed returns the text of a node with other names for some variables.
func renamed(m *program.Module, n ast.Node, names map[string]string) string {
	var b strings.Builder
	at := n.Pos()
	source := m.AST.Source
	ast.Inspect(n, func(x ast.Node) bool {
		if v, ok := x.(*ast.Name); ok && names[v.Id()] != "" {
			b.Write(source[at:v.Pos()])
			b.WriteString(names[v.Id()])
			at = v.End()
		}
		return true
	})
	b.Write(source[at:n.End()])
	return b.String()
}
