package keymap

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
)

// A carrier is a place that holds the status of a request, with what happens to
// each of its values.
type carrier struct {
	loc              *flow.Location
	writers, readers map[string]*table // by the ID of the value
}

// statuses describes the values of the status maps of a group and, if wanted,
// of the flags and fields that hold a status.
func (m *mapper) statuses(st *status.Facts, g *component.Group, flags bool) []report.Status {
	carriers := map[*flow.Location]*carrier{}
	var order []*carrier
	at := func(l *flow.Location) *carrier {
		if l == nil || !(st.IsMap(l) && g.Has(l)) && !(flags && st.IsFlag(l)) {
			return nil
		}
		if carriers[l] == nil {
			carriers[l] = &carrier{l, map[string]*table{}, map[string]*table{}}
			order = append(order, carriers[l])
		}
		return carriers[l]
	}
	for _, e := range st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			a := component.Access{Entry: e, ID: int32(i), Node: n}
			switch n.Op {
			case flow.Put, flow.SetFlag:
				if c := at(n.Loc); c != nil {
					m.writes(st, c, a)
				}
			case flow.Branch:
				if c := at(tested(n)); c != nil && n.Want != nil {
					m.reads(st, c, a)
				}
			}
		}
	}
	var out []report.Status
	for _, c := range order {
		for _, v := range st.Values {
			w, r := c.writers[v.ID], c.readers[v.ID]
			if w == nil && r == nil {
				continue
			}
			s := report.Status{Container: c.name(), Value: v.Const.String(), Terminal: v.Terminal}
			if w != nil {
				s.Writers = w.accesses()
			}
			if r != nil {
				s.Readers = r.accesses()
			}
			out = append(out, s)
		}
	}
	return out
}

// name returns the name of the container, or that of a flag with its class.
func (c *carrier) name() string {
	if c.loc.Keyed() || c.loc.Owner == nil {
		return c.loc.String()
	}
	return c.loc.Owner.Qual + "." + c.loc.Name
}

// tested returns the location of what a branch compares with a constant.
func tested(n *flow.Node) *flow.Location {
	if n.Test != flow.TestEq || n.Val == nil || n.Val.Kind != flow.Result {
		return nil
	}
	return n.Val.Loc
}

// writes adds a step that stores a status to the writers of each value that it
// may store. The place is where the value comes from: the call of a setter, for
// a constant that is passed to it.
func (m *mapper) writes(st *status.Facts, c *carrier, a component.Access) {
	if a.Val == nil {
		return
	}
	kind, ok := kindOf(a.Node)
	if !ok {
		kind = report.Upsert // of a flag
	}
	values := a.Val.Leaves()
	for i := 0; i < len(values); i++ {
		if v := values[i]; v.Kind == flow.Derived {
			values = append(values, v.Args...)
		}
	}
	for _, v := range values {
		if !st.Known(v.ID()) {
			continue
		}
		r := m.row(a, kind)
		for f := a.Frame; f != nil && f.Caller != nil && f.Call != nil && passes(f, v); f = f.Caller {
			r.at, r.function, r.key = location(f.Mod, f.Call), f.Caller.Fn.Qual, ""
			r.guards = nil
		}
		add(c.writers, v.ID(), r)
	}
}

// passes reports whether a call passes a value as an argument.
func passes(f *flow.Frame, v *flow.Value) bool {
	return slices.ContainsFunc(f.Args, func(x *flow.Value) bool { return x != nil && x.Same(v) })
}

// reads adds a branch to the readers of the status that it compares with.
func (m *mapper) reads(st *status.Facts, c *carrier, a component.Access) {
	if !st.Known(a.Want.ID()) {
		return
	}
	kind := report.ReadTolerant
	if at := a.Entry.Graph.Producer(a.Val); at >= 0 {
		if k, ok := kindOf(&a.Entry.Graph.Nodes[at]); ok {
			kind = k
		}
	}
	add(c.readers, a.Want.ID(), m.row(a, kind))
}

func add(tables map[string]*table, id string, r row) {
	if tables[id] == nil {
		tables[id] = &table{}
	}
	tables[id].add(r)
}
