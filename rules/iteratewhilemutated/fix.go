package iteratewhilemutated

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to walk over a snapshot. A loop that needs to see what changes gets a
// lock, and removes by place only what it has walked over.
func (l *loop) fixes(own *flow.Node, r *component.Rival) []rule.Fix {
	src, ok := l.next.Src.(ast.Expr)
	if !ok {
		return nil
	}
	around := l.statement(src)
	if around == nil {
		return []rule.Fix{l.snapshot(src)}
	}
	switch l.relies(around, src) {
	case onNothing:
		return l.settled(around, src)
	case onIterator:
		if over := l.iterated(around); over != nil {
			return []rule.Fix{l.snapshot(over)}
		}
		return nil
	}
	var f rule.Fix
	switch {
	case own == nil:
		f, ok = l.locked(around, r)
	case r == nil:
		if f, ok = l.fromTheEnd(around, src); !ok {
			f, ok = l.afterwards(around, src)
		}
	default:
		if f, ok = l.fromTheEnd(around, src); !ok {
			break
		}
		var held rule.Fix
		held, ok = l.locked(around, r)
		f.Description += ", and " + held.Description
		f.Safety = held.Safety
		f.Edits = append(f.Edits, held.Edits...)
		patch.Sort(f.Edits)
	}
	if !ok {
		return nil
	}
	return []rule.Fix{f}
}

func (l *loop) snapshot(src ast.Expr) rule.Fix {
	copied := "list(" + rule.Text(l.next, src) + ")"
	if l.rebound("list") {
		copied = "[*" + rule.Text(l.next, src) + "]"
	}
	edit := patch.NewEditor(l.next.Mod.AST).ReplaceExpr(src, copied)
	return rule.Fix{Description: "walk over a snapshot", Safety: report.SafetySafe, Edits: []patch.Edit{edit}}
}

// iterated returns what the iterator is made of that a loop goes on with by hand, or nil.
func (l *loop) iterated(around *ast.For) ast.Expr {
	made, _ := l.source(around)
	as, ok := made.(*ast.Assign)
	if !ok {
		return nil
	}
	call, ok := as.Value.(*ast.Call)
	if !ok || len(call.Args()) == 0 {
		return nil
	}
	if f, ok := call.Func.(*ast.Name); !ok || f.Id() != "iter" && f.Id() != "reversed" && f.Id() != "enumerate" || l.rebound(f.Id()) {
		return nil
	}
	if _, nested := call.Args()[0].(*ast.Call); nested && walked(call.Args()[0]) == call.Args()[0] {
		return nil
	}
	return call.Args()[0]
}

// rebound reports whether the name of a builtin is something else in the function of the
// loop.
func (l *loop) rebound(name string) bool {
	b, _ := l.next.Fn.Scope.Lookup(name)
	return b != nil
}

// statement returns the innermost for statement that walks over src, or nil.
func (l *loop) statement(src ast.Expr) *ast.For {
	var around *ast.For
	for _, st := range l.next.Fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if f, ok := n.(*ast.For); ok && ast.Encloses(f.Iter, src) {
				around = f
			}
			return true
		})
	}
	return around
}

// A need is why a loop cannot walk over a snapshot in place of what it walks over.
type need uint8

const (
	onNothing  need = iota
	onIterator      // it goes on by hand
	onChange        // it has to see what changes
)

// relies returns what a loop needs: it has to see what changes where it counts along while
// its body addresses the list by the count, and where it walks over what its body adds to
// the list.
func (l *loop) relies(around *ast.For, src ast.Expr) need {
	text := rule.Text(l.next, src)
	counts := around.Iter != src && !viewed(around.Iter, src)
	out := onNothing
	for _, st := range around.Body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Subscript:
				if counts && x.Ctx != ast.Load && rule.Text(l.next, x.Value) == text {
					out = onChange
				}
			case *ast.AugAssign:
				if l.list() && rule.Text(l.next, x.Target) == text {
					out = onChange
				}
			case *ast.Call:
				out = max(out, l.reliesOn(x, text, counts))
			}
			return true
		})
	}
	return out
}

// reliesOn returns what a call in the body of a loop makes of what that walks over.
func (l *loop) reliesOn(call *ast.Call, text string, counts bool) need {
	switch f := call.Func.(type) {
	case *ast.Name:
		if f.Id() == "next" && len(call.Args()) > 0 && rule.Text(l.next, call.Args()[0]) == text {
			return onIterator
		}
	case *ast.Attribute:
		if rule.Text(l.next, f.Value) != text {
			return onNothing
		}
		switch f.Attr() {
		case "append", "extend", "insert":
			if l.list() {
				return onChange
			}
		case "pop":
			if counts {
				return onChange
			}
		case "__next__":
			return onIterator
		}
	}
	return onNothing
}

// viewed reports whether what a loop walks over is a view of a container, as d.items().
func viewed(iter, src ast.Expr) bool {
	call, ok := iter.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	return ok && at.Value == src
}

