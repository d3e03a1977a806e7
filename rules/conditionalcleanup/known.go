package conditionalcleanup

import (
	"errors"
	"slices"
	"strings"

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

// errPlace says that a removal and a guard are not in one block.
var errPlace = errors.New("removal and guard are not in one block")

// concludeKnown suggests to end a request that has no status yet, too, where the entry shows
// that there is one, and to let those who store the first status keep what they find. Without
// the first the event would be lost, without the second it would be overwritten. It is for a
// guard that asks for the status.
func (c *check) concludeKnown(cand candidate) []rule.Fix {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard, status := cand.guard.If(), cand.guard.Read.Loc
	removal, ok := removalOf(d)
	if guard == nil || !ok || len(guard.Orelse) > 0 || status.Outer != nil || !c.st.IsMap(status) || w.Loc != status ||
		d.Loc.Outer != nil || d.Frame != cand.guard.Branch.Frame || d.Frame != cand.guard.Read.Frame {
		return nil
	}
	key := evidence.KeyArg(d)
	place := remedy.Ending{Facts: c.st, Func: d.Fn, Key: key, Locks: cand.guard.Branch.Locks, In: status}
	known, table := containerText(d), containerText(cand.guard.Read)
	if key == "" || known == "" || table == "" || !remedy.Plain(evidence.KeyExpr(d)) {
		return nil
	}
	if !c.goesWith(d.Loc, status) {
		return nil
	}
	ed := patch.NewEditor(d.Mod.AST)
	edits, test, err := knowing(ed, c.g, d, removal, guard, key, known)
	if err != nil {
		return nil
	}
	var more []patch.Edit
	switch {
	case leaves(guard, evidence.StatementIn(w, d.Fn)):
		if !slices.Contains(knownNames, test) || !c.restForUnknown(cand) {
			return nil
		}
		more = []patch.Edit{ed.ReplaceExpr(guard.Test, rule.Text(d, guard.Test)+" and not "+test)}
	case c.sameForUnknown(cand):
		more = []patch.Edit{ed.ReplaceExpr(guard.Test, rule.Text(d, guard.Test)+" or "+test)}
	default:
		lines := c.concluding(cand, place, table)
		if lines == nil {
			return nil
		}
		if more, err = ed.AddElif(guard, test, lines...); err != nil {
			return nil
		}
	}
	firsts, ok := c.keepFirst(status, d.Loc, w.Val)
	if !ok {
		return nil
	}
	edits = slices.Concat(more, edits, firsts) // what moves behind the guard comes behind its new part
	patch.Sort(edits)
	return []rule.Fix{{Description: "conclude the request even when it has no status yet", Safety: report.SafetyReview, Edits: edits}}
}

// containerText returns the container of a step as the source writes it there, or "".
func containerText(n *flow.Node) string {
	if x := remedy.ContainerOf(n.Src); x != nil && remedy.Plain(x) {
		return rule.Text(n, x)
	}
	return ""
}

// removalOf returns the statement of a removal, and reports whether it does nothing else, but
// to keep what it has removed: another one that stores a copy without the entry is one, too.
func removalOf(d *flow.Node) (ast.Stmt, bool) {
	as, ok := d.Stmt.(*ast.Assign)
	return remedy.Unit(d), evidence.StandsAlone(d) || ok && len(as.Targets) == 1 && (ast.Node(as) == d.Src || ast.Node(as.Value) == d.Src)
}

// concluding returns the lines that store what the guarded conclusion stores: a copy of it,
// or the store alone where it asks for a status once more. Behind a guard that asks for the
// status of requests that are not over, one that is there is kept.
func (c *check) concluding(cand candidate, place remedy.Ending, table string) []string {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	failed := remedy.Spelled(d.Mod, w.Val)
	if test := cand.guard.If().Test; !onlyMembership(test) {
		pending := place.Pending()
		if failed == "" || !strings.HasPrefix(pending, "== ") || !asksFor(d, test, strings.TrimPrefix(pending, "== ")) {
			return nil // what is false for others as well
		}
		return place.Locked(w.Loc, []string{table + ".setdefault(" + place.Key + ", " + failed + ")"})
	}
	more, ok := c.besides(cand)
	switch st := evidence.StatementIn(w, d.Fn); {
	case !ok:
	case st != nil && !c.asksAgain(cand) && slices.Contains(cand.guard.If().Body, st):
		if c.harmless(cand, []ast.Stmt{st}) {
			return append(evidence.Lines(d.Mod, st), more...)
		}
	case failed != "" && (st == nil || unconditional(d.Fn, st, cand.guard.If()) && c.onlyStores(st, d.Fn)):
		inner, ok := c.wakesWithin(cand)
		if !ok {
			return nil
		}
		more = append(more, inner...)
		return place.Locked(w.Loc, append([]string{table + "[" + place.Key + "] = " + failed}, more...))
	}
	return nil
}

// sameForUnknown reports whether all that a guard for the status governs, the conclusion and
// more, can be done for a request that has none yet: nothing in it fails without an entry.
func (c *check) sameForUnknown(cand candidate) bool {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard := cand.guard.If()
	st := evidence.StatementIn(w, d.Fn)
	if st == nil || !onlyMembership(guard.Test) || len(guard.Body) < 2 || c.asksAgain(cand) || !slices.Contains(guard.Body, st) {
		return false
	}
	return c.harmless(cand, guard.Body)
}

// restForUnknown reports whether all that comes behind a guard that leaves, the conclusion and
// more, can be done for a request that has no status yet. The guard asks for the status by
// a test alone, and what it has read is not used again.
func (c *check) restForUnknown(cand candidate) bool {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard := cand.guard.If()
	cmp, ok := guard.Test.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.NotIn && !isNone(cmp) {
		return false
	}
	block, _ := evidence.Block(d.Fn.Body(), guard)
	rest := block[slices.Index(block, ast.Stmt(guard))+1:]
	st := evidence.StatementIn(w, d.Fn)
	if !slices.Contains(rest, st) || c.asksAgain(cand) || !c.harmless(cand, rest) {
		return false
	}
	name, ok := cmp.Left.(*ast.Name)
	if !ok || cmp.Ops[0] == ast.NotIn {
		return cmp.Ops[0] == ast.NotIn || !remedy.Acts(cmp.Left) || ast.Node(cmp.Left) == cand.guard.Read.Src
	}
	used := false
	for _, s := range rest {
		ast.Inspect(s, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			used = used || ok && x.Id() == name.Id()
			return !used
		})
	}
	return !used
}

