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
		return markFix(p, evidence.KeyArg(p.Node), ends)
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
	if held := c.ignoreHeld(ed, r, key, known); held != nil {
		return held
	}
	edits, err := ignore(ed, p, key, known, loc)
	if err != nil {
		return nil
	}
	safety := report.SafetyReview
	if p.Loc == loc && component.CommonLock(p.Node, r.del.Node) != nil {
		safety = report.SafetySafe
	}
	description := "ignore what comes for a request that is not known"
	if k := component.RootKey(p.Node); p.Loc != loc && k != nil && heardOf(p.Entry.Graph, k) && !c.announces(p) {
		description += ", or not yet" // whoever sends it does not wait for that
	}
	return []rule.Fix{{Description: description, Safety: safety, Edits: edits}}
}

// ignoreHeld suggests to ask under the lock of the removal, where the store holds none and
// nothing follows it up; nil where that is not so.
func (c *check) ignoreHeld(ed *patch.Editor, r revival, key, known string) []rule.Fix {
	p := r.put
	if len(p.Locks) > 0 || len(r.del.Locks) != 1 || r.del.Locks[0].Loc == nil || !storesOnly(p.Node) || absentGuard(p) != nil {
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
	return []rule.Fix{{Description: "ignore what comes for a request that is not known", Safety: report.SafetyReview, Edits: edits}}
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

// ignore leaves before the store when the request is not known. A store that
// nothing follows up is put under the test instead.
func ignore(ed *patch.Editor, p component.Access, key, known string, loc *flow.Location) ([]patch.Edit, error) {
	leave := "return"
	if inLoop(p) {
		leave = "continue"
	}
	if guard := absentGuard(p); guard != nil {
		if loc == p.Loc {
			return ed.ReplaceStmts([]ast.Stmt{p.Stmt}, leave)
		}
		if guard != p.Stmt {
			return ed.InsertBefore(guard, "if "+key+" not in "+known+":", "\t"+leave)
		}
	}
	if storesOnly(p.Node) {
		return ed.WrapIf(key+" in "+known, p.Stmt)
	}
	return ed.InsertBefore(p.Stmt, "if "+key+" not in "+known+":", "\t"+leave)
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

// inLoop reports whether the statement of a step is in a loop of its function.
func inLoop(p component.Access) bool {
	found := false
	for _, st := range p.Fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if n.Pos() > p.Stmt.Pos() || n.End() < p.Stmt.End() {
				return false
			}
			switch n.(type) {
			case *ast.While, *ast.For:
				found = true
			case *ast.FunctionDef, *ast.Lambda:
				return false
			}
			return true
		})
	}
	return found
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
