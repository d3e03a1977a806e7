package statusresurrection

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixesOf suggests what to do about the first store of a cause, which others may follow,
// or about each of them.
func (c *check) fixesOf(rs []revival) []rule.Fix {
	out := c.fixes(rs[0])
	if len(rs) == 1 || len(out) == 0 {
		return out
	}
	all := rule.Fix{Description: out[0].Description + ", at each place", Safety: report.SafetyReview}
	seen := map[ast.Stmt]bool{}
	for _, r := range rs {
		if seen[r.put.Stmt] {
			continue
		}
		seen[r.put.Stmt] = true
		f := c.fixes(r)
		if len(f) == 0 {
			return out
		}
		for _, e := range f[0].Edits {
			if !slices.Contains(all.Edits, e) {
				all.Edits = append(all.Edits, e)
			}
		}
	}
	patch.Sort(all.Edits)
	if len(seen) > 1 {
		out = append(out, all)
	}
	return out
}

// fixes suggests to ignore what comes for a request that is not known any more.
func (c *check) fixes(r revival) []rule.Fix {
	p := r.put
	if r.known.Node == r.del.Node {
		removers := []component.Access{r.del}
		for _, d := range c.life(p.Loc).removals {
			if d.Entry != p.Entry && c.endsUnseen(p, d) && !slices.ContainsFunc(removers, func(a component.Access) bool { return a.Stmt == d.Stmt }) {
				removers = append(removers, d)
			}
		}
		var ends []removal
		for _, d := range removers {
			ended := evidence.KeyArg(d.Node)
			ends = append(ends, removal{d, ended, func(container string) string { return ended + " not in " + container }})
		}
		return markFix(p, c.clearedWith(r.del), evidence.KeyArg(p.Node), ends)
	}
	if slices.ContainsFunc(c.registrations(p.Loc), func(a component.Access) bool { return a.Entry != p.Entry && a.Src == p.Src }) {
		if first := c.firstWordFix(p); first != nil { // what asks elsewhere may leave out the registration as well
			return first
		}
	}
	if held := c.holdFix(r); held != nil {
		return held // the store has asked already
	}
	if dropped := c.dropFix(r); dropped != nil {
		return dropped
	}
	loc := c.tellingOf(r)
	if loc == nil {
		return nil
	}
	known := knownText(p.Node, loc)
	if known == "" {
		return nil
	}
	ed := patch.NewEditor(p.Mod.AST)
	if p.Op == flow.PutAll {
		return updateFix(ed, p, known)
	}
	key := evidence.KeyArg(p.Node)
	if key == "" {
		return nil
	}
	if c.onlyHere(r, loc) {
		return nil
	}
	early := c.orNotYet(p, loc)
	fix := rule.Fix{Description: "ignore what comes for a request that is not known" + early, Safety: report.SafetyReview}
	if fix.Edits = c.ignoreHeld(ed, r, key, known); fix.Edits != nil {
		return []rule.Fix{fix}
	}
	var without string
	if fix.Edits, without = c.ignore(ed, r, key, known, loc); fix.Edits == nil {
		return nil
	}
	switch {
	case without != "":
		fix.Description += ", without " + without
	case early == "" && p.Loc == loc && component.CommonLock(p.Node, r.del.Node) != nil:
		fix.Safety = report.SafetySafe
	}
	return []rule.Fix{fix}
}

// orNotYet returns what a title adds where a test in some container leaves out what comes before
// its request as well: a hook keeps that, or whoever sends it does not wait for one.
func (c *check) orNotYet(p component.Access, asked *flow.Location) string {
	if keeper := c.keepsEarly(p); keeper != "" {
		return ", or not yet, which " + keeper + " would keep"
	}
	if k := component.RootKey(p.Node); p.Loc != asked && k != nil && heardOf(p.Entry.Graph, k) && !c.announces(p) {
		return ", or not yet"
	}
	return ""
}

