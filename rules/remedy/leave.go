package remedy

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
)

// Finally returns the edits that make the statement around a node of a function run on
// every way out of those before it in its block, from the one around another node on: a try
// statement with a finally clause. It returns nil where the two are in no such order, and
// where the last statement is not tidy, may leave by itself or needs what the others compute.
func Finally(f *program.Func, from, last ast.Node, tidy func([]ast.Stmt) bool) []patch.Edit {
	block := Block(f.Body(), from, last)
	if len(block) < 2 || !ast.Encloses(block[0], from) || !ast.Encloses(block[len(block)-1], last) {
		return nil
	}
	body, end := block[:len(block)-1], block[len(block)-1]
	switch end.(type) {
	case *ast.ExprStmt, *ast.AugAssign, *ast.Assign, *ast.Delete, *ast.If, *ast.With:
	default:
		return nil
	}
	if !tidy([]ast.Stmt{end}) {
		return nil
	}
	return finallyOf(f, body, []ast.Stmt{end})
}

// Tidy returns a test of statements of a function: whether they do nothing, themselves or in
// what they call, but what gives holds for, and to read, to remove entries and to hold locks.
// Anything else, like an answer that all went well, does not belong in a finally clause.
func Tidy(g *flow.Graph, f *program.Func, gives func(*flow.Node) bool) func([]ast.Stmt) bool {
	return func(stmts []ast.Stmt) bool {
		for i := range g.Nodes {
			n := &g.Nodes[i]
			switch n.Op {
			case flow.Call:
				if n.Target == nil && tidying[n.Name] {
					continue
				}
			case flow.Put, flow.PutAll, flow.Rebind, flow.SetFlag, flow.Wait, flow.Sleep, flow.Join,
				flow.Enqueue, flow.Dequeue, flow.Spawn, flow.Yield:
			default:
				continue
			}
			if st := evidence.StatementIn(n, f); st != nil && ast.Covers(stmts, st) && !gives(n) {
				return false
			}
		}
		return true
	}
}

// tidying are calls of unknown code that only compute, or wake who waits for the end.
var tidying = map[string]bool{"max": true, "min": true, "int": true, "len": true, "notify": true, "notify_all": true}

// Rescue returns the edits that put the statements of a block, from the one around a node to
// the one before last, under a try statement whose handler runs some lines and raises
// again. The other statements that do what the lines do have to leave the function or the
// turn of a loop right after that. It returns nil for other forms.
func Rescue(f *program.Func, from, last ast.Stmt, others []ast.Stmt, handler string, lines []string) []patch.Edit {
	block := Block(f.Body(), from, last)
	if len(block) < 2 || !ast.Encloses(block[0], from) || block[len(block)-1] != last {
		return nil
	}
	body := block[:len(block)-1]
	for _, st := range others {
		if st != last && ast.Covers(body, st) && !leavesNext(body, st, false) {
			return nil
		}
	}
	clause := []string{handler}
	for _, l := range lines {
		clause = append(clause, "\t"+l)
	}
	edits, err := patch.NewEditor(f.Module.AST).WrapTry(body, append(clause, "\traise")...)
	if err != nil {
		return nil
	}
	return edits
}

// leavesNext reports whether the statement after one, anywhere in some statements, leaves all
// of these without an exception. Out of a loop among them only a return does.
func leavesNext(stmts []ast.Stmt, st ast.Stmt, inLoop bool) bool {
	for i, s := range stmts {
		if s == st && i+1 < len(stmts) {
			switch stmts[i+1].(type) {
			case *ast.Return:
				return true
			case *ast.Continue, *ast.Break:
				return !inLoop
			}
		}
		if s == st || !ast.Encloses(s, st) {
			continue
		}
		switch s.(type) {
		case *ast.For, *ast.While:
			inLoop = true
		}
		return slices.ContainsFunc(blocks(s), func(b []ast.Stmt) bool {
			return len(b) > 0 && ast.Covers(b, st) && leavesNext(b, st, inLoop)
		})
	}
	return false
}

// FinallyYield is [Finally] for a generator that manages a with statement: all that comes
// after its yield, the only one, which stands alone.
func FinallyYield(f *program.Func, last ast.Node, tidy func([]ast.Stmt) bool) []patch.Edit {
	var yield ast.Stmt
	yields := 0
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if st, ok := n.(*ast.ExprStmt); ok {
			if _, ok := st.Value.(*ast.Yield); ok {
				yield = st
			}
		}
		if _, ok := n.(*ast.Yield); ok {
			yields++
		}
		return true
	})
	if yield == nil || yields != 1 {
		return nil
	}
	block := Block(f.Body(), yield, last)
	if len(block) < 2 || block[0] != yield || !tidy(block[1:]) {
		return nil
	}
	return finallyOf(f, block[:1], block[1:])
}

func finallyOf(f *program.Func, body, last []ast.Stmt) []patch.Edit {
	made := map[string]bool{}
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ctx() != ast.Load {
				made[x.Id()] = true
			}
			return true
		})
	}
	fits := true
	for _, st := range last {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Return, *ast.Break, *ast.Continue, *ast.Raise, *ast.Yield, *ast.YieldFrom:
				fits = false // what it does is more than to tidy up
			case *ast.Name:
				fits = fits && (n.Ctx() != ast.Load || !made[n.Id()])
			}
			return fits
		})
	}
	if !fits {
		return nil
	}
	edits, err := patch.NewEditor(f.Module.AST).WrapFinally(body, last)
	if err != nil {
		return nil
	}
	return edits
}

// JumpAt returns the jump that ends the block to which a walk leads from a branch, or nil:
// that of the side of an if statement, or of a case.
func JumpAt(g *flow.Graph, path *flow.Path, i int) ast.Stmt {
	n := &g.Nodes[path.Nodes[i]]
	switch st := n.Stmt.(type) {
	case *ast.If:
		return jumpOfIf(g, path, i, st)
	case *ast.Match:
		for _, c := range st.Cases {
			if n.Src != nil && ast.Encloses(c.Pattern, n.Src) && path.Edges[i].Kind == flow.True {
				return jumpAfter(c.Body)
			}
		}
	}
	return nil
}

// jumpOfIf returns the jump of the side of an if statement that a walk takes: the one with
// a step of the walk, or the only one with a jump.
func jumpOfIf(g *flow.Graph, path *flow.Path, i int, st *ast.If) ast.Stmt {
	yes, no := jumpAfter(st.Body), jumpAfter(st.Orelse)
	for _, id := range path.Nodes[i+1:] {
		src := g.Nodes[id].Src
		switch {
		case src == nil || g.Nodes[id].Fn != g.Nodes[path.Nodes[i]].Fn:
		case ast.Covers(st.Body, src):
			return yes
		case len(st.Orelse) > 0 && ast.Covers(st.Orelse, src):
			return no
		}
	}
	if yes == nil {
		return no
	}
	if no == nil {
		return yes
	}
	return nil
}

// jumpAfter returns the jump that ends a block, or nil.
func jumpAfter(block []ast.Stmt) ast.Stmt {
	if len(block) == 0 {
		return nil
	}
	last := block[len(block)-1]
	switch last.(type) {
	case *ast.Return, *ast.Continue, *ast.Break, *ast.Raise:
		return last
	}
	return nil
}
