package statusresurrection

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
)

// Whoever ignores what comes for a request that is not known still owes the rest of what a
// message brings about: a queue is told that the item is done, a slot is given back, a count
// goes down. This file tells what follows a store because of the entry, and may be left out
// with it, from what has to happen in any case.

// A bearing is what a statement has to do with a store before it.
type bearing uint8

const (
	idle      bearing = iota // it does nothing
	dependent                // it is about the entry, or uses what was found there
	owed                     // it happens whether or not there is one
	mixed                    // it has parts of both kinds
)

// A rest is what comes behind a store until the round of the innermost loop around it, or the
// function, is over.
type rest struct {
	put    component.Access
	about  []*flow.Location // cleared with the entry
	names  map[string]bool  // hold what comes from the entry
	inner  []ast.Stmt       // in the block of the store
	outer  []ast.Stmt       // behind the blocks around it
	leave  string           // what ends the round
	repeat bool             // in a loop
	kinds  []bearing        // of each of stmts
}

// restOf returns what comes behind a statement that stores an entry, or asks whether there
// is one in order to store it.
func (c *check) restOf(r revival, at ast.Stmt) *rest { return newRest(r.put, c.clearedWith(r.del), at) }

func newRest(put component.Access, about []*flow.Location, at ast.Stmt) *rest {
	out := &rest{put: put, about: append([]*flow.Location{put.Loc}, about...), names: map[string]bool{}, leave: "return"}
	out.find(put.Fn.Body(), at)
	if out.repeat {
		out.leave = "continue"
	}
	out.bind(at)
	for _, st := range out.stmts() {
		out.kinds = append(out.kinds, out.classify(st))
	}
	return out
}

// stmts returns what comes behind the store, in order.
func (r *rest) stmts() []ast.Stmt { return slices.Concat(r.inner, r.outer) }

// find gathers the rest; it reports whether the statement is among some.
func (r *rest) find(body []ast.Stmt, at ast.Stmt) bool {
	for i, st := range body {
		if st == at {
			r.inner = body[i+1:]
			return true
		}
		if st.Pos() > at.Pos() || at.End() > st.End() {
			continue
		}
		for _, block := range ast.Blocks(st) {
			if !r.find(block, at) {
				continue
			}
			if try, ok := st.(*ast.Try); ok && len(block) > 0 && len(try.Body) > 0 && block[0] == try.Body[0] && !r.repeat {
				r.outer = append(r.outer, try.Orelse...)
			}
			switch st.(type) {
			case *ast.For, *ast.While:
				r.repeat = true
			}
			if !r.repeat {
				r.outer = append(r.outer, body[i+1:]...)
			}
			return true
		}
	}
	return false
}

// bind notes the variables that a statement sets.
func (r *rest) bind(st ast.Stmt) {
	ast.Inspect(st, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Store {
			r.names[x.Id()] = true
		}
		return true
	})
}

// uses reports whether a node is about the entry.
func (r *rest) uses(at ast.Node) bool {
	found := false
	ast.Inspect(at, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Load && r.names[x.Id()] {
			found = true
		}
		return !found
	})
	return found || slices.ContainsFunc(r.put.Entry.Graph.Nodes, func(n flow.Node) bool {
		return n.Fn == r.put.Fn && n.Src != nil && ast.Encloses(at, n.Src) && n.Loc != nil &&
			slices.Contains(r.about, n.Loc.Root()) && component.RootKey(&n).Same(component.RootKey(r.put.Node))
	})
}

// classify returns what a statement has to do with the store. One that is about the entry
// binds its names for those behind it.
func (r *rest) classify(st ast.Stmt) bearing {
	var first []ast.Expr // what decides whether, or on what, its blocks run
	switch st := st.(type) {
	case *ast.Pass, *ast.Global, *ast.Nonlocal, *ast.Import, *ast.ImportFrom:
		return idle
	case *ast.Continue:
		if r.repeat {
			return idle
		}
		return owed
	case *ast.Return:
		if st.Value == nil && !r.repeat {
			return idle
		}
	case *ast.ExprStmt:
		if _, ok := st.Value.(*ast.Constant); ok || evidence.Logs(st) && !r.uses(st) {
			return idle
		}
	case *ast.If:
		first = append(first, st.Test)
	case *ast.While:
		first = append(first, st.Test)
	case *ast.For:
		first = append(first, st.Iter)
	case *ast.Match:
		first = append(first, st.Subject)
	case *ast.With:
		for _, item := range st.Items {
			first = append(first, item.ContextExpr)
		}
	}
	uses := slices.ContainsFunc(first, func(x ast.Expr) bool { return r.uses(x) })
	blocks := ast.Blocks(st)
	if len(blocks) == 0 {
		uses = r.uses(st)
	}
	switch {
	case uses:
		r.bind(st)
		return dependent
	case len(blocks) > 0:
		return r.ofBlocks(blocks)
	}
	return owed
}

