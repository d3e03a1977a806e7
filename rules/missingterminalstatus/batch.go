package missingterminalstatus

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// leftBatch looks for a break out of a loop over requests that the worker has
// taken out of a container at once: those that come after are dropped.
func (w *worker) leftBatch() []rule.Finding {
	source := evidence.WalkedFrom(w.key)
	if source == nil {
		return nil
	}
	swap := w.swaps(source)
	if swap < 0 {
		return nil
	}
	for _, h := range w.g.LoopsAround(w.end.ID) {
		head := &w.g.Nodes[h]
		loop, ok := head.Stmt.(*ast.For)
		if !ok || head.Op != flow.LoopHead || !head.Val.Same(w.key) || !w.leaves(h, source) {
			continue
		}
		var out []rule.Finding
		for _, b := range breaks(loop.Body) {
			why := "the rest of what it has taken out of " + source.Name + " is left behind"
			f := w.finding(rule.At(head.Mod, b), head.Fn.Qual, why, nil)
			f.Threat.Steps = []rule.Step{{Entry: w.entry, ID: swap, When: rule.Present}}
			out = append(out, f)
		}
		return out
	}
	return nil
}

// swaps returns where the worker takes the whole content of a container, or -1.
func (w *worker) swaps(l *flow.Location) int32 {
	for i := range w.g.Nodes {
		if n := &w.g.Nodes[i]; n.Op == flow.Rebind && n.Loc == l && n.Mode&flow.Swap != 0 {
			return int32(i)
		}
	}
	return -1
}

// leaves reports whether the body of a loop has a way to the end of the handling
// that does not come back to the head, nor puts anything back.
func (w *worker) leaves(head int32, source *flow.Location) bool {
	for _, e := range w.g.Nodes[head].Succ {
		if e.Kind != flow.True {
			continue
		}
		p := w.g.Find(flow.Search{
			From: []int32{e.To}, Blind: true, Stop: w.over, Edge: flow.AllEdges,
			Avoid: func(id int32, n *flow.Node) bool {
				return id == head || n.Loc == source && (n.Op == flow.Put || n.Op == flow.PutAll || n.Op == flow.Rebind)
			},
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return w.over(id) },
		})
		if p != nil {
			return true
		}
	}
	return false
}

// breaks returns the break statements that belong to the loop around a block.
func breaks(block []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, st := range block {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Break:
				out = append(out, n)
			case *ast.For, *ast.While, *ast.FunctionDef, *ast.Lambda:
				return false
			}
			return true
		})
	}
	return out
}
