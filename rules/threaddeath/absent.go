package threaddeath

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
)

// mayPassOver reports whether edits which go on without an absent entry pass over nothing that
// the item is owed as well: what the iteration, or the function, has begun and ends behind
// the jump, and what somebody waits for.
func (t *thread) mayPassOver(d end, edits []patch.Edit) bool {
	jump := jumpOf(edits)
	if jump == "" {
		return true
	}
	head := &t.g.Nodes[t.head]
	home := d.n.Frame == head.Frame
	n, st := &flow.Node{Mod: d.n.Mod, Fn: d.n.Fn}, d.n.Stmt
	block := d.n.Fn.Body()
	if jump == "continue" || jump == "break" {
		around := loopAround(block, st)
		if around == nil {
			return false
		}
		block = ast.Blocks(around)[0]
		if home && ast.Node(around) == head.Src {
			debts, ok := t.owedAt(block, st)
			return jump == "continue" && ok && len(debts) == 0 && !t.ahead(d) && t.waitedForBy(n, block, d) == "" && len(t.handedOn(block, []end{d})) == 0
		}
	} else if home {
		return false // the thread ends
	}
	debts, ok := t.owedIn(n, block, st)
	return ok && len(debts) == 0 && t.waitedForBy(n, block, d) == ""
}

// waitedForBy returns something, as text, that the rest of a block ends, or that somebody waits
// for; "" if there is nothing. What belongs to the absent entry is not there either.
func (t *thread) waitedForBy(n *flow.Node, block []ast.Stmt, d end) string {
	own := map[string]bool{}
	for _, st := range block {
		ast.Inspect(st, func(x ast.Node) bool {
			if name, ok := x.(*ast.Name); ok && name.Ctx() == ast.Store && name.Pos() >= d.n.Stmt.Pos() {
				own[name.Id()] = true
			}
			return true
		})
	}
	for _, name := range []string{"set", "set_result", "release", "task_done"} {
		for _, object := range laterIn(n, block, []ast.Stmt{d.n.Stmt}, name) {
			if root, _, _ := strings.Cut(object, "."); !own[root] {
				return object
			}
		}
	}
	for _, object := range t.leftCounted(n, block, []ast.Stmt{d.n.Stmt}) {
		if root, _, _ := strings.Cut(object, "."); !own[root] {
			return object
		}
	}
	return ""
}

// jumpOf returns the jump in the text of some edits; "" if there is none.
func jumpOf(edits []patch.Edit) string {
	for _, e := range edits {
		for line := range strings.Lines(e.New) {
			words := strings.Fields(line)
			if len(words) > 0 && slices.Contains([]string{"continue", "break", "return", "raise"}, words[0]) {
				return words[0]
			}
		}
	}
	return ""
}

// loopAround returns the innermost loop of a block whose body a statement stands in, or nil.
func loopAround(block []ast.Stmt, st ast.Stmt) ast.Stmt {
	for in, owner := evidence.Block(block, st); owner != nil; in, owner = evidence.Block(block, owner) {
		switch owner.(type) {
		case *ast.For, *ast.While:
			if body := ast.Blocks(owner)[0]; ast.Covers(body, in[0]) {
				return owner
			}
		}
	}
	return nil
}
