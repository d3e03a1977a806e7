package clearbeforeconclude

import (
	"errors"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// errCommented says that an edit would lose a comment.
var errCommented = errors.New("a comment would be lost")

// fixes suggests to conclude first: the conclusion goes before the removal, or the removal behind
// the conclusion, whatever is in the way of the two. What stands in a critical section stays
// in one of its lock.
func (c *check) fixes(cand candidate, del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	block, _ := evidence.Block(f.Body(), set.Stmt)
	if block == nil || del.Stmt == nil || del.Stmt == set.Stmt || !straight(f, del.Stmt, set.Stmt) {
		return nil
	}
	s := swap{c: c, cand: cand, f: f, ed: patch.NewEditor(f.Module.AST), del: del.Stmt, group: c.group(f, block, del.Stmt, set.Stmt)}
	edits, err := s.edits(block)
	if err != nil || edits == nil {
		return nil
	}
	safety := report.SafetySafe
	if s.doubtful() {
		safety = report.SafetyReview
	}
	return []rule.Fix{{Description: "conclude the request, then remove the entry", Safety: safety, Edits: edits}}
}

// A swap brings a removal and the conclusion behind it into the other order.
type swap struct {
	c     *check
	cand  candidate
	f     *program.Func
	ed    *patch.Editor
	del   ast.Stmt
	group []ast.Stmt // the conclusion, and the stores right before it that go with it
	apart bool       // the removal gets a critical section of its own
}

// set returns the statement that concludes.
func (s *swap) set() ast.Stmt { return s.group[len(s.group)-1] }

// edits returns the edits for where the two stand, or nil when none of them is right.
func (s *swap) edits(block []ast.Stmt) ([]patch.Edit, error) {
	held, section := s.around(s.del, s.set()), s.around(s.set(), s.del)
	alone := len(block) == len(s.group)
	switch {
	case held != nil && section != nil && sameLock(s.f, held, section):
		return s.oneSection(section, alone)
	case held != nil && section != nil:
		switch {
		case alone && s.only(held) && s.concludesFirst():
			return s.ed.MoveBefore(held, section)
		case s.waits(section):
			return s.behind(held, section)
		}
	case section != nil:
		last := topIn(s.f, s.del, s.set())
		switch {
		case !s.c.sameLocks(s.f, s.del, last):
		case s.waits(last) && !s.c.acts(s.f, s.del):
			return s.ed.MoveAfter(s.set(), s.del)
		case s.waits(last):
			return s.ed.MoveAfter(last, s.del)
		case alone && last == section && s.concludesFirst():
			return s.ed.MoveBefore(s.del, section)
		}
	case !s.beside():
		if last := topIn(s.f, s.del, s.set()); last != nil && s.waits(last) && s.c.sameLocks(s.f, s.del, last) {
			return s.ed.MoveAfter(last, s.del)
		}
	case held != nil && slices.ContainsFunc(s.group, func(st ast.Stmt) bool { return s.c.acts(s.f, st) }):
		// no lock is taken, and nothing waited for, under another one
		if s.only(held) && s.concludesFirst() {
			return s.ed.MoveBefore(held, s.group...)
		}
		if s.waits(s.set()) {
			return s.behind(held, s.set())
		}
	case slices.ContainsFunc(s.group, func(st ast.Stmt) bool { return s.c.acts(s.f, st) }) && !s.c.sameLocks(s.f, s.del, s.set()):
	case s.concludesFirst():
		return s.ed.MoveBefore(s.del, s.group...)
	}
	return nil, nil
}

// oneSection brings both to the critical section of the removal, which is of the same lock. The
// one that would be left empty goes.
func (s *swap) oneSection(section ast.Stmt, alone bool) ([]patch.Edit, error) {
	if !s.concludesFirst() {
		return nil, nil
	}
	if !alone {
		return s.ed.MoveBefore(s.del, s.group...)
	}
	var lines []string
	for _, st := range s.group {
		lines = append(lines, evidence.Lines(s.f.Module, st)...)
	}
	edits, err := s.ed.InsertBefore(s.del, lines...)
	if err != nil {
		return nil, err
	}
	if remedy.Commented(s.f.Module, int(section.Pos()), int(section.End())) {
		return nil, errCommented
	}
	gone, err := s.ed.Delete(section)
	return append(edits, gone...), err
}

// behind moves the removal, with its lock, behind another statement: the critical section that it
// is all of, or one of its own.
func (s *swap) behind(held, last ast.Stmt) ([]patch.Edit, error) {
	if s.only(held) {
		return s.ed.MoveAfter(last, held)
	}
	with := held.(*ast.With)
	if _, owner := evidence.Block(s.f.Body(), s.del); owner != held || len(with.Items) != 1 || with.Items[0].OptionalVars != nil {
		return nil, nil
	}
	s.apart = true
	header := "with " + string(s.f.Module.AST.Text(with.Items[0].ContextExpr))
	if with.Async {
		header = "async " + header
	}
	return s.ed.MoveUnder(header, last, s.del)
}

// only reports whether removals are all that is in a critical section.
func (s *swap) only(held ast.Stmt) bool { return s.c.removals(s.f, held) }

// around returns the outermost critical section around one statement that is not around
// another one, or nil.
func (s *swap) around(st, other ast.Stmt) ast.Stmt {
	var out ast.Stmt
	for {
		_, owner := evidence.Block(s.f.Body(), st)
		if owner == nil || ast.Encloses(owner, other) {
			return out
		}
		if _, ok := owner.(*ast.With); ok {
			out = owner
		}
		st = owner
	}
}

// beside reports whether the conclusion stands in a block that the removal is in as well, or
// a critical section around it.
func (s *swap) beside() bool {
	block, _ := evidence.Block(s.f.Body(), s.set())
	return slices.ContainsFunc(block, func(st ast.Stmt) bool { return ast.Encloses(st, s.del) })
}

// concludesFirst reports whether the conclusion can go before the removal: what it is computed
// from is known by then, it does not look at what is removed, nothing on the way asks whether
// the request is concluded, and nothing is stored on the way that goes with the conclusion:
// whoever finds the request concluded finds that as well.
func (s *swap) concludesFirst() bool {
	from := s.group[0]
	if s.c.asked(s.cand, s.f, s.del, from) || stored(s.f, s.del, from) {
		return false
	}
	removed, told := map[*flow.Location]bool{}, map[*flow.Location]bool{}
	for i := range s.c.g.Nodes {
		if n := &s.c.g.Nodes[i]; stores(n) && slices.ContainsFunc(s.group, func(st ast.Stmt) bool { return inside(n, s.f, st) }) {
			told[n.Loc.Root()] = true
		}
	}
	for i := range s.c.g.Nodes {
		n := &s.c.g.Nodes[i]
		st := evidence.StatementIn(n, s.f)
		if n.Loc == nil || st == nil || st.Pos() < s.del.Pos() || st.Pos() >= from.Pos() {
			continue
		}
		switch {
		case stores(n), told[n.Loc.Root()]:
			return false
		case n.Op == flow.Del, n.Op == flow.DelAll, n.Op == flow.Clear:
			removed[n.Loc.Root()] = true
		}
	}
	for i := range s.c.g.Nodes {
		n := &s.c.g.Nodes[i]
		if n.Loc == nil || !removed[n.Loc.Root()] || !slices.ContainsFunc(s.group, func(st ast.Stmt) bool { return inside(n, s.f, st) }) {
			continue
		}
		switch n.Op {
		case flow.Del, flow.DelAll, flow.Clear:
		default:
			return false
		}
	}
	return !slices.ContainsFunc(s.group, func(st ast.Stmt) bool {
		return !independent(s.f, s.del, st) || s.readOnTheWay(st)
	})
}

// readOnTheWay reports whether something between the removal and the conclusion reads an
// attribute that a statement sets.
func (s *swap) readOnTheWay(st ast.Stmt) bool {
	as, ok := st.(*ast.Assign)
	if !ok || st == s.set() {
		return false
	}
	found := false
	for _, t := range as.Targets {
		if at, ok := t.(*ast.Attribute); ok {
			for _, x := range s.f.Body() {
				ast.Inspect(x, func(n ast.Node) bool {
					o, ok := n.(*ast.Attribute)
					found = found || ok && o.Ctx() == ast.Load && o.Attr() == at.Attr() && o.Pos() >= s.del.Pos() && o.Pos() < s.group[0].Pos()
					return !found
				})
			}
		}
	}
	return found
}

// stores reports whether a step stores something that others can find.
func stores(n *flow.Node) bool {
	return n.Op == flow.Put || n.Op == flow.PutAll || n.Op == flow.Rebind || n.Op == flow.SetFlag
}

// waits reports whether the removal can go behind another statement: it does nothing else,
// nothing up to there looks at the entries, and nothing raises there, which would leave the entry.
func (s *swap) waits(last ast.Stmt) bool {
	return !s.c.claims(s.cand.del) && s.c.removalWaits(s.f, s.del, last) && !s.c.raises(s.f, s.del.End(), last.End())
}

// raises reports whether a step of a part of a function, or of what it calls, can raise.
func (c *check) raises(f *program.Func, from, to ast.Pos) bool {
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if st := evidence.StatementIn(n, f); st == nil || st.Pos() < from || st.Pos() >= to {
			continue
		}
		if slices.ContainsFunc(n.Succ, func(e flow.Edge) bool { return e.Kind == flow.Exc }) {
			return true
		}
	}
	return false
}