// isNone reports whether a comparison is one with None that holds for it.
func isNone(cmp *ast.Compare) bool {
	k, ok := cmp.Comparators[0].(*ast.Constant)
	return ok && cmp.Ops[0] == ast.Is && k.Kind() == ast.None
}

// leaves reports whether a guard leaves what is done for the key, up to another statement behind it.
func leaves(guard *ast.If, st ast.Stmt) bool {
	if st == nil || st.Pos() < guard.End() {
		return false
	}
	switch guard.Body[len(guard.Body)-1].(type) {
	case *ast.Return, *ast.Continue, *ast.Break:
		return true
	}
	return false
}

// wakesWithin returns the lines that wake who waits in the methods of one object through which the
// guarded conclusion is made, and reports whether all can be written where the guard is.
func (c *check) wakesWithin(cand candidate) ([]string, bool) {
	home := cand.guard.Branch.Frame
	var lines []string
	ok := true
	for fr := c.g.Nodes[cand.write].Frame; fr != nil && fr != home; fr = fr.Caller {
		call, isCall := fr.Call.(*ast.Call)
		for _, st := range fr.Fn.Body() {
			ast.Inspect(st, func(n ast.Node) bool {
				w, isStmt := n.(ast.Stmt)
				if !isStmt || !wakes(w) {
					return true
				}
				own := isCall && fr.Caller == home && len(fr.Fn.Params) > 0 && len(home.Fn.Params) > 0 && fr.Fn.Class != nil && fr.Fn.Params[0].Name == home.Fn.Params[0].Name
				ok = ok && own && on(call.Func, home.Fn.Params[0].Name) && on(w.(*ast.ExprStmt).Value.(*ast.Call).Func, home.Fn.Params[0].Name)
				lines = append(lines, evidence.Lines(fr.Fn.Module, w)...)
				return true
			})
		}
	}
	return lines, ok
}