// keepsEarly returns the name of a hook that makes a request known, and keeps what it finds
// for it already: it counts on some of that to come before. "" when there is none.
func (c *check) keepsEarly(p component.Access) string {
	name := ""
	for _, a := range c.registrations(p.Loc) {
		switch {
		case a.Entry == p.Entry || a.Src == p.Src || c.concludes(a):
		case a.Mode&flow.Upsert != 0 || absentGuard(a) != nil:
			name = a.Entry.Name()
		default:
			return "" // it begins with nothing
		}
	}
	return name
}

// ignoreHeld suggests to ask under the lock of the removal, where the store holds none and
// nothing follows it up; nil where that is not so.
func (c *check) ignoreHeld(ed *patch.Editor, r revival, key, known string) []patch.Edit {
	p := r.put
	if len(p.Locks) > 0 || len(r.del.Locks) != 1 || r.del.Locks[0].Loc == nil || !storesOnly(p.Node) || absentGuard(p) != nil || c.restOf(r, p.Stmt).reads() {
		return nil
	}
	lock := r.del.Locks[0].Loc
	text := string(p.Mod.AST.Text(p.Stmt))
	held := remedy.LockText(lock, p.Node)
	if held == "" || strings.Contains(text, "\n") || remedy.Hold(c.st.Comp, lock, p.Entry.Graph, p.Node, p.Fn, p.Src, p.Src) == nil {
		return nil
	}
	edits, err := ed.ReplaceStmts([]ast.Stmt{p.Stmt}, "with "+held+":", "\tif "+key+" in "+known+":", "\t\t"+text)
	if err != nil {
		return nil
	}
	return edits
}

// holdFix suggests to take the lock at the removals under which the store has found that
// the request is known, or returns nil.
func (c *check) holdFix(r revival) []rule.Fix {
	p := r.put
	g := p.Entry.Graph
	for _, x := range g.Guards() {
		read := &g.Nodes[x.Read]
		if !x.Holds || p.Key == nil || read.Loc.Root() != p.Loc || !component.RootKey(read).Same(p.Key) || !g.Passes(x.Read, p.ID) {
			continue
		}
		for _, lock := range p.Locks {
			if lock.Loc == nil || !component.HeldThrough(g, x.Read, p.ID, lock.Loc) {
				continue
			}
			fix := rule.Fix{Description: "hold " + lock.Loc.Name + " where it is removed", Safety: report.SafetyReview}
			done := map[ast.Node]bool{}
			for _, d := range c.life(p.Loc).removals {
				if d.Entry == p.Entry || done[d.Src] || slices.ContainsFunc(d.Locks, func(v *flow.Value) bool { return v.Loc == lock.Loc }) {
					continue
				}
				done[d.Src] = true
				edits := remedy.Hold(c.st.Comp, lock.Loc, d.Entry.Graph, d.Node, d.Fn, d.Src, d.Src)
				if edits == nil {
					return nil
				}
				fix.Edits = append(fix.Edits, edits...)
			}
			if len(fix.Edits) > 0 {
				patch.Sort(fix.Edits)
				return []rule.Fix{fix}
			}
		}
	}
	return nil
}

// tellingOf returns the container to ask whether a request is known: one that has
// the key from its beginning, and that is cleared with the entry. What is first
// stored when a request ends tells nothing of one that goes on, and neither does what
// the way to the store has removed itself.
func (c *check) tellingOf(r revival) *flow.Location {
	var out *flow.Location
	for _, l := range c.clearedWith(r.del) {
		if gone(r.put, l) {
			continue
		}
		for _, a := range c.registrations(l) {
			if a.Entry == r.put.Entry || a.Src == r.put.Src || insteadOf(a, r.put.Entry) || sameProduct(a, r.put) {
				continue
			}
			switch fresh := !c.concludes(a); {
			case l == r.put.Loc && fresh:
				return l
			case c.st.IsMap(l) && (out == nil || !c.st.IsMap(out)), out == nil && fresh:
				out = l
			}
		}
	}
	return out
}