// locked suggests to hold a lock for the walk, from where its iterator is made, and for all
// that changes the container: the one that the others hold, or a lock of its own.
func (l *loop) locked(around *ast.For, r *component.Rival) (rule.Fix, bool) {
	begin, over := l.source(around)
	container, ok := over.(*ast.Attribute)
	if !ok || r == nil {
		return rule.Fix{}, false
	}
	stmts := remedy.Block(l.next.Fn.Body(), begin, around)
	if stmts == nil || stmts[0] != begin {
		return rule.Fix{}, false
	}
	var steps []component.Access
	for _, a := range l.st.Comp.Accesses(l.next.Loc) {
		if mutates(a.Node) && a.Entry.Role != flow.Init && a.Mode&flow.Initial == 0 && !evidence.ClosesObject(a) {
			steps = append(steps, a)
		}
	}
	f := rule.Fix{Safety: report.SafetyReview}
	for _, lock := range r.Locks {
		if lock.Loc == nil || !l.heldBeside(lock.Loc, around, steps) {
			continue
		}
		f.Description = "hold " + lock.Loc.Name + " around the loop, as the other side does"
		f.Edits = remedy.Hold(l.st.Comp, lock.Loc, l.entry.Graph, r.Node, l.next.Fn, begin, around)
		return f, f.Edits != nil
	}
	if slices.ContainsFunc(append(steps, component.Access{Node: l.next}), func(a component.Access) bool { return len(a.Locks) > 0 }) {
		return rule.Fix{}, false
	}
	var name string
	walk := component.Access{Entry: l.entry, ID: l.id, Node: l.next}
	f.Edits, name = remedy.ShareAround(walk, rule.Text(l.next, container.Value), stmts, l.st.Comp, steps)
	f.Description = "hold " + name + " around the loop and wherever an entry is stored or removed"
	return f, f.Edits != nil
}

// heldBeside reports whether all steps outside of a loop hold a lock.
func (l *loop) heldBeside(lock *flow.Location, around *ast.For, steps []component.Access) bool {
	for _, a := range steps {
		if a.Fn == l.next.Fn && ast.Encloses(around, a.Src) {
			continue
		}
		if !slices.ContainsFunc(a.Locks, func(h *flow.Value) bool { return h.Loc == lock }) {
			return false
		}
	}
	return true
}

// mutates reports whether a step stores or removes entries.
func mutates(n *flow.Node) bool {
	switch n.Op {
	case flow.Put, flow.PutAll, flow.Del, flow.DelAll, flow.Clear:
		return true
	case flow.Read:
		return n.Mode&flow.Upsert != 0
	}
	return false
}

// source returns the statement that makes the iterator of a loop, and what that walks
// over: the loop itself, or the assignment of a variable that is bound nowhere else.
func (l *loop) source(around *ast.For) (ast.Stmt, ast.Expr) {
	over := walked(around.Iter)
	name, ok := over.(*ast.Name)
	if !ok {
		return around, over
	}
	b, home := l.next.Fn.Scope.Lookup(name.Id())
	if b == nil || home.Func != l.next.Fn || len(b.Defs) != 1 {
		return nil, nil
	}
	as, ok := b.Defs[0].Node.(*ast.Assign)
	if !ok || len(as.Targets) != 1 {
		return nil, nil
	}
	return as, walked(as.Value)
}

// walked strips what hands on one element after the other from what a loop walks over.
func walked(x ast.Expr) ast.Expr {
	call, ok := x.(*ast.Call)
	if !ok {
		return x
	}
	switch f := call.Func.(type) {
	case *ast.Name:
		switch f.Id() {
		case "iter", "enumerate", "reversed":
			if len(call.Args()) > 0 {
				return walked(call.Args()[0])
			}
		}
	case *ast.Attribute:
		switch f.Attr() {
		case "keys", "values", "items":
			if len(call.Args()) == 0 {
				return f.Value
			}
		}
	}
	return x
}

// fromTheEnd suggests to walk backwards over a snapshot, for a loop that counts along and
// removes from the list what stands at the count: what is still to come keeps its place.
func (l *loop) fromTheEnd(around *ast.For, src ast.Expr) (rule.Fix, bool) {
	p, ok := l.removedAt(around, src)
	if !ok || p.leaves || l.rebound("enumerate") || l.rebound("reversed") || l.rebound("list") {
		return rule.Fix{}, false
	}
	f := rule.Fix{Description: "walk backwards over a snapshot", Safety: report.SafetySafe}
	if ordered(around.Body) {
		f.Safety = report.SafetyReview
	}
	f.Edits = []patch.Edit{patch.NewEditor(l.next.Mod.AST).ReplaceExpr(around.Iter, "reversed(list("+rule.Text(l.next, around.Iter)+"))")}
	return f, true
}