// on reports whether an expression is an attribute of a variable, or of one of its attributes.
func on(e ast.Expr, name string) bool {
	for {
		at, ok := e.(*ast.Attribute)
		if !ok {
			return false
		}
		if x, ok := at.Value.(*ast.Name); ok {
			return x.Id() == name
		}
		e = at.Value
	}
}

// unconditional reports whether only critical sections are around a statement in an if statement.
func unconditional(f *program.Func, st ast.Stmt, guard *ast.If) bool {
	for {
		_, owner := evidence.Block(f.Body(), st)
		if owner == nil || owner == ast.Stmt(guard) {
			return true
		}
		if _, ok := owner.(*ast.With); !ok {
			return false
		}
		st = owner
	}
}

// onlyStores reports whether a statement, with what it calls, does nothing but to store, such as the
// reason beside the status.
func (c *check) onlyStores(st ast.Stmt, f *program.Func) bool {
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if s := evidence.StatementIn(n, f); s == nil || s.Pos() < st.Pos() || s.Pos() >= st.End() {
			continue
		}
		switch n.Op {
		case flow.Call, flow.Enqueue, flow.Spawn, flow.Raise:
			return false
		}
	}
	return true
}

// harmless reports whether statements can run for a request without a status: nothing in them
// fails without an entry or needs what it reads.
func (c *check) harmless(cand candidate, stmts []ast.Stmt) bool {
	d := &c.g.Nodes[cand.del]
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if s := evidence.StatementIn(n, d.Fn); s == nil || s.Pos() < stmts[0].Pos() || s.Pos() >= stmts[len(stmts)-1].End() {
			continue
		}
		switch {
		case n.Mode&flow.Strict != 0, n.Op == flow.Raise, n.Op == flow.Assert, n.Op == flow.Read && n.Key != nil, n.Op == flow.Del && !evidence.StandsAlone(n):
			return false
		}
	}
	return true
}

// besides returns the lines of what a guard governs besides the conclusion that a request without
// a status needs as well: who waits has to be woken. It reports whether the rest can be left
// out: removals of what comes with the status.
func (c *check) besides(cand candidate) ([]string, bool) {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	st := evidence.StatementIn(w, d.Fn)
	var lines []string
	for _, s := range cand.guard.If().Body {
		removes := slices.ContainsFunc(c.g.Nodes, func(n flow.Node) bool {
			return n.Op == flow.Del && n.Stmt == s && evidence.StandsAlone(&n)
		})
		switch {
		case wakes(s):
			lines = append(lines, evidence.Lines(d.Mod, s)...)
		case removes, st != nil && ast.Encloses(s, st):
		default:
			return nil, false
		}
	}
	return lines, true
}

// asksFor reports whether a test is one for equality with a status, the only one of requests
// that are not over.
func asksFor(d *flow.Node, test ast.Expr, live string) bool {
	cmp, ok := test.(*ast.Compare)
	return ok && len(cmp.Ops) == 1 && (cmp.Ops[0] == ast.Eq || cmp.Ops[0] == ast.Is) && rule.Text(d, cmp.Comparators[0]) == live
}

// asksAgain reports whether a function that the guarded conclusion is in, further in than the
// guard, asks for the status as well.
func (c *check) asksAgain(cand candidate) bool {
	w, home := &c.g.Nodes[cand.write], cand.guard.Branch.Frame
	for _, g := range c.g.Guards() {
		if c.g.Nodes[g.Read].Loc != w.Loc || !g.Holds {
			continue
		}
		for fr := w.Frame; fr != nil && fr != home; fr = fr.Caller {
			if c.g.Nodes[g.ID].Frame == fr {
				return true
			}
		}
	}
	return false
}

// knownNames are names for a variable that holds whether an entry was there.
var knownNames = []string{"known", "was_known", "had_entry"}