// gone reports whether an entrypoint may have removed the key of a store, or all, from a
// container before the store.
func gone(p component.Access, l *flow.Location) bool {
	g := p.Entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc != l || n.Op != flow.Del && n.Op != flow.Clear && n.Op != flow.DelAll || n.Op == flow.Del && !n.Key.Same(component.RootKey(p.Node)) && !n.Key.Same(p.Key) {
			continue
		}
		if n.Fn == p.Fn && n.Src != nil && p.Src != nil && n.Src.Pos() > p.Src.Pos() {
			continue
		}
		if g.Find(flow.Search{
			From: []int32{int32(i)}, After: true, Blind: true, To: []int32{p.ID},
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == p.ID },
		}) != nil {
			return true
		}
	}
	return false
}

// ignore leaves before the store when the request is not known, or puts the store under the
// test, with whatever follows it up: what else comes behind it happens as before. It returns
// nil where the two cannot be told apart. Of what is left out, without is what somebody may
// wait for.
func (c *check) ignore(ed *patch.Editor, r revival, key, known string, loc *flow.Location) (edits []patch.Edit, without string) {
	p := r.put
	at := p.Stmt
	guard := absentGuard(p)
	if guard != nil {
		at = guard
	}
	rest := c.restOf(r, at)
	if guard == nil && storesOnly(p.Node) && !rest.reads() {
		edits, _ = ed.WrapIf(key+" in "+known, p.Stmt)
		return edits, ""
	}
	if answer := rest.answer(); answer != nil {
		without = rule.Text(p.Node, answer)
	}
	n, apart := rest.spans()
	ends := !apart && !rest.repeat && !rest.closes(at) // what the function does is about the request, then
	switch {
	case yieldsValue(p.Fn):
	case rest.all(), ends:
		if ends {
			without = "the rest of " + p.Fn.Name
		}
		if guard != nil && loc == p.Loc {
			edits, _ = ed.ReplaceStmts([]ast.Stmt{p.Stmt}, rest.leave)
		} else {
			edits, _ = ed.InsertBefore(at, "if "+key+" not in "+known+":", "\t"+rest.leave)
		}
		return edits, without
	}
	if !apart {
		return nil, ""
	}
	follow := rest.inner[:n]
	if guard == nil || loc != p.Loc {
		edits, _ = ed.WrapIf(key+" in "+known, append([]ast.Stmt{at}, follow...)...)
		return edits, without
	}
	if len(follow) == 0 || !onlyMakesEntry(guard, p.Stmt) {
		return nil, ""
	}
	gone, err := ed.Delete(guard)
	if err != nil {
		return nil, ""
	}
	under, err := ed.WrapIf(key+" in "+known, follow...)
	if err != nil {
		return nil, ""
	}
	return patch.Join(gone, under), without
}

// onlyMakesEntry reports whether a statement does nothing but store what a test has not found.
func onlyMakesEntry(guard, store ast.Stmt) bool {
	test, ok := guard.(*ast.If)
	return ok && len(test.Orelse) == 0 && len(test.Body) == 1 && test.Body[0] == store
}

// onlyHere reports whether a store concludes a request of which the entrypoint has found
// something: one that is not in the container to ask yet would not end any more.
func (c *check) onlyHere(r revival, asked *flow.Location) bool {
	p := r.put
	g := p.Entry.Graph
	if p.Op != flow.Put || !c.st.MayConclude(p.Node) {
		return false
	}
	group := c.st.Comp.Group(p.Loc)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		asks := n.Op == flow.Has || n.Op == flow.Read || n.Op == flow.Del && !statement(n)
		if asks && n.Loc != asked && n.Loc.Outer == nil && group.Has(n.Loc) && component.RootKey(n).Same(p.Key) && g.Passes(int32(i), p.ID) && c.filledWithout(n.Loc, p.Entry, asked) {
			return true
		}
	}
	return false
}