// doubtful reports whether a swap needs judgement: the conclusion does what others can notice,
// or raise in, it overtakes unknown code which may bring about what it speaks of, or the
// removal fails when somebody who finds the request concluded removes the entry first.
func (s *swap) doubtful() bool {
	d := &s.c.g.Nodes[s.cand.del]
	rival := func(a component.Access) bool {
		return removes(a.Node) && a.Entry != s.c.entry && s.c.st.Comp.Meet(s.c.entry, a) != component.Ordered
	}
	if s.apart || d.Mode&flow.Strict != 0 && len(d.Locks) == 0 && slices.ContainsFunc(s.c.st.Comp.Accesses(d.Loc), rival) {
		return true
	}
	return slices.ContainsFunc(s.c.g.Nodes, func(n flow.Node) bool {
		if n.Op == flow.Call && !flow.Logs(n.Name) && n.Fn == s.f && n.Src != nil && s.del.End() <= n.Src.Pos() && n.Src.End() <= s.group[0].Pos() {
			return true
		}
		switch n.Op {
		case flow.Call, flow.Enqueue, flow.Spawn, flow.Await, flow.Yield, flow.Wait, flow.Sleep, flow.Join, flow.Dequeue:
			return slices.ContainsFunc(s.group, func(st ast.Stmt) bool { return inside(&n, s.f, st) })
		}
		return false
	})
}