// knowing returns the edits after which a test, which it returns too, tells beside the guard
// whether the entry was there: the removal moves behind the guard, or a variable holds it.
func knowing(ed *patch.Editor, g *flow.Graph, d *flow.Node, removal ast.Stmt, guard *ast.If, key, known string) ([]patch.Edit, string, error) {
	block, _ := evidence.Block(d.Fn.Body(), removal)
	at, to := slices.Index(block, removal), slices.Index(block, ast.Stmt(guard))
	switch {
	case at >= 0 && to >= 0 && to < at && !touches(g, d, block[to:at]):
		return nil, key + " in " + known, nil
	case at >= 0 && to == at+1 && remedy.CanWait(g, d, d.Fn, removal, guard) && !jumps(guard) && !waits(guard):
		edits, err := ed.MoveAfter(guard, removal)
		return edits, key + " in " + known, err
	case at >= 0 && to > at: // in another critical section it would not tell of now
		name := remedy.FreshVar(d.Fn, knownNames...)
		if name == "" {
			break
		}
		edits, err := ed.InsertBefore(removal, name+" = "+key+" in "+known)
		return edits, name, err
	}
	return nil, "", errPlace
}

// touches reports whether statements access the container of a removal.
func touches(g *flow.Graph, d *flow.Node, stmts []ast.Stmt) bool {
	return slices.ContainsFunc(g.Nodes, func(n flow.Node) bool {
		if n.Loc == nil || n.Loc.Root() != d.Loc {
			return false
		}
		st := evidence.StatementIn(&n, d.Fn)
		return st != nil && slices.ContainsFunc(stmts, func(s ast.Stmt) bool { return ast.Encloses(s, st) })
	})
}

// waits reports whether others may run before a statement is done.
func waits(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Await, *ast.Yield, *ast.YieldFrom:
			found = true
		case *ast.With:
			found = found || n.Async
		case *ast.For:
			found = found || n.Async
		}
		return !found
	})
	return found
}

// jumps reports whether a statement can end what its function does here.
func jumps(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Return, *ast.Raise, *ast.Break, *ast.Continue:
			found = true
		}
		return !found
	})
	return found
}

// goesWith reports whether the entry of a container shows that a request is alive, and a status which
// of them it is about: whoever removes the status removes the entry as well. Where nobody removes
// the status, but a hook the entry, a key that comes again still has the last status.
func (c *check) goesWith(companion, status *flow.Location) bool {
	removed := false
	for _, a := range c.st.Comp.Accesses(status) {
		if a.Op != flow.Del || len(a.Path) > 0 {
			continue
		}
		removed = true
		g, with := a.Entry.Graph, int32(-1)
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op == flow.Del && n.Loc == companion && component.RootKey(n).Same(component.RootKey(a.Node)) {
				with = int32(i)
				break
			}
		}
		if with < 0 {
			return false
		}
	}
	return removed || !slices.ContainsFunc(c.st.Comp.Accesses(companion), func(a component.Access) bool {
		return a.Op == flow.Del && a.Entry != c.entry && evidence.IsHook(a.Entry)
	})
}

// keepFirst returns the edits that let whoever stores a status of a request that is not over keep
// the terminal one that is there, and reports whether all can: those whose request can have
// the entry before. The first store of a constant stores nothing where there is a status;
// any other asks for the terminal one.
func (c *check) keepFirst(status, companion *flow.Location, terminal *flow.Value) ([]patch.Edit, bool) {
	var edits []patch.Edit
	done := map[ast.Node]bool{}
	for _, a := range c.st.Comp.Accesses(status) {
		if a.Op == flow.PutAll || a.Op == flow.Rebind && a.Mode&(flow.Initial|flow.Filter) == 0 {
			return nil, false
		}
		if a.Op != flow.Put || a.Mode&(flow.Initial|flow.Update) != 0 || done[a.Src] || c.ends(a) || evidence.Requires(a, status) || c.otherHandle(a, companion) {
			continue
		}
		if evidence.RequiresAbsent(a, status) {
			if refuses(a, status) {
				return nil, false
			}
			continue
		}
		done[a.Src] = true
		more, ok := c.keeping(a, status, terminal)
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}

// refuses reports whether an entrypoint that stores the first status of a request raises where
// there is one.
func refuses(a component.Access, status *flow.Location) bool {
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if (n.Op == flow.Raise || n.Op == flow.Assert) && evidence.Requires(component.Access{Entry: a.Entry, ID: int32(i), Node: n}, status) {
			return true
		}
	}
	return false
}

