package clearbeforeconclude

import (
	"errors"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// errCommented says that an edit would lose a comment.
var errCommented = errors.New("a comment would be lost")

// fixes suggests to conclude first: the conclusion goes before the removal, or
// to its critical section. What the conclusion is computed from must be known
// by then.
func (c *check) fixes(cand candidate, del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	block, owner := evidence.Block(f.Body(), set.Stmt)
	if block == nil || del.Stmt == nil || del.Stmt == set.Stmt || !independent(f, del.Stmt, set.Stmt) || !straight(f, del.Stmt, set.Stmt) {
		return nil
	}
	ed := patch.NewEditor(f.Module.AST)
	var edits []patch.Edit
	var err error
	with, section := owner.(*ast.With)
	beside := topIn(f, del.Stmt, set.Stmt)
	last := set.Stmt // that of the statements among which the removal is the last one then
	if beside != nil {
		last = beside
	}
	behind := section && with.Pos() > del.Stmt.Pos() && !sameSection(f, del.Stmt, with) || beside != nil && beside != set.Stmt
	keeps := !behind || remedy.CanWait(c.g, &c.g.Nodes[cand.del], f, del.Stmt, last)
	if !behind && c.asked(cand, f, del.Stmt, set.Stmt) {
		return nil
	}
	switch {
	case !keeps && section && len(block) == 1 && beside == owner && !c.asked(cand, f, del.Stmt, set.Stmt):
		edits, err = ed.MoveBefore(del.Stmt, with)
	case !keeps:
		return nil
	case section && with.Pos() > del.Stmt.Pos():
		edits, err = intoSection(ed, f, del.Stmt, set.Stmt, with, len(block) == 1)
	case beside != nil && beside != set.Stmt:
		edits, err = ed.MoveAfter(beside, del.Stmt)
	default:
		edits, err = ed.MoveBefore(del.Stmt, set.Stmt)
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request, then remove the entry", Safety: report.SafetySafe, Edits: edits}}
}

// intoSection brings a removal and a conclusion in a critical section together:
// in the section of the removal when it is of the same lock, or else in that of
// the conclusion. A section that would be left empty goes.
func intoSection(ed *patch.Editor, f *program.Func, del, set ast.Stmt, with *ast.With, alone bool) ([]patch.Edit, error) {
	if !sameSection(f, del, with) {
		return ed.MoveAfter(set, del)
	}
	if !alone {
		return ed.MoveBefore(del, set)
	}
	text := string(f.Module.AST.Text(set))
	edits, err := ed.InsertBefore(del, strings.Split(text, "\n")...)
	if err != nil {
		return nil, err
	}
	if remedy.Commented(f.Module, int(with.Pos()), int(with.End())) {
		return nil, errCommented
	}
	gone, err := ed.Delete(with)
	return append(edits, gone...), err
}

// sameSection reports whether a statement stands in a with statement over the
// same object as another one.
func sameSection(f *program.Func, st ast.Stmt, with *ast.With) bool {
	_, owner := evidence.Block(f.Body(), st)
	w, ok := owner.(*ast.With)
	text := func(w *ast.With) string { return string(f.Module.AST.Text(w.Items[0].ContextExpr)) }
	return ok && len(w.Items) == 1 && len(with.Items) == 1 && text(w) == text(with)
}

// topIn returns the statement in the block of one statement that is another one
// or contains it, or nil.
func topIn(f *program.Func, st, inner ast.Stmt) ast.Stmt {
	block, _ := evidence.Block(f.Body(), st)
	for _, s := range block {
		if s.Pos() <= inner.Pos() && inner.End() <= s.End() {
			return s
		}
	}
	return nil
}

// straight reports whether one of two statements runs whenever the other does, so that
// they can change places: what only one of them is in are critical sections. The second
// may be in another statement, which the first then follows. Nothing leaves between them.
func straight(f *program.Func, first, second ast.Stmt) bool {
	around := func(st, other ast.Stmt) []ast.Stmt {
		var out []ast.Stmt
		for {
			_, owner := evidence.Block(f.Body(), st)
			if owner == nil || owner.Pos() <= other.Pos() && other.End() <= owner.End() {
				return out
			}
			out, st = append(out, owner), owner
		}
	}
	sections := func(sts []ast.Stmt) bool {
		for _, st := range sts {
			if _, ok := st.(*ast.With); !ok {
				return false
			}
		}
		return true
	}
	a, b := around(first, second), around(second, first)
	if !sections(a) || !sections(b) && len(a) > 0 || apart(f, first, second) {
		return false
	}
	from, to := first.Pos(), second.End()
	if len(b) > 0 && !sections(b) {
		to = b[len(b)-1].End() // the first one goes behind all of it
	}
	leaves := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.Return, *ast.Raise, *ast.Break, *ast.Continue, *ast.Try:
				leaves = leaves || n.Pos() >= from && n.Pos() < to
			case *ast.FunctionDef, *ast.Lambda:
				return false
			}
			return !leaves
		})
	}
	return !leaves
}

// apart reports whether a part of a statement that has several, as the body and the else
// of an if, contains only one of two statements that it contains both.
func apart(f *program.Func, first, second ast.Stmt) bool {
	found := false
	within := func(block []ast.Stmt, st ast.Stmt) bool {
		return len(block) > 0 && block[0].Pos() <= st.Pos() && st.End() <= block[len(block)-1].End()
	}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			s, ok := n.(ast.Stmt)
			if !ok || s.Pos() > first.Pos() || second.End() > s.End() {
				return !found
			}
			for _, block := range ast.Blocks(s) {
				found = found || within(block, first) != within(block, second)
			}
			return !found
		})
	}
	return found
}

// independent reports whether nothing from the first statement on changes what the
// second one uses: names and attributes that are assigned, and attributes that what is
// called or awaited may assign. What leads to the containers counts as fixed.
func independent(f *program.Func, first, second ast.Stmt) bool {
	used, attrs, seen := map[string]bool{}, map[string]bool{}, map[string]bool{}
	local := map[string]bool{}
	for _, p := range f.Params {
		local[p.Name] = true
	}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ctx() != ast.Load {
				local[x.Id()] = true
			}
			return true
		})
	}
	ast.Inspect(second, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			if x.Ctx() == ast.Load {
				used[x.Id()] = true
			}
		case *ast.Attribute:
			if x.Ctx() == ast.Load {
				attrs[x.Attr()] = true
			}
		}
		return true
	})
	if as, ok := second.(*ast.Assign); ok {
		ast.Inspect(as.Value, func(n ast.Node) bool {
			if x, ok := n.(*ast.Attribute); ok && x.Ctx() == ast.Load {
				if base, ok := x.Value.(*ast.Name); !ok || local[base.Id()] {
					seen[x.Attr()] = true
				}
			}
			return true
		})
	}
	free := true
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if n.Pos() < first.Pos() || n.Pos() >= second.Pos() {
				return free
			}
			switch x := n.(type) {
			case *ast.Name:
				free = free && (x.Ctx() == ast.Load || !used[x.Id()])
			case *ast.Attribute:
				free = free && (x.Ctx() == ast.Load || !attrs[x.Attr()])
			case *ast.Call, *ast.Await:
				free = free && (len(seen) == 0 || n.Pos() < first.End())
			}
			return free
		})
	}
	return free
}
