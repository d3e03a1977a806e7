package keymap

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// A guard is a condition that holds whenever a step runs.
type guard struct {
	text string
	// member reports whether it tells that a container has the key of the step,
	// or has not.
	member bool
	// local reports whether it stands in the function of the step.
	local bool
}

// best returns the text of the guard that says most about an access: a test of
// membership, then the nearest condition in its function, then in a caller.
func best(guards []guard) string {
	for _, fits := range []func(guard) bool{
		func(g guard) bool { return g.member && g.local },
		func(g guard) bool { return g.local },
		func(g guard) bool { return true },
	} {
		if i := slices.IndexFunc(guards, fits); i >= 0 {
			return guards[i].text
		}
	}
	return ""
}

// guardsOf returns the conditions that dominate a step, nearest first.
func (m *mapper) guardsOf(g *flow.Graph, id int32) []guard {
	d := m.guards[g]
	if d == nil {
		d = newDominance(g)
		m.guards[g] = d
	}
	n := &g.Nodes[id]
	var out []guard
	for at := id; at != flow.StartNode && d.up[at] >= 0; at = d.up[at] {
		b := d.up[at]
		branch := &g.Nodes[b]
		if branch.Op != flow.Branch || branch.Src == nil {
			continue
		}
		e, ok := d.side(b, at)
		if !ok {
			continue
		}
		x := guard{text: condition(branch, e.Kind == flow.True), local: branch.Frame == n.Frame}
		if p, ok := g.Presence(b, e); ok && n.Key.Same(g.Nodes[p.Read].Key) {
			x.member = true
		}
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// condition returns what holds on one side of a branch, in the words of the
// source.
func condition(branch *flow.Node, yes bool) string {
	text := rule.Text(branch, branch.Src)
	c, ok := branch.Src.(*ast.Compare)
	if !ok || len(c.Ops) > 1 {
		switch {
		case yes:
			return text
		case ok:
			return "not (" + text + ")"
		}
		return "not " + text
	}
	op := c.Ops[0]
	// A branch tests for membership, equality and being less; the sides of the
	// opposites are exchanged.
	switch op {
	case ast.NotIn, ast.NotEq, ast.IsNot, ast.GtE, ast.LtE:
		yes = !yes
	}
	if yes {
		return text
	}
	return rule.Text(branch, c.Left) + " " + opposite[op] + " " + rule.Text(branch, c.Comparators[0])
}

// opposite maps operators to their opposites as the source writes them.
var opposite = map[ast.CmpOp]string{
	ast.In: "not in", ast.NotIn: "in", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is",
	ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
}

// dominance tells which steps every way to a step has passed.
type dominance struct {
	g  *flow.Graph
	up []int32 // the immediate dominator, -1 for steps that are not reached
	// number is the place of a step in a postorder walk.
	number []int32
}

// newDominance computes the dominators of a graph with the method of Cooper,
// Harvey and Kennedy (A Simple, Fast Dominance Algorithm).
func newDominance(g *flow.Graph) *dominance {
	d := &dominance{g: g, up: make([]int32, len(g.Nodes)), number: make([]int32, len(g.Nodes))}
	order := d.postorder()
	for i := range d.up {
		d.up[i] = -1
	}
	d.up[flow.StartNode] = flow.StartNode
	for changed := true; changed; {
		changed = false
		for k := len(order) - 2; k >= 0; k-- {
			x := order[k]
			at := int32(-1)
			for _, p := range g.Nodes[x].Pred {
				switch {
				case d.up[p] < 0:
				case at < 0:
					at = p
				default:
					at = d.meet(at, p)
				}
			}
			if at != d.up[x] {
				d.up[x] = at
				changed = true
			}
		}
	}
	return d
}

func (d *dominance) meet(a, b int32) int32 {
	for a != b {
		for d.number[a] < d.number[b] {
			a = d.up[a]
		}
		for d.number[b] < d.number[a] {
			b = d.up[b]
		}
	}
	return a
}

// postorder numbers the steps that are reached, and returns them in that order;
// the start is the last one.
func (d *dominance) postorder() []int32 {
	type frame struct{ node, next int32 }
	var order []int32
	seen := make([]bool, len(d.g.Nodes))
	stack := []frame{{flow.StartNode, 0}}
	seen[flow.StartNode] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if succ := d.g.Nodes[top.node].Succ; int(top.next) < len(succ) {
			to := succ[top.next].To
			top.next++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, frame{to, 0})
			}
			continue
		}
		d.number[top.node] = int32(len(order))
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	return order
}

// side returns the edge by which every way from a branch to a step that it
// immediately dominates leaves the branch, if there is one: the step is its
// target, and what else leads there comes from the step itself.
func (d *dominance) side(branch, step int32) (flow.Edge, bool) {
	var side flow.Edge
	found := false
	for _, e := range d.g.Nodes[branch].Succ {
		if e.To == step && e.Kind != flow.Exc {
			if found {
				return flow.Edge{}, false
			}
			side, found = e, true
		}
	}
	if !found {
		return flow.Edge{}, false
	}
	for _, p := range d.g.Nodes[step].Pred {
		if p != branch && d.up[p] >= 0 && !d.dominates(step, p) {
			return flow.Edge{}, false
		}
	}
	return side, true
}

func (d *dominance) dominates(a, b int32) bool {
	for b != a && b != flow.StartNode {
		b = d.up[b]
	}
	return b == a
}

// GuardsAt returns the conditions that hold whenever a step runs, nearest first,
// in the words of the source.
func GuardsAt(g *flow.Graph, id int32) []string {
	m := mapper{guards: map[*flow.Graph]*dominance{}}
	var out []string
	for _, x := range m.guardsOf(g, id) {
		if !slices.Contains(out, x.text) {
			out = append(out, x.text)
		}
	}
	return out
}