// keeping returns the edits that let one store keep a terminal status.
func (c *check) keeping(a component.Access, status *flow.Location, terminal *flow.Value) ([]patch.Edit, bool) {
	st, ok := a.Stmt.(*ast.Assign)
	if !ok || len(st.Targets) != 1 {
		return nil, false
	}
	item, ok := st.Targets[0].(*ast.Subscript)
	if !ok || ast.Node(item) != a.Src || remedy.Commented(a.Mod, int(st.Pos()), int(st.End())) || status.Type.Kind != program.Dict {
		return nil, false
	}
	ed := patch.NewEditor(a.Mod.AST)
	table := rule.Primary(a.Node, item.Value)
	if c.alwaysStores(a) && c.first(a) && c.sole(a) {
		if c.calledAgain(a) {
			return nil, false
		}
		edits, err := ed.ReplaceStmts([]ast.Stmt{st}, table+".setdefault("+rule.Arg(a.Node, item.Slice)+", "+rule.Arg(a.Node, st.Value)+")")
		return edits, err == nil
	}
	over := remedy.Spelled(a.Mod, terminal)
	if over == "" || !remedy.Plain(item.Slice) || len(a.Locks) == 0 && c.st.Comp.Meet(c.entry, a) == component.Threads {
		return nil, false
	}
	edits, err := ed.WrapIf(table+".get("+rule.Text(a.Node, item.Slice)+") != "+over, st)
	return edits, err == nil
}

// first reports whether a store of a status is the first one in its handling of the key.
func (c *check) first(a component.Access) bool {
	it := evidence.IterationAround(a.Entry.Graph, a.ID, component.RootKey(a.Node))
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if n.Op == flow.Put && n.Loc == a.Loc && int32(i) != a.ID && component.RootKey(n).Same(component.RootKey(a.Node)) && it.Reaches(int32(i), a.ID) {
			return false
		}
	}
	return true
}

// sole reports whether no other status comes first than the one that a store stores: one that
// comes later, as for progress, must not yield to it.
func (c *check) sole(a component.Access) bool {
	return !slices.ContainsFunc(c.st.Comp.Accesses(a.Loc), func(o component.Access) bool {
		return o.Op == flow.Put && o.Mode&(flow.Initial|flow.Update) == 0 && !o.Val.Same(a.Val) && !c.ends(o) &&
			!evidence.Requires(o, a.Loc) && c.first(o)
	})
}

// calledAgain reports whether the store is in a method that others can call as well as what calls
// it here: one of them may begin the request anew, whatever the last one has ended with.
func (c *check) calledAgain(a component.Access) bool {
	fr := a.Entry.Graph.Nodes[a.ID].Frame
	return fr.Caller != nil && evidence.IsHook(a.Entry) && !strings.HasPrefix(fr.Fn.Name, "_") && fr.Fn.Class != nil
}

// alwaysStores reports whether a statement stores one constant, whoever comes to it.
func (c *check) alwaysStores(a component.Access) bool {
	return a.Val != nil && a.Val.Kind == flow.Const && !slices.ContainsFunc(c.st.Comp.Accesses(a.Loc), func(o component.Access) bool {
		return o.Src == a.Src && !o.Val.Same(a.Val)
	})
}

// ends reports whether all that a store can store is terminal.
func (c *check) ends(a component.Access) bool {
	return a.Val != nil && !slices.ContainsFunc(a.Val.Leaves(), func(v *flow.Value) bool { return !c.st.Terminal(v) })
}

// otherHandle reports whether a store is made by the constructor of handles that have no entry in
// a container, as the constructors of others make them.
func (c *check) otherHandle(a component.Access, companion *flow.Location) bool {
	if a.Entry.Role != flow.Init {
		return false
	}
	made := map[ast.Node]bool{} // by constructors
	for _, p := range c.st.Comp.Accesses(companion) {
		if p.Op == flow.Put && p.Mode&flow.Initial == 0 && p.Entry.Role == flow.Init && p.Entry != a.Entry {
			made[p.Src] = true
		}
	}
	return len(made) > 0 && !slices.ContainsFunc(c.st.Comp.Accesses(companion), func(p component.Access) bool {
		return p.Op == flow.Put && p.Mode&flow.Initial == 0 && len(p.Path) == 0 && !made[p.Src]
	})
}
