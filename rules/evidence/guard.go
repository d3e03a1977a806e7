package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// A Guard is a test of whether a container has a key, and the side of it that a
// walk has taken.
type Guard struct {
	Branch *flow.Node // the branch, or the read that fails on an absent key
	Read   *flow.Node // the step whose result is tested
	ID     int32      // of Read
	// Holds reports whether the key is present on the side taken.
	Holds bool
}

// GuardAt returns the guard that a walk passes by leaving a step through an
// edge. A strict access that raises is one, too.
func GuardAt(g *flow.Graph, id int32, e flow.Edge) (Guard, bool) {
	n := &g.Nodes[id]
	if n.Op == flow.Read && n.Mode&flow.Strict != 0 {
		return Guard{Branch: n, Read: n, ID: id, Holds: e.Kind != flow.Exc}, n.Key != nil
	}
	if n.Op != flow.Branch || n.Val == nil {
		return Guard{}, false
	}
	at := Producer(g, n.Val)
	if at < 0 || g.Nodes[at].Key == nil {
		return Guard{}, false
	}
	r := &g.Nodes[at]
	yes := e.Kind == flow.True
	gd := Guard{Branch: n, Read: r, ID: at}
	switch {
	case r.Op == flow.Has && n.Test == flow.TestTruth:
		gd.Holds = yes
	case tolerant(r) && n.Test == flow.TestTruth && absentIsFalse(r):
		gd.Holds = yes
	case tolerant(r) && n.Test == flow.TestNone && (r.Def == nil || r.Def.IsNone()):
		gd.Holds = !yes
	case tolerant(r) && n.Test == flow.TestEq && n.Want != nil && differsFromDefault(r, n.Want):
		gd.Holds = yes
	default:
		return Guard{}, false
	}
	return gd, true
}

func tolerant(n *flow.Node) bool {
	return n.Op == flow.Read && n.Mode&(flow.Strict|flow.Upsert) == 0 || n.Op == flow.Del && n.Mode&flow.Strict == 0
}

// absentIsFalse reports whether the default of a read is false, so that truth
// implies presence.
func absentIsFalse(r *flow.Node) bool {
	return r.Def == nil || r.Def.IsNone() || r.Def.IsBool(false) || r.Def.HasInt && r.Def.Int == 0 || r.Def.Kind == flow.Object
}

// differsFromDefault reports whether an absent key never equals want.
func differsFromDefault(r *flow.Node, want *flow.Value) bool {
	if want.Kind != flow.Const {
		return false
	}
	return r.Def == nil || r.Def.Kind == flow.Const && r.Def.ID() != want.ID()
}

// Producer returns the step that yields a register, or -1.
func Producer(g *flow.Graph, v *flow.Value) int32 {
	if v == nil || v.Kind != flow.Result {
		return -1
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Res != nil && n.Res.Same(v) && n.Op != flow.Move {
			return int32(i)
		}
	}
	return -1
}

// Place returns the source of the condition.
func (g Guard) Place() rule.Place { return rule.AtStep(g.Branch) }

// Text returns the condition as it is written.
func (g Guard) Text() string { return rule.Text(g.Branch, g.Branch.Src) }

// If returns the if statement of the guard, or nil when it is another kind of
// statement.
func (g Guard) If() *ast.If {
	s, _ := g.Branch.Stmt.(*ast.If)
	return s
}