// filledWithout reports whether some other entrypoint stores requests in a container that it
// does not store in another one.
func (c *check) filledWithout(l *flow.Location, by *flow.Entry, other *flow.Location) bool {
	return slices.ContainsFunc(c.st.Comp.Accesses(l), func(a component.Access) bool {
		return a.Entry != by && stores(a.Node) && a.Mode&flow.Initial == 0 && !c.inserts(a.Entry, other)
	})
}

// absentGuard returns the statement that has found the container without the
// key when a store is only reached then, or nil.
func absentGuard(p component.Access) ast.Stmt {
	var at ast.Stmt
	it := evidence.IterationAround(p.Entry.Graph, p.ID, p.Key)
	free := it.Unguarded(p.ID, func(g evidence.Guard) bool {
		if g.Holds || !g.Certain || g.Read.Loc != p.Loc || !g.Read.Key.Same(p.Key) || g.Branch.Fn != p.Fn || g.Branch.Stmt.Pos() > p.Stmt.Pos() {
			return false
		}
		at = g.Branch.Stmt
		return true
	})
	if free != nil {
		return nil
	}
	return at
}

// storesOnly reports whether a store is a statement that yields no name and changes
// no number that a later statement reads back.
func storesOnly(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case *ast.ExprStmt:
		return true
	case *ast.Assign:
		for _, t := range st.Targets {
			if _, ok := t.(*ast.Subscript); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// knownText returns the container that knows the request, as the source would
// write it beside a store; "" when it is kept elsewhere.
func knownText(n *flow.Node, known *flow.Location) string {
	base := containerExpr(n)
	if base == nil {
		return ""
	}
	if n.Loc == known {
		return rule.Text(n, base)
	}
	at, ok := base.(*ast.Attribute)
	if !ok || known.Owner == nil || n.Loc.Owner == nil || !n.Loc.Owner.IsSubclass(known.Owner) && !known.Owner.IsSubclass(n.Loc.Owner) {
		return ""
	}
	return rule.Text(n, at.Value) + "." + known.Name
}

// containerExpr returns the expression of the container that a step stores in.
func containerExpr(n *flow.Node) ast.Expr {
	switch src := n.Src.(type) {
	case *ast.Subscript:
		return src.Value
	case *ast.Call:
		if at, ok := src.Func.(*ast.Attribute); ok {
			return at.Value
		}
	}
	return nil
}

// updateFix narrows d.update(x) to the keys that are still known. Where d itself would tell,
// nothing new would come into it; and what x is must be known to have keys.
func updateFix(ed *patch.Editor, p component.Access, known string) []rule.Fix {
	call, ok := p.Src.(*ast.Call)
	if !ok || len(call.Args()) != 1 || len(call.Keywords()) > 0 {
		return nil
	}
	if st, ok := p.Stmt.(*ast.ExprStmt); !ok || st.Value != call {
		return nil
	}
	into := containerExpr(p.Node)
	switch call.Args()[0].(type) {
	case *ast.Name, *ast.Attribute, *ast.Dict, *ast.DictComp:
	default:
		return nil // pairs have no items()
	}
	key, value := remedy.FreshVar(p.Fn, "key", "name", "known_key"), remedy.FreshVar(p.Fn, "value", "held", "known_value")
	if into == nil || rule.Text(p.Node, into) == known || key == "" || value == "" || remedy.Commented(p.Mod, int(p.Stmt.Pos()), int(p.Stmt.End())) {
		return nil
	}
	edits, err := ed.ReplaceStmts([]ast.Stmt{p.Stmt},
		"for "+key+", "+value+" in "+rule.Text(p.Node, call.Args()[0])+".items():",
		"\tif "+key+" in "+known+":",
		"\t\t"+rule.Text(p.Node, into)+"["+key+"] = "+value,
	)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "take only what concerns requests that are known", Safety: report.SafetyReview, Edits: edits}}
}
