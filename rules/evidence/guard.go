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
	// Certain reports that the key is absent when it does not hold.
	Certain bool
}

// GuardAt returns the guard that a walk passes by leaving a step through an
// edge. A strict access that raises is one, too.
func GuardAt(g *flow.Graph, id int32, e flow.Edge) (Guard, bool) {
	p, ok := g.Presence(id, e)
	if !ok || g.Nodes[id].Op == flow.Del {
		return Guard{}, false
	}
	return Guard{Branch: &g.Nodes[id], Read: &g.Nodes[p.Read], ID: p.Read, Holds: p.Holds, Certain: p.Certain}, true
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
