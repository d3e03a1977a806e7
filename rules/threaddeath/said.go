package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// said is what the statements of a block say, within others as well: it is read once, not anew
// for each of them. Statements with blocks of their own say nothing, but for a number that
// changes under a lock.
type said struct {
	texts map[ast.Stmt]string
	count map[string]int
	first map[string]int // which one of the statements says it first
	// pays has what is said on the way that a block takes when nothing fails: what is done in
	// a handler, or within a branch right before a raise, a return or a break, is for what
	// was begun in vain.
	pays map[string]bool
	// gives has the calls of methods that give something back, by their objects.
	gives  map[string][]giving
	opened map[ast.Stmt]debt // what [thread.opens] has found
}

// giving is a call that gives something back.
type giving struct {
	verb string
	args []string
	text string
}

// blockID tells blocks apart.
type blockID struct {
	first *ast.Stmt
	len   int
}

// said returns what a block of a module says.
func (t *thread) said(n *flow.Node, block []ast.Stmt) *said {
	if len(block) == 0 {
		return &said{}
	}
	id := blockID{&block[0], len(block)}
	if s := t.blocks[id]; s != nil {
		return s
	}
	s := &said{
		texts: map[ast.Stmt]string{}, count: map[string]int{}, first: map[string]int{},
		pays: map[string]bool{}, gives: map[string][]giving{}, opened: map[ast.Stmt]debt{},
	}
	s.read(n, block, true, true)
	if t.blocks == nil {
		t.blocks = map[blockID]*said{}
	}
	t.blocks[id] = s
	return s
}

// read adds the statements of a block in the order of [statements]. The block is on the way when
// nothing fails, or not, and the outermost one or not.
func (s *said) read(n *flow.Node, block []ast.Stmt, onWay, outermost bool) {
	for i, st := range block {
		inner := ast.Blocks(st)
		locked := countsLocked(st) != nil
		if inner == nil || locked {
			s.add(n, st)
			if onWay && (outermost || !givesUp(block, i)) {
				s.pays[s.texts[st]] = true
			}
		}
		if locked {
			continue
		}
		_, tries := st.(*ast.Try)
		for j, b := range inner {
			s.read(n, b, onWay && (!tries || j < 3), false) // what follows are handlers
		}
	}
}

func (s *said) add(n *flow.Node, st ast.Stmt) {
	switch st.(type) {
	case *ast.FunctionDef, *ast.ClassDef:
		return
	}
	text := rule.Text(n, st)
	if c, ok := countOf(n, st); ok {
		text = c
	}
	if s.count[text] == 0 {
		s.first[text] = len(s.texts)
	}
	s.texts[st] = text
	s.count[text]++
	at, call := method(valueOf(st))
	if at == nil {
		return
	}
	if verb, ok := flow.ReleaseVerb(at.Attr()); ok {
		g := giving{verb: verb, text: text}
		for _, e := range call.Args() {
			g.args = append(g.args, rule.Text(n, e))
		}
		object := rule.Text(n, at.Value)
		s.gives[object] = append(s.gives[object], g)
	}
}

// countOf returns the statement that adds to a number, or subtracts, as text, however it is written.
func countOf(n *flow.Node, st ast.Stmt) (string, bool) {
	switch st := st.(type) {
	case *ast.AugAssign:
		return rule.Text(n, st), st.Op == ast.Add || st.Op == ast.Sub
	case *ast.Assign:
		sum, ok := st.Value.(*ast.BinOp)
		if !ok || len(st.Targets) != 1 || sum.Op != ast.Add && sum.Op != ast.Sub {
			break
		}
		if target := rule.Text(n, st.Targets[0]); target == rule.Text(n, sum.Left) {
			op := " += "
			if sum.Op == ast.Sub {
				op = " -= "
			}
			return target + op + rule.Text(n, sum.Right), true
		}
	}
	return "", false
}

// counterFirst reports whether the statement that changes a number comes before the one that
// changes it back: the latter begins nothing.
func (s *said) counterFirst(first, then string) bool {
	return s.count[first] > 0 && (s.count[then] == 0 || s.first[first] <= s.first[then])
}

// givesBack returns the statement that gives back what a method of an object has yielded, as
// text; "" if there is none.
func (s *said) givesBack(object, acquire, name string) string {
	for _, g := range s.gives[object] {
		if slices.Contains(g.args, name) && flow.Acquires(acquire, g.verb) {
			return g.text
		}
	}
	return ""
}

// place returns the part of the function of the loop where a step stands, itself or what calls
// the function that it belongs to; nil if there is none.
func (t *thread) place(n *flow.Node) ast.Node {
	home := t.g.Nodes[t.head].Frame
	src := n.Src
	for fr := n.Frame; fr != nil && src != nil; fr = fr.Caller {
		if fr == home {
			return src
		}
		src = fr.Call
	}
	return nil
}

// waiting returns where the loop waits for something or takes something.
func (t *thread) waiting() []ast.Node {
	if t.waitsAt == nil {
		t.waitsAt = []ast.Node{}
		for i := range t.g.Nodes {
			if n := &t.g.Nodes[i]; t.waits(n) {
				if at := t.place(n); at != nil {
					t.waitsAt = append(t.waitsAt, at)
				}
			}
		}
	}
	return t.waitsAt
}

// lastGet returns where the loop waits last, by itself, for what a queue of the program yields;
// -1 if it does not.
func (t *thread) lastGet() ast.Pos {
	if t.getsLast == nil {
		last := ast.Pos(-1)
		head := &t.g.Nodes[t.head]
		for i := range t.g.Nodes {
			if n := &t.g.Nodes[i]; n.Op == flow.Dequeue && n.Mode&flow.Timeout == 0 && n.Frame == head.Frame && evidence.Inside(n, head) {
				last = max(last, n.Src.Pos())
			}
		}
		t.getsLast = &last
	}
	return *t.getsLast
}

// reached returns the steps that the loop comes to before it is over or, with stop, before it has
// come to a step that stop holds for.
func (t *thread) reached(stop func(int32) bool) map[int32]bool {
	seen := map[int32]bool{}
	t.g.Find(flow.Search{
		From: []int32{t.head}, After: true, Blind: true, Stop: stop,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { seen[id] = true; return false },
	})
	return seen
}
