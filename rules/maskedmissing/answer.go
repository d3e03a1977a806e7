package maskedmissing

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/rule"
)

// absent stands for a missing entry in place of the ID of a constant.
const absent = ""

// A question asks what an entrypoint does when a container holds a constant for
// a key, or nothing.
type question struct {
	loc  *flow.Location
	key  *flow.Value
	held string // ID of the constant, or absent
	// gone are the containers that have no entry either.
	gone map[*flow.Location]bool
	// ends are the ways out of branches on flags that were set at the end.
	ends map[way]bool
}

// A way is a step and the edge by which it is left.
type way struct {
	n *flow.Node
	e flow.Edge
}

// about reports whether a step looks the key up.
func (q question) about(n *flow.Node) (held string, ok bool) {
	if n.Loc == nil || n.Key == nil || len(n.Path) > 0 || n.Op != flow.Read && n.Op != flow.Has || !n.Key.Same(q.key) {
		return "", false
	}
	switch {
	case n.Loc == q.loc:
		return q.held, true
	case q.gone[n.Loc]:
		return absent, true
	}
	return "", false
}

// assume returns the result of a look-up.
func (q question) assume(n *flow.Node) string {
	held, ok := q.about(n)
	if !ok {
		return ""
	}
	switch {
	case n.Op == flow.Has && held == absent:
		return flow.FalseID
	case n.Op == flow.Has:
		return flow.TrueID
	case held != absent:
		return held
	case n.Mode&flow.Upsert != 0:
		return made(n)
	case n.Def == nil:
		return flow.NoneID
	case n.Def.Kind == flow.Const:
		return n.Def.ID()
	}
	return ""
}

// edge reports whether a strict look-up can be left by an edge.
func (q question) edge(n *flow.Node, e flow.Edge) bool {
	held, ok := q.about(n)
	if !ok || n.Mode&flow.Strict == 0 {
		return flow.KnownEdges(n, e) && !q.ends[way{n, e}]
	}
	return (held == absent) == (e.Kind == flow.Exc)
}

// search returns a search that follows the answer to the question.
func (q question) search(g *flow.Graph) flow.Search {
	s := flow.Search{Assume: q.assume, Edge: q.edge, AtReturn: true}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, ok := q.about(n); (ok || n.Op == flow.Move) && n.Res != nil {
			s.Track = append(s.Track, n.Res)
		}
	}
	return s
}

// reaches reports whether an entrypoint gets to a step.
func (q question) reaches(g *flow.Graph, to int32) bool {
	s := q.search(g)
	s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to }
	return g.Find(s) != nil
}

// An answer is a constant that an entrypoint returns, and a walk to there.
type answer struct {
	id   string
	path *flow.Path
}

// answers returns what an entrypoint returns, and whether all of it is known.
func (q question) answers(g *flow.Graph) (out []answer, all bool) {
	seen := map[string]bool{}
	s := q.search(g)
	s.Goal = func(_ int32, n *flow.Node, f flow.Facts) bool {
		if n.Op != flow.Return || n.Val == nil {
			return false
		}
		id, ok := f.Holds(n.Val)
		return ok && !seen[id] || !ok && !ofFlag(n.Val)
	}
	for {
		path := g.Find(s)
		if path == nil {
			return out, true
		}
		id, ok := path.Facts.Holds(g.Nodes[path.Nodes[len(path.Nodes)-1]].Val)
		out = append(out, answer{id, path})
		if !ok {
			return out, false
		}
		seen[id] = true
	}
}

// ofFlag reports whether a value is what a flag holds: the poller remembers an
// answer that it has given before.
func ofFlag(v *flow.Value) bool {
	for _, leaf := range v.Leaves() {
		if leaf.Kind != flow.Result || leaf.Loc == nil || leaf.Loc.Keyed() {
			return false
		}
	}
	return true
}

// ends returns the edges that a poller takes when a flag says that the request
// is over: it returns at once what the flag holds, or a terminal status.
func ends(st *status.Facts, g *flow.Graph) map[way]bool {
	out := map[way]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Branch || n.Val == nil || !ofFlag(n.Val) {
			continue
		}
		for _, e := range n.Succ {
			if v := returned(g, e.To); v != nil && (st.Terminal(v) || v.Same(n.Val) || ofFlag(v)) {
				out[way{n, e}] = true
			}
		}
	}
	return out
}

// returned returns what is returned when nothing but flags is read before, or
// nil.
func returned(g *flow.Graph, at int32) *flow.Value {
	for range 4 {
		n := &g.Nodes[at]
		if n.Op == flow.Return {
			return n.Val
		}
		if n.Op != flow.GetFlag && n.Op != flow.Move || len(n.Succ) != 1 {
			return nil
		}
		at = n.Succ[0].To
	}
	return nil
}

// made returns the ID of the constant that a look-up of a defaultdict makes, or
// "" when its factory makes something else.
func made(n *flow.Node) string {
	body := factoryBody(n.Loc)
	if body == nil {
		return ""
	}
	switch c := body.(type) {
	case *ast.Constant:
		switch c.Kind() {
		case ast.Str:
			return `c"` + c.Value()
		case ast.Int:
			return "c" + c.Value()
		}
	case *ast.Name:
		if c.Id() == "int" {
			return "c0"
		}
	}
	return ""
}

// factoryBody returns what the factory of a defaultdict makes: the body of a
// lambda, or the name of a type.
func factoryBody(l *flow.Location) ast.Expr {
	var found ast.Expr
	if l.Decl == nil {
		return nil
	}
	ast.Inspect(l.Decl, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok || len(call.Args()) == 0 || found != nil {
			return found == nil
		}
		switch f := call.Args()[0].(type) {
		case *ast.Lambda:
			found = f.Body
		case *ast.Name:
			found = f
		}
		return false
	})
	return found
}

// lookedUp returns the first step of a walk that looks the key up.
func lookedUp(g *flow.Graph, p *flow.Path, q question) *flow.Node {
	for _, id := range p.Nodes {
		if n := &g.Nodes[id]; n.Loc == q.loc {
			if _, ok := q.about(n); ok {
				return n
			}
		}
	}
	return nil
}

// at returns the place of a step of an entrypoint.
func at(a component.Access) rule.Step { return rule.Step{Entry: a.Entry, ID: a.ID} }
