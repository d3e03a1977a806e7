package missingterminalstatus

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// lastOnly finds steps that mark a request by the variable of a loop that is over:
// they mark the last one, whichever of its requests they are about.
func lastOnly(st *status.Facts, e *flow.Entry) []rule.Finding {
	var out []rule.Finding
	seen := map[ast.Node]bool{}
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op != flow.Put || n.Mode&flow.Initial != 0 || len(n.Path) > 0 || n.Loc == nil || n.Loc.Outer != nil || seen[n.Src] || !marks(st, n) {
			continue
		}
		seen[n.Src] = true
		name, ok := evidence.KeyExpr(n).(*ast.Name)
		if !ok || n.Fn.Param(name.Id()) != nil {
			continue
		}
		loop := leftBy(n.Fn, name)
		if loop == nil {
			continue
		}
		batch := batchAround(n.Fn.Body(), n.Src)
		if batch == nil && !st.MayConclude(n) {
			continue
		}
		out = append(out, stale(st, e, component.Access{Entry: e, ID: int32(i), Node: n}, name.Id(), loop, batch))
	}
	return evidence.OncePerFunction(out)
}

// marks reports whether a step puts a request among others that are told apart: into
// a set, or with a constant or what a call has answered into a map.
func marks(st *status.Facts, n *flow.Node) bool {
	switch n.Loc.Type.Kind {
	case program.Set:
		return n.Key != nil && n.Key.Kind != flow.Const
	case program.Dict, program.DefaultDict:
		return n.Key != nil && (st.MayConclude(n) || n.Val != nil && n.Val.Kind == flow.Const)
	}
	return false
}

// leftBy returns the loop that has left its variable to a use of it: the last one
// before the use, which goes through to its end. There is none when the use stands in
// a loop that binds the name, or when anything but a loop binds it.
func leftBy(fn *program.Func, use *ast.Name) *ast.For {
	bind, _ := fn.Scope.Lookup(use.Id())
	if bind == nil || !slices.ContainsFunc(bind.Defs, func(d program.Def) bool { return d.Elem }) {
		return nil // no loop binds it
	}
	var last *ast.For
	bound := map[*ast.Name]bool{} // by loops
	inside, other := false, false
	ast.EachInScope(fn.Body(), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Comprehension:
			ast.Inspect(n.Target, func(x ast.Node) bool {
				if t, ok := x.(*ast.Name); ok && t.Id() == use.Id() {
					bound[t] = true // a scope of its own
				}
				return true
			})
		case *ast.For:
			if !binds(n.Target, use.Id(), bound) {
				break
			}
			switch {
			case ast.Encloses(n, use):
				inside = true
			case n.End() <= use.Pos() && (last == nil || last.End() <= n.Pos()):
				last = n
			}
		case *ast.Name:
			other = other || n.Id() == use.Id() && n.Ctx() != ast.Load && !bound[n]
		}
	})
	if inside || other || last == nil || len(breaks(last.Body)) > 0 || len(last.Orelse) > 0 || once(last.Iter) {
		return nil
	}
	return last
}

// binds reports whether the target of a loop binds a name, and notes where.
func binds(target ast.Expr, name string, where map[*ast.Name]bool) bool {
	found := false
	ast.Inspect(target, func(x ast.Node) bool {
		if t, ok := x.(*ast.Name); ok && t.Id() == name {
			where[t], found = true, true
		}
		return true
	})
	return found
}

// once reports whether a loop has as many turns as its source has words: it is no
// loop over requests.
func once(iter ast.Expr) bool {
	switch iter := iter.(type) {
	case *ast.Tuple, *ast.List:
		return true
	case *ast.Call:
		n, ok := iter.Func.(*ast.Name)
		return ok && n.Id() == "range"
	}
	return false
}

// batchAround returns the innermost for statement in whose body a node stands, or nil.
func batchAround(body []ast.Stmt, at ast.Node) *ast.For {
	var found *ast.For
	ast.EachInScope(body, func(n ast.Node) {
		loop, ok := n.(*ast.For)
		if ok && ast.Covers(loop.Body, at) {
			found = loop
		}
	})
	return found
}

func stale(st *status.Facts, e *flow.Entry, a component.Access, name string, loop, batch *ast.For) rule.Finding {
	line, _ := a.Mod.AST.Position(loop.Pos())
	f := rule.Finding{
		Place: rule.AtStep(a.Node), Function: a.Fn.Qual, Entry: e, Component: st.Comp.Class,
		Containers: []string{a.Loc.Name}, Key: name, Shape: "last:" + a.Loc.Name,
		Message: fmt.Sprintf("only %s, which the loop in line %d has left behind, is put into %s: it is the last of its requests, and the others are left out", name, line, a.Loc.Name),
		Related: []rule.Related{{Place: rule.At(a.Mod, loop.Target), Role: report.RoleContext, Entry: e, Message: "this loop has left " + name + " behind"}},
		Consequence: fmt.Sprintf("the other requests are not in %s, and are taken to be what they are not; the last one is in there, whether it should be or not",
			a.Loc.Name),
		Fixes: everyOne(a, name, loop, batch),
	}
	f.Related = append(f.Related, evidence.Spawns(e)...)
	f.Threat = leftOut(st, a, loop)
	return f
}

