package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// A Spot is a step as one function around it sees it: the step itself, or the
// call that leads to it.
type Spot struct {
	Frame *flow.Frame
	Src   ast.Node
	Stmt  ast.Stmt
}

// Meet returns two steps of one graph as the innermost function sees them that
// both belong to.
func Meet(a, b *flow.Node) (Spot, Spot) {
	for x := a.Frame; x != nil; x = x.Caller {
		for y := b.Frame; y != nil; y = y.Caller {
			if x == y {
				return spotIn(a, x), spotIn(b, x)
			}
		}
	}
	return Spot{a.Frame, a.Src, a.Stmt}, Spot{b.Frame, b.Src, b.Stmt}
}

func spotIn(n *flow.Node, f *flow.Frame) Spot {
	if n.Frame == f {
		return Spot{f, n.Src, n.Stmt}
	}
	for fr := n.Frame; fr != nil; fr = fr.Caller {
		if fr.Caller == f {
			return Spot{f, fr.Call, StatementAt(f.Fn, fr.Call)}
		}
	}
	return Spot{f, n.Src, n.Stmt}
}

// Place returns the source of the spot.
func (s Spot) Place() rule.Place { return rule.At(s.Frame.Fn.Module, s.Src) }

// Block returns the statements around a statement of a function, in the block
// that it belongs to, and the statement whose block that is; nil for the body of
// the function.
func Block(body []ast.Stmt, st ast.Stmt) (block []ast.Stmt, owner ast.Stmt) {
	for _, s := range body {
		if s == st {
			return body, nil
		}
	}
	for _, s := range body {
		for _, inner := range ast.Blocks(s) {
			if found, o := Block(inner, st); found != nil {
				if o == nil {
					o = s
				}
				return found, o
			}
		}
	}
	return nil, nil
}

// Logs reports whether a statement does nothing but write to a log.
func Logs(st ast.Stmt) bool {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.Value.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	return ok && len(call.Args()) > 0 && flow.Logs(at.Attr())
}