// acts reports whether a statement takes a lock, waits, may have to wait, or calls unknown code.
func (c *check) acts(f *program.Func, st ast.Stmt) bool {
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		switch n.Op {
		case flow.Acquire, flow.Call, flow.Enqueue, flow.Dequeue, flow.Wait, flow.Sleep, flow.Join, flow.Await, flow.Yield:
			if inside(n, f, st) {
				return true
			}
		}
	}
	return false
}

// group returns the conclusion with the stores right before it in its block, behind the removal,
// that go where it goes: such as the reason that whoever finds the request concluded asks for.
func (c *check) group(f *program.Func, block []ast.Stmt, del, set ast.Stmt) []ast.Stmt {
	to := slices.Index(block, set)
	at := to
	for at > 0 && block[at-1].Pos() >= del.End() && plainStore(block[at-1]) && !c.raises(f, block[at-1].Pos(), block[at-1].End()) && independent(f, del, block[at-1]) {
		at--
	}
	return block[at : to+1]
}

// plainStore reports whether a statement stores something in an attribute or an entry, and does
// nothing else.
func plainStore(st ast.Stmt) bool {
	var targets []ast.Expr
	switch st := st.(type) {
	case *ast.Assign:
		targets = st.Targets
	case *ast.AugAssign:
		targets = []ast.Expr{st.Target}
	default:
		return false
	}
	return !remedy.Acts(st) && !slices.ContainsFunc(targets, func(t ast.Expr) bool {
		switch t.(type) {
		case *ast.Attribute, *ast.Subscript:
			return false
		}
		return true
	})
}

// stored reports whether something from one statement on, up to another one, assigns an
// attribute or an entry.
func stored(f *program.Func, from, until ast.Stmt) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if n.Pos() >= until.Pos() || n.End() <= from.Pos() {
				return false
			}
			if n.Pos() >= from.Pos() {
				switch x := n.(type) {
				case *ast.Attribute:
					found = found || x.Ctx() == ast.Store
				case *ast.Subscript:
					found = found || x.Ctx == ast.Store
				}
			}
			return !found
		})
	}
	return found
}

// sameLock reports whether two with statements hold one lock, alone, written the same way.
func sameLock(f *program.Func, a, b ast.Stmt) bool {
	x, y := a.(*ast.With), b.(*ast.With)
	text := func(w *ast.With) string { return string(f.Module.AST.Text(w.Items[0].ContextExpr)) }
	return len(x.Items) == 1 && len(y.Items) == 1 && text(x) == text(y)
}

// topIn returns the statement in the block of one statement that is another one
// or contains it, or nil.
func topIn(f *program.Func, st, inner ast.Stmt) ast.Stmt {
	block, _ := evidence.Block(f.Body(), st)
	for _, s := range block {
		if ast.Encloses(s, inner) {
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
			if owner == nil || ast.Encloses(owner, other) {
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
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			s, ok := n.(ast.Stmt)
			if !ok || s.Pos() > first.Pos() || second.End() > s.End() {
				return !found
			}
			for _, block := range ast.Blocks(s) {
				found = found || ast.Covers(block, first) != ast.Covers(block, second)
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