// leftOut is the threat of a mark for the last request of a loop: the loop takes one and
// then another, which is marked, and whoever looks for the first one finds no mark. It is
// nil where nobody does, or where several ways lead from the loop to the mark.
func leftOut(st *status.Facts, a component.Access, loop *ast.For) *rule.Threat {
	g := a.Entry.Graph
	head := int32(-1)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Stmt == ast.Stmt(loop) && n.Frame == a.Frame && (n.Op == flow.LoopHead && n.Val != nil || n.Op == flow.Next) {
			head = int32(i)
		}
	}
	look := looksFor(st, a)
	if head < 0 || look == nil {
		return nil
	}
	steps := []rule.Step{{Entry: a.Entry, ID: head, When: rule.TakesKey}, {Entry: a.Entry, ID: head, When: rule.TakesOther}}
	tests, ok := conditions(a.Entry, head, a.ID)
	if !ok {
		return nil
	}
	return &rule.Threat{
		Property: rule.Avoids, Status: st, Others: []rule.Step{{Entry: a.Entry, ID: a.ID}},
		Steps: append(append(steps, tests...), rule.Step{Entry: look.Entry, ID: look.ID, When: rule.Absent}),
	}
}

// conditions returns the branches on the one way from the head of a loop to a step, in their
// order, each with the side that leads there, and the steps that have to fail; a loop on the
// way may have any number of turns. There are none where several ways lead there.
func conditions(e *flow.Entry, head, id int32) ([]rule.Step, bool) {
	var out []rule.Step
	for id != head {
		from := int32(-1)
		for _, p := range e.Graph.Nodes[id].Pred {
			if loops(&e.Graph.Nodes[id]) && e.Graph.Around(id, p) {
				continue // from the end of a turn
			}
			if from >= 0 {
				return nil, false
			}
			from = p
		}
		if from < 0 {
			return nil, false
		}
		n := &e.Graph.Nodes[from]
		at := slices.IndexFunc(n.Succ, func(s flow.Edge) bool { return s.To == id })
		switch kind := n.Succ[at].Kind; {
		case kind == flow.Exc:
			out = append(out, rule.Step{Entry: e, ID: from, When: rule.Raises})
		case n.Op == flow.Branch && kind == flow.True:
			out = append(out, rule.Step{Entry: e, ID: from, When: rule.Holds})
		case n.Op == flow.Branch:
			out = append(out, rule.Step{Entry: e, ID: from, When: rule.Fails})
		}
		id = from
	}
	slices.Reverse(out)
	return out, true
}

func loops(n *flow.Node) bool { return n.Op == flow.LoopHead || n.Op == flow.Next }

// looksFor returns a step that looks for the mark of a request: one that is reached after
// the mark in the same entrypoint, or else one of another.
func looksFor(st *status.Facts, a component.Access) *component.Access {
	var other *component.Access
	for _, r := range st.Comp.Accesses(a.Loc) {
		if r.Op != flow.Has && r.Op != flow.Read || r.Key == nil || r.Key.Kind == flow.Const {
			continue
		}
		if r.Entry != a.Entry {
			other = &r
		} else if evidence.Reaches(a.Entry.Graph, a.ID, r.ID, flow.KnownEdges) {
			return &r
		}
	}
	return other
}

// everyOne marks every request: those of a loop over the same requests in the batch
// that the step is about, or of the loop that is over.
func everyOne(a component.Access, name string, loop, batch *ast.For) []rule.Fix {
	st, ok := a.Stmt.(*ast.ExprStmt)
	if !ok || st.Value != a.Src {
		return nil
	}
	from := loop
	if batch != nil {
		from = nil
		for _, s := range batch.Body {
			ast.Inspect(s, func(n ast.Node) bool {
				if l, ok := n.(*ast.For); ok && from == nil {
					if t, ok := l.Target.(*ast.Name); ok && t.Id() == name {
						from = l
					}
				}
				return true
			})
		}
	}
	if from == nil {
		return nil
	}
	text := func(n ast.Node) string { return string(a.Mod.AST.Text(n)) }
	lines := []string{"for " + text(from.Target) + " in " + text(from.Iter) + ":"}
	for _, l := range evidence.Lines(a.Mod, st) {
		lines = append(lines, "\t"+l)
	}
	edits, err := patch.NewEditor(a.Mod.AST).ReplaceStmts([]ast.Stmt{st}, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "mark every one of them", Safety: report.SafetyReview, Edits: edits}}
}
