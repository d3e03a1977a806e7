package checkthenact

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests what the only group of a cause suggests, or one fix that treats
// each of its groups, and a lock around all of them. The groups must not overlap: the
// names that they give to what they look up may be the same.
func (c *cause) fixes() []rule.Fix {
	var out []rule.Fix
	if len(c.groups) == 1 {
		out = c.groups[0].fixes()
	} else if f, ok := c.each(); ok {
		out = append(out, f)
	}
	if f, ok := c.guarded(); ok {
		out = append(out, f)
	}
	if f, ok := c.shared(); ok {
		out = append(out, f)
	}
	return out
}

// shared suggests a lock of its own for a container that is changed by what rests on the
// test, which must not find another entry than was tested.
func (c *cause) shared() (rule.Fix, bool) {
	u := c.groups[0].uses[0]
	var steps []component.Access
	seen := map[ast.Node]bool{}
	for _, g := range c.groups {
		for _, v := range g.uses {
			sub, ok := v.lapse.Access.Src.(*ast.Subscript)
			if !ok || sub.Ctx != ast.Store || v.lapse.Rival == nil || len(v.lapse.Rival.Locks) > 0 || len(v.lapse.Access.Locks) > 0 {
				return rule.Fix{}, false
			}
			seen[v.lapse.Access.Src] = true
			steps = append(steps, v.lapse.Access)
		}
	}
	for _, a := range u.st.Comp.Accesses(u.lapse.Access.Loc) {
		if (a.Op == flow.Put || evidence.Removes(a.Node)) && a.Mode&flow.Initial == 0 && !seen[a.Src] {
			seen[a.Src] = true
			steps = append(steps, a)
		}
	}
	edits, name := remedy.Share(u.st.Comp, steps)
	if len(edits) == 0 {
		return rule.Fix{}, false
	}
	return rule.Fix{Description: "hold " + name + " wherever an entry is stored or removed", Safety: report.SafetyReview, Edits: edits}, true
}

// each suggests one fix that treats each group.
func (c *cause) each() (rule.Fix, bool) {
	out := rule.Fix{Description: "take an absent entry into account at each place", Safety: report.SafetySafe}
	for _, g := range c.groups {
		f, ok := g.bound()
		if !ok {
			f, ok = g.tolerant()
		}
		if !ok || len(out.Edits) > 0 && !after(f.Edits, out.Edits) {
			return rule.Fix{}, false
		}
		if f.Safety != report.SafetySafe {
			out.Safety = f.Safety
		}
		out.Edits = append(out.Edits, f.Edits...)
	}
	return out, true
}

// after reports whether edits stand behind other ones in the same file; both are
// sorted.
func after(edits, others []patch.Edit) bool {
	last := others[len(others)-1]
	return edits[0].File == last.File && edits[0].Start >= last.End
}

// fixes suggests to look the entry up once, to make every use of the group
// tolerant, and to hold the lock of the rival around all of them.
func (g *group) fixes() []rule.Fix {
	var out []rule.Fix
	if f, ok := g.bound(); ok {
		out = append(out, f)
	}
	if f, ok := g.tolerant(); ok {
		out = append(out, f)
	}
	if f, ok := g.lookedUp(); ok {
		out = append(out, f)
	}
	if f, ok := g.answered(); ok {
		out = append(out, f)
	}
	if f, ok := g.putBack(); ok {
		out = append(out, f)
	}
	if f, ok := g.locked(); ok {
		out = append(out, f)
	}
	return out
}

// guarded suggests a lock of its own for a container that the function alone uses.
func (c *cause) guarded() (rule.Fix, bool) {
	group := c.groups[len(c.groups)-1]
	u, last := c.groups[0].uses[0], group.uses[len(group.uses)-1]
	if u.lapse.Own != 0 || last.entry != u.entry {
		return rule.Fix{}, false
	}
	check := component.Access{Entry: u.entry, ID: u.lapse.Check.ID, Node: &u.entry.Graph.Nodes[u.lapse.Check.ID]}
	edits, name := remedy.Guard(u.st.Comp, check, last.lapse.Access)
	if len(edits) == 0 {
		return rule.Fix{}, false
	}
	return rule.Fix{Description: "hold " + name + " from the test to the last use", Safety: report.SafetyReview, Edits: edits}, true
}

// lookedUp suggests to look the entry up before the statement that reads it, and to
// leave where it is not there.
func (g *group) lookedUp() (rule.Fix, bool) {
	u := g.uses[0]
	edits := remedy.LookUp(u.lapse.Access.Node)
	if len(g.uses) != 1 || edits == nil || u.site.Src != u.lapse.Access.Src {
		return rule.Fix{}, false
	}
	return rule.Fix{Description: "look the entry up and leave when it is absent", Safety: report.SafetyReview, Edits: edits}, true
}

// putBack suggests to store an entry that was just taken out where it is to be moved to
// the end.
func (g *group) putBack() (rule.Fix, bool) {
	u := g.uses[0]
	n := u.lapse.Access.Node
	call, ok := n.Src.(*ast.Call)
	if !ok || len(g.uses) != 1 || u.lapse.Own == 0 || len(call.Args()) != 1 {
		return rule.Fix{}, false
	}
	at, ok := call.Func.(*ast.Attribute)
	st, alone := n.Stmt.(*ast.ExprStmt)
	taken, assigned := u.entry.Graph.Nodes[u.lapse.Own].Stmt.(*ast.Assign)
	if !ok || !alone || !assigned || at.Attr() != "move_to_end" || len(taken.Targets) != 1 || taken.Value != u.entry.Graph.Nodes[u.lapse.Own].Src {
		return rule.Fix{}, false
	}
	name, ok := taken.Targets[0].(*ast.Name)
	if !ok {
		return rule.Fix{}, false
	}
	text := rule.Text(n, at.Value) + "[" + rule.Text(n, call.Args()[0]) + "] = " + name.Id()
	edits, err := patch.NewEditor(n.Mod.AST).ReplaceStmts([]ast.Stmt{st}, text)
	return rule.Fix{Description: "put back what was taken out", Safety: report.SafetyReview, Edits: edits}, err == nil
}