// afterwards is fromTheEnd for a loop that has to begin at the front, since it may be left
// on the way: what it comes to is removed after it.
func (l *loop) afterwards(around *ast.For, src ast.Expr) (rule.Fix, bool) {
	p, ok := l.removedAt(around, src)
	gone, at := remedy.FreshVar(l.next.Fn, "gone", "removed", "dropped"), remedy.FreshVar(l.next.Fn, "place", "at", "position")
	if !ok || p.stmt == nil || gone == "" || at == "" || l.rebound("reversed") || remedy.Commented(l.next.Mod, int(p.stmt.Pos()), int(p.stmt.End())) {
		return rule.Fix{}, false
	}
	ed := patch.NewEditor(l.next.Mod.AST)
	edits, err := ed.InsertBefore(around, gone+" = []")
	if err != nil {
		return rule.Fix{}, false
	}
	kept, err := ed.ReplaceStmts([]ast.Stmt{p.stmt}, gone+".append("+p.name+")")
	if err != nil {
		return rule.Fix{}, false
	}
	removed, err := ed.InsertAfter(around, "for "+at+" in reversed("+gone+"):", "\tdel "+rule.Text(l.next, src)+"["+at+"]")
	if err != nil {
		return rule.Fix{}, false
	}
	edits = append(append(edits, kept...), removed...)
	patch.Sort(edits)
	return rule.Fix{Description: "remove after the loop what it comes to", Safety: report.SafetyReview, Edits: edits}, true
}

// A placed is a removal by the place that a loop has come to.
type placed struct {
	name   string   // of the variable that holds the place
	stmt   ast.Stmt // that removes and does nothing else; may be nil
	leaves bool     // the loop may be left before it has come to the end
}

// removedAt returns the removal of the element at the place that a loop has come to, where
// its body does nothing else with the list but to look at that element, and removes it once
// in a turn. What leaves the function, or goes round within the body, or binds the place,
// would do something else in another order.
func (l *loop) removedAt(around *ast.For, src ast.Expr) (p placed, ok bool) {
	call, ok := around.Iter.(*ast.Call)
	if !ok || l.next.Loc.Type.Kind != program.List || len(call.Args()) != 1 || len(call.Keywords()) > 0 || call.Args()[0] != src {
		return p, false
	}
	target, ok := around.Target.(*ast.Tuple)
	if f, is := call.Func.(*ast.Name); !is || f.Id() != "enumerate" || !ok || len(target.Elts) != 2 {
		return p, false
	}
	place, ok := target.Elts[0].(*ast.Name)
	if !ok {
		return p, false
	}
	p.name = place.Id()
	list, removed := rule.Text(l.next, src), false
	here := map[ast.Expr]bool{}   // the list in list[place] and list.pop(place)
	places := map[ast.Expr]bool{} // the place in these
	at := func(x ast.Expr) bool {
		name, is := x.(*ast.Name)
		return is && name.Id() == p.name
	}
	remove := func() {
		ok = ok && !removed
		removed = true
	}
	for _, st := range around.Body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Break:
				p.leaves = true
			case *ast.Return, *ast.Raise, *ast.For, *ast.While, *ast.FunctionDef, *ast.Lambda, *ast.Yield, *ast.YieldFrom, *ast.Await:
				ok = false
			case *ast.Delete:
				if sub, is := x.Targets[0].(*ast.Subscript); is && len(x.Targets) == 1 && rule.Text(l.next, sub.Value) == list {
					p.stmt = x
				}
			case *ast.ExprStmt:
				if pop, is := x.Value.(*ast.Call); is && l.pops(pop, list) {
					p.stmt = x
				}
			case *ast.Subscript:
				if rule.Text(l.next, x.Value) == list && at(x.Slice) {
					here[x.Value] = !removed // afterwards it is another element
					places[x.Slice] = true
					if x.Ctx == ast.Del {
						remove()
					}
				}
			case *ast.Call:
				if l.pops(x, list) && at(x.Args()[0]) {
					here[x.Func.(*ast.Attribute).Value] = true
					places[x.Args()[0]] = true
					remove()
				}
			case *ast.Name:
				if at(x) && !places[x] { // what is told of the place depends on the order
					ok = false
				}
			}
			if x, is := n.(ast.Expr); is && rule.Text(l.next, x) == list {
				ok = ok && here[x]
				return false
			}
			return ok
		})
	}
	return p, ok && removed
}

// pops reports whether a call removes from a list what stands at its argument.
func (l *loop) pops(call *ast.Call, list string) bool {
	f, ok := call.Func.(*ast.Attribute)
	return ok && f.Attr() == "pop" && len(call.Args()) == 1 && rule.Text(l.next, f.Value) == list
}

// ordered reports whether it may matter in which order statements are executed for the
// elements of a list: they do more than to remove some of them.
func ordered(body []ast.Stmt) bool {
	found := false
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.If, *ast.Delete, *ast.Continue, *ast.Pass:
			case *ast.ExprStmt:
				call, ok := x.Value.(*ast.Call)
				if _, text := x.Value.(*ast.Constant); text {
					break
				}
				found = found || !ok || call.Callee() != "pop" || len(call.Args()) != 1
				return false
			case ast.Stmt:
				found = true
			case *ast.Call, *ast.NamedExpr:
				found = true
			}
			return !found
		})
	}
	return found
}
