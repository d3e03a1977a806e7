package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// none is what a tolerant read without a default yields.
var none = &flow.Value{Kind: flow.Const, Lit: ast.None}

// Absent returns what a tolerant read or removal yields for an absent key.
func Absent(r *flow.Node) *flow.Value {
	if r.Def != nil {
		return r.Def
	}
	return none
}

// Answers returns what an entrypoint returns on the walks from some steps, with
// the alternatives of each value apart. Edges that allowed refuses are not
// taken; nil allows those that do not depend on exceptions of unknown code.
func Answers(g *flow.Graph, from []int32, allowed func(*flow.Node, flow.Edge) bool) []*flow.Value {
	var out []*flow.Value
	seen := map[string]bool{}
	for _, id := range reached(g, from, allowed) {
		n := &g.Nodes[id]
		if n.Op != flow.Return || n.Val == nil {
			continue
		}
		for _, leaf := range n.Val.Leaves() {
			if !seen[leaf.ID()] {
				seen[leaf.ID()] = true
				out = append(out, leaf)
			}
		}
	}
	return out
}

// reached returns the steps that walks from some steps reach, these included,
// without regard to how branches depend on each other.
func reached(g *flow.Graph, from []int32, allowed func(*flow.Node, flow.Edge) bool) []int32 {
	if allowed == nil {
		allowed = flow.KnownEdges
	}
	seen := make([]bool, len(g.Nodes))
	var out []int32
	for _, id := range from {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	for i := 0; i < len(out); i++ {
		n := &g.Nodes[out[i]]
		for _, e := range n.Succ {
			if !seen[e.To] && allowed(n, e) {
				seen[e.To] = true
				out = append(out, e.To)
			}
		}
	}
	return out
}

// Reaches reports whether a walk leads from one step to another, without regard
// to how branches depend on each other.
func Reaches(g *flow.Graph, from, to int32, allowed func(*flow.Node, flow.Edge) bool) bool {
	if allowed == nil {
		return from == to || g.Leads(from, to, -1)
	}
	return from == to || g.Find(flow.Search{
		From: []int32{from}, Blind: true, Edge: allowed,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
	}) != nil
}

// WalkedFrom returns the container whose elements a loop takes a key from, or nil.
func WalkedFrom(key *flow.Value) *flow.Location {
	for v := key; v != nil; v = v.Base {
		if v.Kind == flow.Container {
			return v.Loc
		}
	}
	return nil
}