// answered suggests that a function which looks the entry up answers None without it.
func (g *group) answered() (rule.Fix, bool) {
	u := g.uses[0]
	if len(g.uses) != 1 || u.site.Src == u.lapse.Access.Src {
		return rule.Fix{}, false
	}
	edits := remedy.Getter(u.st.Comp, u.lapse.Access.Node)
	return rule.Fix{Description: "answer None when the entry is absent", Safety: report.SafetyReview, Edits: edits}, edits != nil
}

// bound suggests to look the entry up once, and to make its removals tolerant.
func (g *group) bound() (rule.Fix, bool) {
	u := g.uses[0]
	if u.lapse.Own != 0 {
		return rule.Fix{}, false
	}
	var reads []remedy.Read
	var removals group
	for _, v := range g.uses {
		if v.entry != u.entry {
			return rule.Fix{}, false
		}
		if v.lapse.Access.Op == flow.Del {
			removals.uses = append(removals.uses, v)
			continue
		}
		reads = append(reads, remedy.Read{Step: v.lapse.Access.ID, Expr: v.site.Src})
	}
	edits := remedy.Bind(u.entry.Graph, u.lapse.Check.ID, reads)
	f := rule.Fix{Description: "look the entry up once and keep it", Safety: report.SafetySafe, Edits: edits}
	if edits == nil {
		return f, false
	}
	if len(removals.uses) > 0 {
		more, ok := removals.tolerant()
		if !ok {
			return f, false
		}
		f.Description += ", and remove it if it is still there"
		f.Edits = append(f.Edits, more.Edits...)
		patch.Sort(f.Edits)
		f.Safety = more.Safety
	}
	if u.mayHoldNone() || g.stale() || g.storesBack() {
		f.Safety = report.SafetyReview
	}
	return f, true
}

// stale reports whether something that takes time comes between the check and a use:
// who waits there may want what is in the container afterwards.
func (g *group) stale() bool {
	for _, u := range g.uses {
		if u.lapse.Access.Op != flow.Del && u.entry.Graph.Lingers(u.lapse.Check.ID, u.lapse.Access.ID) {
			return true
		}
	}
	return false
}

// storesBack reports whether a statement that reads the entry stores it as well: with the
// exception goes what has kept an entry that was removed from coming back.
func (g *group) storesBack() bool {
	for _, u := range g.uses {
		a := u.lapse.Access
		for i := range u.entry.Graph.Nodes {
			n := &u.entry.Graph.Nodes[i]
			if n.Op == flow.Put && n.Loc == a.Loc && n.Stmt == a.Stmt && n.Stmt != nil && n.Key.Same(a.Key) {
				return true
			}
		}
	}
	return false
}

// mayHoldNone reports whether None is stored in the container, so that a test for
// None does not tell whether the entry is there.
func (u use) mayHoldNone() bool {
	for _, a := range u.st.Comp.Accesses(u.lapse.Access.Loc) {
		if a.Op != flow.Put || a.Val == nil {
			continue
		}
		for _, leaf := range a.Val.Leaves() {
			if leaf.IsNone() {
				return true
			}
		}
	}
	return false
}

func (g *group) tolerant() (rule.Fix, bool) {
	f := rule.Fix{Description: "take an absent entry into account in one step", Safety: report.SafetySafe}
	seen := map[ast.Node]bool{}
	for _, u := range g.uses {
		n := u.lapse.Access.Node
		if seen[n.Src] {
			continue
		}
		seen[n.Src] = true
		edits, safety := remedy.Tolerant(n)
		if edits == nil || u.site.Src != n.Src {
			return rule.Fix{}, false
		}
		if safety != report.SafetySafe {
			f.Safety = safety
		}
		f.Edits = append(f.Edits, edits...)
	}
	patch.Sort(f.Edits)
	return f, true
}

func (g *group) locked() (rule.Fix, bool) {
	u := g.uses[0]
	r := u.lapse.Rival
	if r == nil || len(r.Locks) == 0 {
		return rule.Fix{}, false
	}
	last := g.uses[len(g.uses)-1].site
	from := evidence.SiteFor(u.before(), u.lapse.Access.Node)
	if from.Fn != u.site.Fn || last.Fn != u.site.Fn {
		return rule.Fix{}, false
	}
	for _, lock := range r.Locks {
		if lock.Loc == nil || heldAt(u.lapse.Access.Node, lock.Loc) {
			continue
		}
		edits := remedy.Hold(u.st.Comp, lock.Loc, u.entry.Graph, u.lapse.Access.Node, u.site.Fn, from.Src, last.Src)
		if edits != nil {
			return rule.Fix{Description: "hold " + lock.Loc.Name + ", as the removal does", Safety: report.SafetyReview, Edits: edits}, true
		}
	}
	return rule.Fix{}, false
}

func heldAt(n *flow.Node, lock *flow.Location) bool {
	for _, l := range n.Locks {
		if l.Loc == lock {
			return true
		}
	}
	return false
}
