package missingterminalstatus

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// A round is a loop over waiting requests that gathers those that go on waiting, and
// behind which alone they are stored:
//
//	moving = []
//	for transfer in self.transfers:
//	    ...
//	        moving.append(transfer)
//	self.transfers = moving
type round struct {
	fn    *program.Func
	raise *ast.Raise
	loop  *ast.For
	way   []ast.Stmt // the if statements from the body of the loop to the raise
	block []ast.Stmt // the loop stands in
	rest  []ast.Stmt // of the block, behind the loop
	kept  string     // the list of those that go on waiting
}

// finished suggests to let the round over the requests in a container finish, and to raise
// behind it what one of them has raised. That request leaves the container, since it has
// been told of; another one that has failed stays for the next round, which tells of it.
func finished(st *status.Facts, e *flow.Entry, raise *flow.Node, l *flow.Location) []rule.Fix {
	r := roundAround(raise)
	if r == nil || !r.straight() || !r.stores(e.Graph, l) || !r.plain() || r.tidies(e.Graph) || reliedOn(st, r.fn, l) {
		return nil
	}
	name := remedy.FreshVar(r.fn, "failed", "failure", "error")
	if name == "" {
		return nil
	}
	request := r.loop.Target.(*ast.Name).Id()
	ed := patch.NewEditor(r.fn.Module.AST)
	begin, err := ed.InsertBefore(r.loop, name+" = None")
	if err != nil {
		return nil
	}
	inner, _ := evidence.Block(r.fn.Body(), r.raise)
	before, err := ed.InsertBefore(inner[0], "if "+name+" is not None:", "\t"+r.kept+".append("+request+")", "\tcontinue")
	if err != nil {
		return nil
	}
	word := int(r.raise.Pos())
	remember := []patch.Edit{{File: r.fn.Module.AST.Name, Start: word, End: word + len("raise"), New: name + " ="}}
	after, err := ed.InsertAfter(r.raise, "continue")
	if err != nil {
		return nil
	}
	end, err := ed.InsertAfter(r.block[len(r.block)-1], "if "+name+" is not None:", "\traise "+name)
	if err != nil {
		return nil
	}
	return []rule.Fix{{
		Description: "finish the round, and raise behind it; one more that has failed waits for the next round",
		Safety:      report.SafetyReview,
		Edits:       patch.Join(begin, before, remember, after, end),
	}}
}

// roundAround returns the loop around a step that raises, or nil where what is behind the
// loop, or what an exception meets on its way out, does more than that.
func roundAround(n *flow.Node) *round {
	raise, ok := n.Stmt.(*ast.Raise)
	if !ok || n.Fn == nil || raise.Cause != nil || ast.Yields(n.Fn.Body()...) {
		return nil
	}
	if _, made := raise.Exc.(*ast.Call); !made {
		return nil // what a variable holds may be no exception
	}
	if src := n.Fn.Module.AST.Source; src[int(raise.Pos())+len("raise")] != ' ' {
		return nil
	}
	r := &round{fn: n.Fn, raise: raise}
	_, owner := evidence.Block(n.Fn.Body(), raise)
	for owner != nil && r.loop == nil {
		switch s := owner.(type) {
		case *ast.If:
			r.way = append(r.way, s)
		case *ast.For:
			r.loop = s
		default:
			return nil
		}
		if r.loop == nil {
			_, owner = evidence.Block(n.Fn.Body(), owner)
		}
	}
	if r.loop == nil || r.loop.Async || len(r.loop.Orelse) > 0 || len(breaks(r.loop.Body)) > 0 {
		return nil
	}
	if _, single := r.loop.Target.(*ast.Name); !single {
		return nil
	}
	r.block, owner = evidence.Block(n.Fn.Body(), r.loop)
	r.rest = r.block[slices.Index(r.block, ast.Stmt(r.loop))+1:]
	for ; owner != nil; _, owner = evidence.Block(n.Fn.Body(), owner) {
		switch owner.(type) {
		case *ast.If, *ast.With:
		default:
			return nil
		}
	}
	return r
}

// straight reports whether nothing is done for a request that has failed before it is known
// that it has: what stands beside the raise, all of it for such a request alone, can wait
// for the next round with it.
func (r *round) straight() bool {
	if len(r.way) == 0 {
		return false
	}
	for _, st := range r.way[:len(r.way)-1] {
		if block, _ := evidence.Block(r.fn.Body(), st); block[0] != st {
			return false
		}
	}
	return true
}

