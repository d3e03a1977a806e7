package flow

import (
	"fmt"
	"io"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// Fprint writes a graph in a form that a person can read: one line for each
// step with its number, line, operation, locks and successors.
func Fprint(w io.Writer, g *Graph) error {
	e := g.Entry
	flags := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{e.Many, " many"}, {e.Sharded, " sharded"}, {e.Forever, " forever"}, {g.Truncated, " truncated"}} {
		if f.on {
			flags += f.name
		}
	}
	if _, err := fmt.Fprintf(w, "%s (%s%s)\n", e.Name(), e.Role, flags); err != nil {
		return err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if len(n.Pred) == 0 && i != StartNode {
			continue
		}
		line := 0
		if n.Src != nil && n.Mod != nil {
			line, _ = n.Mod.AST.Position(n.Src.Pos())
		}
		if _, err := fmt.Fprintf(w, "  %3d %4d %s%s\n", i, line, n, succString(n)); err != nil {
			return err
		}
	}
	for i := range g.Barriers {
		if _, err := fmt.Fprintf(w, "  %s\n", g.Barriers[i].describe(g)); err != nil {
			return err
		}
	}
	return nil
}

// describe says past which step the barrier waits for what.
func (w *Barrier) describe(g *Graph) string {
	s := fmt.Sprintf("past %d", w.At)
	if w.Exit {
		s += " no"
	}
	line := func(x ast.Node) int {
		l, _ := g.Entry.Func.Module.AST.Position(x.Pos())
		return l
	}
	for _, call := range w.Calls {
		s += fmt.Sprintf(" call of %d", line(call))
	}
	switch {
	case w.Pool != nil:
		s += fmt.Sprintf(" pool of %d", line(w.Pool))
	case w.AnyPool:
		s += " any pool"
	case w.Kept != nil:
		s += " futures in " + w.Kept.String()
	}
	return s + " over"
}

func succString(n *Node) string {
	var s strings.Builder
	for _, e := range n.Succ {
		switch e.Kind {
		case Normal:
			fmt.Fprintf(&s, " ->%d", e.To)
		case True:
			fmt.Fprintf(&s, " yes->%d", e.To)
		case False:
			fmt.Fprintf(&s, " no->%d", e.To)
		case Exc:
			fmt.Fprintf(&s, " %s->%d", e.Exc, e.To)
		}
	}
	return s.String()
}

// String describes the step without its successors.
func (n *Node) String() string {
	var s strings.Builder
	s.WriteString(n.Op.String())
	if n.Mode != 0 {
		s.WriteString("!" + n.Mode.String())
	}
	if n.Loc != nil {
		s.WriteString(" " + n.Access())
	}
	switch n.Op {
	case Branch:
		s.WriteString(" " + n.Condition())
	case Acquire, Release:
		s.WriteString(" " + n.Lock.String())
	case Call:
		s.WriteString(" " + n.Name)
	case Raise, Assert:
		s.WriteString(" " + n.Name)
	case Put, SetFlag, Rebind, Enqueue, Return, Move:
		s.WriteString(" = " + describe(n.Val))
	case Spawn:
		if n.Entry != nil {
			s.WriteString(" " + n.Entry.Name())
		}
	case Read:
		if n.Mode&(Strict|Upsert) == 0 {
			s.WriteString(" default " + describe(n.Def))
		}
	}
	if n.Res != nil {
		s.WriteString(" as " + n.Res.id)
	}
	if len(n.Locks) > 0 {
		s.WriteString(" {")
		for i, l := range n.Locks {
			if i > 0 {
				s.WriteString(" ")
			}
			s.WriteString(l.String())
		}
		s.WriteString("}")
	}
	return s.String()
}

// Access returns the place a step touches as Python would write it, such as
// d[k] or d[k][j].
func (n *Node) Access() string {
	if n.Loc == nil {
		return ""
	}
	s := n.Loc.Root().Name
	for _, k := range n.Path {
		s += "[" + k.String() + "]"
	}
	if n.Key != nil {
		s += "[" + n.Key.String() + "]"
	}
	return s
}

// Condition returns the test of a Branch.
func (n *Node) Condition() string {
	v := describe(n.Val)
	switch n.Test {
	case TestTruth:
		return v
	case TestNone:
		return v + " is None"
	case TestEq:
		return v + " == " + describe(n.Want)
	case TestLess:
		return v + " < " + describe(n.Want)
	}
	return "?"
}

func describe(v *Value) string {
	if v == nil {
		return "None"
	}
	if v.Register() {
		return v.id
	}
	return v.String()
}

var modeNames = []string{
	"strict", "upsert", "update", "live", "comprehension", "swap", "filter", "initial", "forever", "timeout",
	"counting", "down", "async", "anykey", "reraise", "backward",
}

func (m Mode) String() string {
	var parts []string
	for i, name := range modeNames {
		if m&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, "+")
}

// Line returns the source line of a step, from 1, or 0 for a step without a
// place.
func (n *Node) Line() int {
	if n.Src == nil || n.Mod == nil {
		return 0
	}
	line, _ := n.Mod.AST.Position(n.Src.Pos())
	return line
}

// Text returns the source of a node of the step's module.
func (n *Node) Text(x ast.Node) string {
	if n.Mod == nil || x == nil {
		return ""
	}
	return string(n.Mod.AST.Text(x))
}
