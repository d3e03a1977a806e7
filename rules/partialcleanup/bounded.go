package partialcleanup

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// isTally reports whether a member counts for whoever asks for all counts: all that is
// stored adds to what was there, and nothing else looks an entry up.
func (c *check) isTally(m *member) bool {
	if slices.ContainsFunc(m.inserts, func(a component.Access) bool { return a.Op == flow.Put && !adds(a) }) {
		return false
	}
	return !slices.ContainsFunc(c.st.Comp.Accesses(m.loc), func(a component.Access) bool {
		looks := (a.Op == flow.Read || a.Op == flow.Has) && a.Key != nil
		return looks && !slices.ContainsFunc(m.inserts, func(in component.Access) bool { return in.Stmt == a.Stmt && in.Op == flow.Put })
	})
}

// adds reports whether a store adds to what was stored under the key.
func adds(a component.Access) bool {
	if a.Mode&flow.Counting != 0 {
		return true
	}
	v := a.Val
	return v != nil && v.Kind == flow.Derived && v.Name == ast.Add.String() && len(v.Args) == 2 && v.Args[0].Kind == flow.Result && v.Args[0].Loc == a.Loc
}

// byIndex reports whether the keys of a member are the numbers of the elements of a list,
// of which there are only as many: where something is stored under one, it indexes a list
// of the object as well.
func (c *check) byIndex(m *member) bool {
	return slices.ContainsFunc(m.inserts, c.indexes)
}

// indexes reports whether the function of a store uses its key as an index of a list.
func (c *check) indexes(a component.Access) bool {
	sub, ok := a.Src.(*ast.Subscript)
	if !ok || a.Fn == nil {
		return false
	}
	key, ok := sub.Slice.(*ast.Name)
	if !ok {
		return false
	}
	names, known := c.indices[a.Fn]
	if !known {
		names = c.indicesIn(a.Fn)
		c.indices[a.Fn] = names
	}
	return names[key.Id()]
}

// indicesIn returns the variables by which a function indexes lists that its object keeps.
func (c *check) indicesIn(f *program.Func) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		s, ok := n.(*ast.Subscript)
		if !ok {
			return true
		}
		key, ok := s.Slice.(*ast.Name)
		if ok && f.SelfAttr(s.Value) != "" && c.index.TypeOf(s.Value, program.Env{Module: f.Module, Func: f, Self: f.SelfClass()}).Kind == program.List {
			out[key.Id()] = true
		}
		return true
	})
	return out
}
