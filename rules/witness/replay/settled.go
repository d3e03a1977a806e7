package replay

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// An attribute that constructors alone set says the same wherever it is tested. So a test
// that the schedule does not come to, as one in patched code, has the outcome of those
// which it comes to.

// A testedAttr is an attribute that a branch of the schedule asks for.
type testedAttr struct {
	n     *flow.Node
	holds bool
}

// noteTested notes the outcome of a branch that only asks for an attribute.
func (s *Script) noteTested(n *flow.Node, holds bool) {
	if _, ok := n.Src.(*ast.Attribute); ok && n.Frame != nil {
		s.tested = append(s.tested, testedAttr{n, holds})
	}
}

// findModes finds what the schedule knows of attributes that constructors alone set.
func (s *Script) findModes(index *program.Program) {
	s.modes = map[string]bool{}
	var torn []string
	for _, t := range s.tested {
		k := keyOf(t.n.Frame)
		id := settledAttr(index, t.n.Src.(*ast.Attribute), program.Env{Module: t.n.Mod, Func: t.n.Fn, Self: k.self})
		if id == "" {
			continue
		}
		if before, ok := s.modes[id]; ok && before != t.holds {
			torn = append(torn, id)
		}
		s.modes[id] = t.holds
	}
	for _, id := range torn {
		delete(s.modes, id)
	}
}

// settledAttr identifies the attribute that an expression reads, if constructors alone
// set it; else it is empty.
func settledAttr(index *program.Program, x *ast.Attribute, env program.Env) string {
	t := index.TypeOf(x.Value, env)
	if t.Kind != program.Instance {
		return ""
	}
	owner := t.ClassWith(x.Attr()).AttrOwner(x.Attr())
	if owner == nil || owner.Attrs[x.Attr()] == nil {
		return ""
	}
	defs := owner.Attrs[x.Attr()].Defs
	if index.Stores(x.Attr()) != len(defs) || slices.ContainsFunc(defs, func(d program.Def) bool { return d.Func == nil || d.Func.Name != "__init__" }) {
		return ""
	}
	return owner.Module.Path + " " + owner.Qual + "." + x.Attr()
}

// asked reports whether the schedule comes to a place whose outcome the slice cannot decide.
func (w *writer) asked(n ast.Node) bool {
	site := w.site(n)
	for key := range w.e.s.answers {
		if siteOf(key) == site {
			return true
		}
	}
	return false
}

// mode returns what the schedule knows of an attribute that a condition asks for at a place
// which it does not come to.
func (w *writer) mode(n ast.Node) (holds, known bool) {
	x, ok := n.(*ast.Attribute)
	if !ok || len(w.e.s.modes) == 0 {
		return false, false
	}
	if w.asked(n) {
		return false, false
	}
	holds, known = w.e.s.modes[settledAttr(w.e.index, x, program.Env{Module: w.mod, Func: w.fn, Self: w.f.key.self})]
	return holds, known
}
