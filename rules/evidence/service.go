package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// ServiceLoop returns the head of the while loop, or loop over iter(f, end), that an
// entrypoint stays in, or -1: one without a condition, or else one after which it comes to
// its end. A loop that waits for something and goes on is none, nor one within another loop,
// nor one that goes round only when what it tries has failed.
func ServiceLoop(g *flow.Graph) int32 {
	found := int32(-1)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, body := LoopOf(n); n.Op != flow.LoopHead || body == nil || within(g, int32(i)) || !goesRound(g, int32(i)) {
			continue
		}
		if _, while := n.Src.(*ast.While); while && n.Mode&flow.Forever != 0 {
			return int32(i)
		}
		if found < 0 && last(g, int32(i)) {
			found = int32(i)
		}
	}
	return found
}

// goesRound reports whether a loop comes back to its head without an exception.
func goesRound(g *flow.Graph, head int32) bool {
	return g.Find(flow.Search{
		From: []int32{head}, After: true, Blind: true,
		Edge: func(_ *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc },
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == head },
	}) != nil
}

// LoopOf returns the condition and the body of the while loop whose head a step is; of a
// loop over iter(f, end), what it calls until then. The body is nil for other loops.
func LoopOf(head *flow.Node) (ast.Expr, []ast.Stmt) {
	switch loop := head.Src.(type) {
	case *ast.While:
		return loop.Test, loop.Body
	case *ast.For:
		if head.Mode&flow.Forever != 0 {
			return loop.Iter, loop.Body
		}
	}
	return nil, nil
}

// within reports whether the head of a loop lies in another loop.
func within(g *flow.Graph, head int32) bool {
	for _, h := range g.LoopsAround(head) {
		if h != head {
			return true
		}
	}
	return false
}

// last reports whether nothing is begun after a loop: no other loop, and no
// thread.
func last(g *flow.Graph, head int32) bool {
	return g.Find(flow.Search{
		From: []int32{head}, After: true, Blind: true, Edge: flow.AllEdges,
		Goal: func(id int32, n *flow.Node, _ flow.Facts) bool {
			return (n.Op == flow.Spawn || n.Op == flow.LoopHead || n.Op == flow.Next) && id != head && !Inside(n, &g.Nodes[head])
		},
	}) == nil
}

// Inside reports whether a step belongs to the statement of another one, perhaps
// in what that calls: to the body of a loop, if the other one is its head.
func Inside(n, head *flow.Node) bool {
	src := n.Src
	for fr := n.Frame; fr != nil && src != nil; fr = fr.Caller {
		if fr == head.Frame {
			return ast.Encloses(head.Src, src)
		}
		src = fr.Call
	}
	return false
}
