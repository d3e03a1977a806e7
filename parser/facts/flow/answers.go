package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Answers keeps what has been found out about graphs, for programs that have most of
// them in common: a program as it is, and with one function changed. It is safe for
// concurrent use.
type Answers struct {
	// Anew finds answers that are known once more, and panics where they differ. It
	// is there for tests.
	Anew bool

	known sync.Map // of answer, by question
}

// A question about a graph, which is known by its form.
type question struct {
	form [sha256.Size]byte
	what any
}

// An answer, with the work that it took.
type answer struct {
	what any
	work int64
}

// Share lets a program take answers that are known already, and keep its own. Nothing
// may search its graphs at the same time, then or later.
func (p *Program) Share(a *Answers) { p.effort.answers = a }

// Ask answers a question about a graph. The answer must follow from the form of the
// graph (see [Graph.form]) and the question alone, in which steps are numbers and
// places go by their IDs: it is that of another graph of the same form if it is known
// for such a one. It counts as the work that it took there.
func Ask[Q comparable, A any](g *Graph, what Q, find func() A) A {
	if g.effort == nil || g.effort.answers == nil {
		return find()
	}
	known := &g.effort.answers.known
	q := question{g.form(), what}
	if have, ok := known.Load(q); ok {
		a := have.(answer)
		if g.effort.answers.Anew {
			if found := any(find()); found != a.what {
				panic(fmt.Sprintf("%s: the answer to %T %v is %v and was %v", g.Entry.Name(), what, what, found, a.what))
			}
			return a.what.(A)
		}
		g.spend(int(a.work))
		return a.what.(A)
	}
	before := g.spent.Load()
	found := find()
	if !g.exhausted() {
		known.Store(q, answer{found, g.spent.Load() - before})
	}
	return found
}

// once are the answers that a graph keeps for itself.
type once struct {
	mu sync.Mutex
	of map[any]*onceAnswer
}

type onceAnswer struct {
	once sync.Once
	what any
	ok   bool // it has been found
}

// forget drops the answers, which rest on searches.
func (o *once) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of = nil
}

// Once finds the answer to a question about a graph when it is asked for the first time,
// so that its work counts once. The answer may rest on all of the program.
func Once[Q comparable, A any](g *Graph, what Q, find func() A) A {
	g.once.mu.Lock()
	a := g.once.of[what]
	if a == nil {
		a = &onceAnswer{}
		if g.once.of == nil {
			g.once.of = map[any]*onceAnswer{}
		}
		g.once.of[what] = a
	}
	g.once.mu.Unlock()
	a.once.Do(func() { a.what, a.ok = find(), true })
	if !a.ok {
		panic(fmt.Sprintf("%s: the search for %T %v has failed before", g.Entry.Name(), what, what))
	}
	return a.what.(A)
}

// form identifies what the steps of a graph do and how they follow each other, whatever
// the positions in the source and the names of registers are: of a function that has
// only moved, the graph is of the same form.
func (g *Graph) form() [sha256.Size]byte {
	g.formed.once.Do(func() {
		w := formWriter{
			b: make([]byte, 0, 64*len(g.Nodes)), values: map[string]uint64{}, places: map[any]uint64{},
		}
		for i := range g.Nodes {
			w.node(&g.Nodes[i])
		}
		g.formed.sum = sha256.Sum256(w.b)
	})
	return g.formed.sum
}

// formWriter writes a graph down. Registers, functions, frames and places of the
// source get numbers in the order in which they occur.
type formWriter struct {
	b      []byte
	values map[string]uint64
	places map[any]uint64
}

func (w *formWriter) number(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *formWriter) text(s string) {
	w.number(uint64(len(s)))
	w.b = append(w.b, s...)
}

// place writes a pointer, as a number.
func (w *formWriter) place(at any) bool {
	n, known := w.places[at]
	if !known {
		n = uint64(len(w.places) + 1)
		w.places[at] = n
	}
	w.number(n)
	return !known
}

func (w *formWriter) node(n *Node) {
	w.b = append(w.b, byte(n.Op), byte(n.Test))
	w.number(uint64(n.Mode))
	w.location(n.Loc)
	w.class(n.On)
	for _, v := range []*Value{n.Obj, n.Key, n.Val, n.Def, n.Want, n.Res, n.Lock, n.Recv} {
		w.value(v)
	}
	w.list(n.Path)
	w.list(n.Locks)
	w.text(n.Name)
	w.function(n.Target)
	w.function(n.Fn)
	w.source(n.Src)
	if n.Stmt == nil {
		w.source(nil)
	} else {
		w.source(n.Stmt)
	}
	w.frame(n.Frame)
	w.place(n.Entry)
	w.number(uint64(len(n.Succ)))
	for _, e := range n.Succ {
		w.number(uint64(e.To))
		w.b = append(w.b, byte(e.Kind))
		w.text(e.Exc)
	}
}

func (w *formWriter) source(n ast.Node) {
	if n == nil {
		w.number(0)
		return
	}
	w.place(n)
}

func (w *formWriter) frame(f *Frame) {
	if f == nil {
		w.number(0)
		return
	}
	if w.place(f) {
		w.function(f.Fn)
		w.value(f.Self)
		w.source(f.Call)
		w.frame(f.Caller)
	}
}

func (w *formWriter) function(f *program.Func) {
	if f == nil {
		w.number(0)
		return
	}
	if w.place(f) {
		w.text(f.Module.Path)
		w.text(f.Qual)
	}
}

func (w *formWriter) class(c *program.Class) {
	if c == nil {
		w.number(0)
		return
	}
	if w.place(c) {
		w.text(c.Module.Path)
		w.text(c.Qual)
	}
}

func (w *formWriter) location(l *Location) {
	if l == nil {
		w.number(0)
		return
	}
	if w.place(l) {
		w.text(l.ID)
		w.number(uint64(l.Type.Kind))
		w.number(uint64(b2i(l.Optional)))
	}
}

func (w *formWriter) list(vs []*Value) {
	w.number(uint64(len(vs)))
	for _, v := range vs {
		w.value(v)
	}
}

func (w *formWriter) value(v *Value) {
	if v == nil {
		w.number(0)
		return
	}
	n, known := w.values[v.id]
	if !known {
		n = uint64(len(w.values) + 1)
		w.values[v.id] = n
	}
	w.number(n)
	w.number(uint64(v.Type.Kind))
	if known {
		return
	}
	w.b = append(w.b, byte(v.Kind), byte(v.Lit), byte(b2i(v.HasInt)), byte(b2i(v.Snapshot)))
	w.number(uint64(v.Int))
	w.text(v.Name)
	w.text(v.Type.Name)
	w.class(v.Type.Class)
	if v.Kind == Const {
		w.text(v.id)
	}
	w.value(v.Base)
	w.list(v.Args)
	w.list(v.Path())
	w.location(v.Loc)
	w.class(v.Cls)
	w.function(v.Fn)
	w.value(v.more().self)
	w.frame(v.more().frame)
	for _, p := range v.more().parts {
		w.text(p.name)
		w.number(uint64(p.at + 1))
		w.value(p.value)
	}
}