// stores reports whether the statements behind the loop store, as the content of a
// container, the list to which the loop appends the requests that go on waiting.
func (r *round) stores(g *flow.Graph, l *flow.Location) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		a, ok := n.Stmt.(*ast.Assign)
		if !ok || n.Op != flow.Rebind || n.Loc != l || n.Fn != r.fn || len(a.Targets) != 1 || !slices.Contains(r.rest, ast.Stmt(a)) {
			continue
		}
		if name, ok := a.Value.(*ast.Name); ok && r.fn.Param(name.Id()) == nil {
			r.kept = name.Id()
		}
	}
	if r.kept == "" {
		return false
	}
	empty, appends := false, 0
	for _, st := range r.block[:len(r.block)-len(r.rest)-1] {
		if a, ok := st.(*ast.Assign); ok && len(a.Targets) == 1 && isName(a.Targets[0], r.kept) {
			list, ok := a.Value.(*ast.List)
			empty = ok && len(list.Elts) == 0
		}
	}
	ast.EachInScope(r.loop.Body, func(n ast.Node) {
		if st, ok := n.(*ast.ExprStmt); ok && r.appends(st) {
			if appends++; st.Pos() < r.raise.End() {
				empty = false // it may be in the list already
			}
		}
	})
	return empty && appends > 0
}

// appends reports whether a statement appends the request to the list.
func (r *round) appends(st *ast.ExprStmt) bool {
	call, ok := st.Value.(*ast.Call)
	if !ok || len(call.Args()) != 1 || !isName(call.Args()[0], r.loop.Target.(*ast.Name).Id()) {
		return false
	}
	method, ok := call.Func.(*ast.Attribute)
	return ok && method.Attr() == "append" && isName(method.Value, r.kept)
}

func isName(e ast.Expr, name string) bool {
	n, ok := e.(*ast.Name)
	return ok && n.Id() == name
}

// plain reports whether a round in which one request has failed can go on as any other:
// nothing but assignments follows the loop, so that the exception comes out, nothing
// leaves the function without passing them, and what follows the raise in the loop
// counts nothing.
func (r *round) plain() bool {
	for _, st := range r.rest {
		switch st.(type) {
		case *ast.Assign, *ast.AugAssign, *ast.AnnAssign:
		default:
			return false
		}
		fine := true
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				f, ok := n.Func.(*ast.Name)
				fine = fine && ok && f.Id() == "len"
			case *ast.Await:
				fine = false
			}
			return fine
		})
		if !fine {
			return false
		}
	}
	leaves, writes := false, 0
	ast.EachInScope(r.fn.Body(), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Return:
			leaves = leaves || n.Pos() > r.loop.Pos()
		case *ast.Name:
			if n.Id() == r.loop.Target.(*ast.Name).Id() && n.Ctx() != ast.Load && n.Pos() > r.loop.Pos() && n.End() < r.loop.End() {
				writes++
			}
		}
	})
	return !leaves && writes == 1 && !r.counts()
}

// counts reports whether what the loop does for every request after the if statements
// around the raise stores something, which those that have failed must not leave out.
func (r *round) counts() bool {
	for _, st := range r.way {
		block, owner := evidence.Block(r.loop.Body, st)
		if i, ok := owner.(*ast.If); ok && slices.Contains(r.way, ast.Stmt(i)) && len(i.Orelse) == 1 && i.Orelse[0] == st {
			continue // an elif
		}
		for _, next := range block[slices.Index(block, st)+1:] {
			switch next.(type) {
			case *ast.If, *ast.ExprStmt, *ast.Pass, *ast.Continue:
			default:
				return true
			}
		}
	}
	return false
}

// tidies reports whether the loop does more with some requests than to answer them: it gives
// something back, or notes something in the state of the program. A request that has failed
// would leave the container without that.
func (r *round) tidies(g *flow.Graph) bool {
	gives := map[int32]bool{}
	for _, rel := range evidence.Releases(g) {
		gives[rel.ID] = true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Put, flow.Del, flow.PutAll, flow.DelAll, flow.Clear, flow.Rebind, flow.Enqueue, flow.SetFlag, flow.Spawn:
		case flow.Call:
			if !gives[int32(i)] {
				continue
			}
		default:
			continue
		}
		if st := evidence.StatementIn(n, r.fn); st != nil && r.forSome(st) {
			return true
		}
	}
	return false
}

// forSome reports whether a statement of the loop runs for some requests only, or not for
// one that raises.
func (r *round) forSome(st ast.Stmt) bool {
	if st.Pos() < r.loop.Body[0].Pos() || st.End() > r.loop.End() {
		return false
	}
	_, asks := st.(*ast.If)
	_, owner := evidence.Block(r.loop.Body, st)
	return st.Pos() > r.raise.End() || owner != nil && !asks
}

// reliedOn reports whether another function removes a request from a container and raises
// if it is not there: who catches the exception may call it.
func reliedOn(st *status.Facts, fn *program.Func, l *flow.Location) bool {
	return slices.ContainsFunc(st.Comp.Accesses(l), func(a component.Access) bool {
		return a.Op == flow.Del && a.Mode&flow.Strict != 0 && a.Fn != fn
	})
}
