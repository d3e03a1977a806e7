package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Doubt tells why the exclusion of a problem says nothing about the program; it is empty
// where it does.
//
// The model does less than the program where it does not know a key, what fills a
// container, or which lock is taken and whether at all; of requests of other keys, and of
// other objects, it knows nothing. So an exclusion holds only where nothing of that is the
// case, and where each place that the problem names is come to by some schedule of its own,
// in whatever order and by whatever thread.
//
// The entrypoints are those of the whole program: what others than the actors do to the
// state is left out, too.
func Doubt(p Problem, bound Bound, all []*flow.Entry) string {
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
	if why := p.leavesOut(all); why != "" {
		return why
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

// leavesOut tells of a step on tracked state of an entrypoint that is no actor.
func (p Problem) leavesOut(all []*flow.Entry) string {
	for _, e := range all {
		if slices.ContainsFunc(p.Actors, func(a Actor) bool { return a.Entry == e }) {
			continue
		}
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Loc != nil && n.Mode&flow.Initial == 0 && slices.Contains(p.Track, n.Loc) {
				return fmt.Sprintf("%s touches the same state, and was not looked at", placeOf(e, n))
			}
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
	if why := m.shares(); why != "" {
		return why
	}
	for _, pr := range m.progs {
		made := pr.madeOfKeys()
		var key *flow.Value
		for i := range pr.nodes {
			in := &pr.nodes[i]
			if _, tracked := m.slotOf[in.node.Loc]; tracked && in.skip && in.never && in.mode&flow.Initial == 0 {
				return fmt.Sprintf("whether it is the same entry in %s is not known", placeOf(pr.entry, in.node))
			}
			if why := in.lacks(made); why != "" {
				return fmt.Sprintf("%s %s is not known", why, placeOf(pr.entry, in.node))
			}
			k := component.RootKey(in.node)
			if in.slot < 0 || in.skip || k == nil || m.slots[in.slot].kind != keyed {
				continue
			}
			if key != nil && !key.Same(k) {
				return fmt.Sprintf("%s can be about another request than the steps before it", placeOf(pr.entry, in.node))
			}
			key = k
		}
	}
	return ""
}

// shares tells which tracked state another object may have as well, or which lock need not
// be the one of the object; it is empty where each object makes its own, of one class.
func (m *model) shares() string {
	var owner *program.Class
	first := true
	for _, s := range m.slots {
		l := s.loc.Root()
		switch {
		case s.kind == flag:
			continue
		case l.Owner != nil && !madeAnew(l, false):
			return fmt.Sprintf("whether each object has its own %s is not known", l.Name)
		case !first && owner != l.Owner && len(m.locks) > 0:
			return fmt.Sprintf("whether %s is always that of the same object is not known", l.Name)
		}
		owner, first = l.Owner, false
	}
	for _, k := range m.locks {
		if k.loc == nil || k.loc.Outer != nil || k.loc.Owner != owner || owner != nil && !madeAnew(k.loc, true) {
			return "which lock is taken is not known"
		}
	}
	return ""
}

// madeAnew reports whether the constructor gives each object something new of its own as an
// attribute, whatever happens, and nothing replaces it, or only something new does.
func madeAnew(l *flow.Location, once bool) bool {
	a := l.Owner.Attrs[l.Name]
	if a == nil || a.ClassLevel || len(a.Outside) > 0 {
		return false
	}
	for _, c := range slices.Concat(l.Owner.MRO, l.Owner.Family()) {
		if c != l.Owner && c.Attrs[l.Name] != nil {
			return false
		}
	}
	made := 0
	for _, d := range a.Defs {
		first := d.Func != nil && d.Func.Name == "__init__" &&
			slices.ContainsFunc(d.Func.Body(), func(st ast.Stmt) bool { return ast.Node(st) == d.Node })
		if !isNew(d.Value) || once && !first {
			return false
		}
		if first {
			made++
		}
	}
	return made == 1
}

// isNew reports whether an expression makes a new container, queue or lock.
func isNew(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Dict, *ast.List, *ast.Set, *ast.DictComp, *ast.ListComp, *ast.SetComp:
		return true
	case *ast.Call:
		name := e.Callee()
		return slices.Contains(makers, name[strings.LastIndexByte(name, '.')+1:])
	}
	return false
}

// makers are the types of the standard library whose call makes a new object.
var makers = []string{
	"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque", "Queue", "SimpleQueue", "PriorityQueue",
	"LifoQueue", "Lock", "RLock", "Condition",
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
	case in.op == flow.Acquire && in.lock >= 0 && maybe(n.Src):
		return "whether the lock is held behind"
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

// maybe reports whether a call may come back without the lock that it is to take.
func maybe(at ast.Node) bool {
	call, ok := at.(*ast.Call)
	return ok && len(call.Args())+len(call.Keywords()) > 0
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
