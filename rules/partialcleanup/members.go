package partialcleanup

import (
	"maps"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A member is a container of the key group.
type member struct {
	loc              *flow.Location
	inserts, removes []component.Access
	// bulk reports that some step empties or replaces the container, or takes
	// entries of its own choice.
	bulk bool
	// escapes reports that the container is handed to code that is not followed.
	escapes bool
}

// keyed reports whether requests put entries into the member.
func (m *member) keyed() bool { return len(m.inserts) > 0 }

// membersOf returns the dictionaries and sets of a key group.
func membersOf(comp *component.Component, g *component.Group, escaped map[*flow.Location]bool) []*member {
	var out []*member
	for _, l := range g.Locs {
		switch l.Type.Kind {
		case program.Dict, program.DefaultDict, program.Counter, program.Set:
		default:
			continue
		}
		if l.Outer != nil || l.Fn != nil {
			continue
		}
		m := &member{loc: l, escapes: escaped[l]}
		for _, a := range comp.Accesses(l) {
			m.add(a)
		}
		out = append(out, m)
	}
	return out
}

func (m *member) add(a component.Access) {
	if a.Mode&flow.Initial != 0 {
		return
	}
	switch {
	case a.Op == flow.Del && a.Mode&flow.AnyKey == 0 && a.Key != nil:
		m.removes = append(m.removes, a)
	case a.Op == flow.Del, a.Op == flow.Clear, a.Op == flow.Rebind, a.Op == flow.DelAll:
		m.bulk = true
	case inserts(a.Node) && a.Key != nil && a.Key.Kind != flow.Const:
		m.inserts = append(m.inserts, a)
	}
}

// inserts reports whether a step can create an entry of its location.
func inserts(n *flow.Node) bool {
	return n.Op == flow.Put || n.Op == flow.Read && n.Mode&flow.Upsert != 0
}

// escapes returns the containers that are handed as a whole to code that is not
// followed, or kept under another name.
func escapes(comp *component.Component) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for _, e := range comp.Entries {
		maps.Copy(out, flow.Once(e.Graph, escapesNote{}, func() map[*flow.Location]bool { return escapesFrom(e.Graph) }))
	}
	return out
}

type escapesNote struct{}

func escapesFrom(g *flow.Graph) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Call, flow.Put, flow.SetFlag, flow.Enqueue, flow.Return, flow.Rebind:
			markEscapes(n.Val, n.Loc, out)
		}
	}
	return out
}

func markEscapes(v *flow.Value, into *flow.Location, out map[*flow.Location]bool) {
	if v == nil {
		return
	}
	switch v.Kind {
	case flow.Phi:
		for _, leaf := range v.Leaves() {
			markEscapes(leaf, into, out)
		}
	case flow.Container:
		if v.Loc != into && v.Loc.Outer == nil {
			out[v.Loc] = true
		}
	case flow.Derived:
		for _, a := range v.Args {
			markEscapes(a, into, out)
		}
	}
}

// removalsIn counts, for each attribute name, the places of the program that
// remove something from an attribute of this name, of whatever object.
func removalsIn(p *program.Program) map[string]int {
	out := map[string]int{}
	for _, f := range p.Funcs {
		if f.Outer != nil {
			continue // part of the function around it
		}
		ast.Inspect(f.Node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				if m, ok := n.Func.(*ast.Attribute); ok && removers[m.Attr()] {
					count(m.Value, out)
				}
			case *ast.Delete:
				for _, t := range n.Targets {
					if sub, ok := t.(*ast.Subscript); ok {
						count(sub.Value, out)
					}
				}
			}
			return true
		})
	}
	return out
}

var removers = map[string]bool{
	"pop": true, "popitem": true, "remove": true, "discard": true, "clear": true, "difference_update": true, "intersection_update": true,
}

func count(e ast.Expr, out map[string]int) {
	if at, ok := e.(*ast.Attribute); ok {
		out[at.Attr()]++
	}
}
