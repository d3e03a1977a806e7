package status

import (
	"strings"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// findDrained collects the containers that a hook empties and returns: what it
// returns is over.
func (f *Facts) findDrained() {
	for _, e := range f.Comp.Entries {
		if !hook(e) {
			continue
		}
		emptied := map[*flow.Location]bool{}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			switch n.Op {
			case flow.Clear:
				emptied[n.Loc] = true
			case flow.Rebind:
				emptied[n.Loc] = emptied[n.Loc] || n.Mode&flow.Initial == 0
			}
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.Return {
				f.drainedBy(n.Val, emptied, e)
			}
		}
	}
}

// hook reports whether an entrypoint is called by code outside the component.
func hook(e *flow.Entry) bool {
	return (e.Role == flow.Caller || e.Role == flow.LoopTask) && len(e.Spawns) == 0
}

func (f *Facts) drainedBy(v *flow.Value, emptied map[*flow.Location]bool, e *flow.Entry) {
	if v == nil {
		return
	}
	for _, leaf := range v.Leaves() {
		switch {
		case leaf.Kind == flow.Derived:
			for _, a := range leaf.Args {
				f.drainedBy(a, emptied, e)
			}
		case leaf.Base != nil && leaf.Base.Kind == flow.Container && emptied[leaf.Base.Loc]:
			if !f.drained[leaf.Base.Loc] {
				f.drained[leaf.Base.Loc] = true
				f.Drained = append(f.Drained, leaf.Base.Loc)
			}
			f.addDrainer(e)
		}
	}
}

func (f *Facts) addDrainer(e *flow.Entry) {
	for _, have := range f.Drainers {
		if have == e {
			return
		}
	}
	f.Drainers = append(f.Drainers, e)
}

// IsDrained reports whether a hook empties a container and returns its content.
func (f *Facts) IsDrained(l *flow.Location) bool { return f.drained[l] }

// Concludes reports whether a step ends its request: it stores a terminal
// status, sets a flag that pollers answer with, or adds the key to a drained
// container.
func (f *Facts) Concludes(n *flow.Node) bool {
	switch n.Op {
	case flow.Put:
		return f.isMap[n.Loc] && f.Terminal(n.Val) || f.drained[n.Loc]
	case flow.SetFlag:
		return f.flags[n.Loc] && n.Mode&flow.Initial == 0 && (f.Terminal(n.Val) || n.Val != nil && n.Val.IsBool(true))
	}
	return false
}

// MayConclude is like Concludes for a value that is terminal on some walks.
func (f *Facts) MayConclude(n *flow.Node) bool {
	if f.Concludes(n) {
		return true
	}
	return n.Op == flow.Put && f.isMap[n.Loc] && f.MayBeTerminal(n.Val)
}

// success are parts of the names of terminal statuses that tell of a request
// that has gone well.
var success = []string{"succe", "done", "finish", "complete", "deliver", "passed", "released", "sent", "good", "ready"}

// FailureWord reports whether the name of a constant tells of a failure.
func FailureWord(name string) bool {
	name = strings.ToLower(name)
	return matches(name, DefaultWords.Terminal) && !matches(name, success)
}

// Failure reports whether the constant with an ID is a terminal status that
// tells of a failure.
func (f *Facts) Failure(id string) bool {
	v := f.byID[id]
	return v != nil && v.Terminal && !matches(strings.ToLower(v.Const.Name), success)
}
