package witness

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Doubt tells why the exclusion of a problem says nothing about the program; it is empty
// where it does.
//
// The model does less than the program where it does not know a key, what fills a
// container, or which lock is taken, and of requests of other keys it knows nothing. So an
// exclusion holds only where nothing of that is the case, and where each place that the
// problem names is come to by some schedule of its own, in whatever order and by whatever
// thread.
func Doubt(p Problem, bound Bound) string {
	places := p.places()
	if len(places) == 0 {
		return "the finding names no step that it needs"
	}
	for _, group := range places {
		k := group[0]
		if n := &k.Entry.Graph.Nodes[k.Node]; n.Key == nil && n.Op != flow.SetFlag && n.Op != flow.GetFlag {
			return fmt.Sprintf("one key is looked at, and requests of other keys come to %s as well", k.place())
		}
	}
	if why := compile(p, bound).lacks(); why != "" {
		return why
	}
	for _, group := range places {
		q := p
		q.Property, q.Path = NoPassage, [][]Mark{group}
		q.Trigger, q.Victims, q.Release, q.Reset, q.Undo, q.Watch, q.Victim, q.Must = nil, nil, nil, nil, nil, nil, nil, 0
		if Search(q, bound).Verdict != Found {
			return fmt.Sprintf("nothing that is known of the program leads to %s", group[0].place())
		}
	}
	return ""
}

// places returns the groups of places of which a violation passes one each, as places
// that any thread can pass.
func (p Problem) places() [][]Mark {
	var out [][]Mark
	for _, group := range append(append([][]Mark(nil), p.Path...), p.Victims, p.Release, p.Trigger) {
		if len(group) == 0 {
			continue
		}
		var free []Mark
		for _, k := range group {
			k.Same, k.Other, k.Raises = false, false, false
			free = append(free, k)
		}
		out = append(out, free)
	}
	return out
}

// place returns the file and the line of a place.
func (k Mark) place() string { return placeOf(k.Entry, &k.Entry.Graph.Nodes[k.Node]) }

func placeOf(e *flow.Entry, n *flow.Node) string {
	file, line := position(Event{Entry: e}, n)
	return fmt.Sprintf("%s:%d", file, line)
}

// lacks tells what the programs do to tracked state that the model leaves out; it is empty
// where that is nothing.
func (m *model) lacks() string {
	var mixed []string
	for l := range m.mixed {
		mixed = append(mixed, l.Name)
	}
	if len(mixed) > 0 {
		return fmt.Sprintf("which lock of %s is taken is not known", slices.Min(mixed))
	}
	for _, pr := range m.progs {
		made := pr.madeOfKeys()
		for i := range pr.nodes {
			if why := pr.nodes[i].lacks(made); why != "" {
				return fmt.Sprintf("%s %s is not known", why, placeOf(pr.entry, pr.nodes[i].node))
			}
		}
	}
	return ""
}

// madeOfKeys returns what calls make of the keys of the program, as key.lower() does.
func (pr *prog) madeOfKeys() map[string]bool {
	keys, made := map[string]bool{}, map[string]bool{}
	for i := range pr.nodes {
		if k := pr.nodes[i].node.Key; k != nil && pr.nodes[i].slot >= 0 {
			keys[k.ID()] = true
		}
	}
	for i := range pr.nodes {
		n := pr.nodes[i].node
		if n.Op != flow.Call || n.Res == nil {
			continue
		}
		look := func(v *flow.Value) {
			if keys[v.ID()] {
				made[n.Res.ID()] = true
			}
		}
		n.Recv.Walk(look)
		n.Val.Walk(look)
	}
	return made
}

// lacks begins a sentence about what the model leaves out of a step, given what calls make
// of keys.
func (in *inst) lacks(made map[string]bool) string {
	const entry = "whether it is the same entry in"
	n := in.node
	switch {
	case len(in.over) > 0 && handled(n):
		return "which tasks have ended behind"
	case in.slot < 0 || in.skip || in.mode&flow.Initial != 0:
		return ""
	case in.never:
		return entry
	case in.op == flow.Rebind && in.fill < 0 && n.Val != nil && n.Val.Kind == flow.Object && !isEmpty(n.Src),
		in.op == flow.PutAll && in.from < 0 && !in.same:
		return "what is stored in"
	}
	unknown := false
	n.Key.Walk(func(v *flow.Value) {
		unknown = unknown || v.Kind == flow.Opaque || made[v.ID()]
	})
	if unknown {
		return entry
	}
	return ""
}

// handled reports whether a handler takes the exceptions of a step.
func handled(n *flow.Node) bool {
	return slices.ContainsFunc(n.Succ, func(e flow.Edge) bool { return e.Kind == flow.Exc && e.To != flow.FailNode })
}

// isEmpty reports whether a statement stores an empty container.
func isEmpty(st ast.Node) bool {
	var value ast.Expr
	switch st := st.(type) {
	case *ast.Assign:
		value = st.Value
	case *ast.AnnAssign:
		value = st.Value
	}
	switch e := value.(type) {
	case *ast.Dict:
		return len(e.Keys) == 0
	case *ast.List:
		return len(e.Elts) == 0
	case *ast.Call:
		return len(e.Args())+len(e.Keywords()) == 0
	}
	return false
}