// ofBlocks returns what the blocks of a statement have to do with the store.
func (r *rest) ofBlocks(blocks [][]ast.Stmt) bearing {
	out := idle
	for _, block := range blocks {
		for _, inner := range block {
			switch b := r.classify(inner); {
			case out == idle:
				out = b
			case b != idle && b != out:
				out = mixed
			}
		}
	}
	return out
}

// spans returns how many of the statements behind the store go with it, and whether they can
// be told apart from the others: those that go with it come first.
func (r *rest) spans() (n int, ok bool) {
	ok = true
	free := false // one that does not go with it has come
	for i, st := range r.stmts() {
		switch r.kinds[i] {
		case mixed:
			return 0, false
		case owed:
			free = true
		case dependent:
			_, result := st.(*ast.Return) // nobody would return anything instead
			if free || result || i >= len(r.inner) {
				ok = false
			}
			n = i + 1
		}
	}
	return n, ok && !(n <= len(r.inner) && r.settles(r.inner[:n]))
}

// all reports whether nothing follows but what goes with the store.
func (r *rest) all() bool {
	return !r.settles(r.stmts()) && !slices.Contains(r.kinds, owed) && !slices.Contains(r.kinds, mixed)
}

// settles reports whether a lock is given back by some statements, other than by a with
// statement, or a queue is told that an item is done.
func (r *rest) settles(stmts []ast.Stmt) bool {
	return slices.ContainsFunc(r.put.Entry.Graph.Nodes, func(n flow.Node) bool {
		if n.Op != flow.Release && n.Op != flow.TaskDone || n.Fn != r.put.Fn || n.Src == nil {
			return false
		}
		_, with := n.Stmt.(*ast.With)
		return !with && slices.ContainsFunc(stmts, func(st ast.Stmt) bool {
			return ast.Encloses(st, n.Src)
		})
	})
}

// answer returns the first call among what goes with the store that is made whatever was found
// there, on something else: whoever is told so waits for it, perhaps.
func (r *rest) answer() ast.Stmt {
	for i, st := range r.stmts() {
		x, ok := st.(*ast.ExprStmt)
		if !ok || r.kinds[i] != dependent {
			continue
		}
		call, ok := x.Value.(*ast.Call)
		if !ok {
			continue
		}
		at, ok := call.Func.(*ast.Attribute)
		if ok && !r.uses(at.Value) && !r.keeps(st) && !evidence.Logs(st) {
			return st
		}
	}
	return nil
}

// closes reports whether something behind the store comes back to what the function has
// done before it: it gives back what was taken, or resets what was set.
func (r *rest) closes(at ast.Stmt) bool {
	before := map[string]bool{}
	each := func(st ast.Stmt, visit func(object string)) {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Call:
				if f, ok := x.Func.(*ast.Attribute); ok && !flow.Logs(f.Attr()) {
					if _, plain := f.Value.(*ast.Name); !plain {
						visit(string(r.put.Mod.AST.Text(f.Value)))
					}
				}
			case *ast.Attribute:
				if x.Ctx() == ast.Store {
					visit(string(r.put.Mod.AST.Text(x)))
				}
			}
			return true
		})
	}
	for _, st := range r.put.Fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if inner, ok := n.(ast.Stmt); ok && inner.End() <= at.Pos() {
				each(inner, func(object string) { before[object] = true })
			}
			return true
		})
	}
	found := false
	for _, st := range r.stmts() {
		each(st, func(object string) { found = found || before[object] })
	}
	return found || r.settles(r.stmts())
}

// reads reports whether something behind the store needs the entry.
func (r *rest) reads() bool {
	return slices.ContainsFunc(r.stmts(), func(st ast.Stmt) bool {
		return slices.ContainsFunc(r.put.Entry.Graph.Nodes, func(n flow.Node) bool {
			return n.Fn == r.put.Fn && n.Src != nil && ast.Encloses(st, n.Src) && n.Loc == r.put.Loc &&
				(n.Op == flow.Read || n.Op == flow.Del) && n.Mode&flow.Strict != 0 && n.Key.Same(r.put.Key)
		})
	})
}

// keeps reports whether a statement is an operation on shared state.
func (r *rest) keeps(st ast.Stmt) bool {
	return slices.ContainsFunc(r.put.Entry.Graph.Nodes, func(n flow.Node) bool {
		return n.Stmt == st && n.Loc != nil && n.Loc.Keyed()
	})
}

// yieldsValue reports whether a function returns something, which those who call it get.
func yieldsValue(f *program.Func) bool {
	found := false
	ast.EachInScope(f.Body(), func(n ast.Node) {
		if ret, ok := n.(*ast.Return); ok && ret.Value != nil {
			if c, ok := ret.Value.(*ast.Constant); !ok || c.Kind() != ast.None {
				found = true
			}
		}
	})
	return found
}
