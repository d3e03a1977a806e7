package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// runners are the entrypoints that run a function.
type runners struct {
	hooks  []*flow.Entry
	onLoop bool // one that begins on an event loop
	other  bool // any other one, constructors apart
}

func (g *grouping) findRunners() {
	g.runs = map[*program.Func]*runners{}
	for _, e := range g.p.Entries {
		var last *program.Func
		for i := range e.Graph.Nodes {
			if f := e.Graph.Nodes[i].Fn; f != last {
				last = f
				g.note(f, e)
			}
		}
	}
}

// note notes that an entrypoint runs a function.
func (g *grouping) note(f *program.Func, e *flow.Entry) {
	r := g.runs[f]
	if r == nil {
		r = &runners{}
		g.runs[f] = r
	}
	switch e.Role {
	case flow.Init:
	case flow.LoopTask:
		r.onLoop = true
	case flow.Caller:
		if !slices.Contains(r.hooks, e) {
			r.hooks = append(r.hooks, e)
		}
	default:
		r.other = true
	}
}

// calledOnLoop reports whether the program calls hooks of a class, be it on an object
// whose class is not known, and all calls are made on an event loop.
func (g *grouping) calledOnLoop(c *program.Class, entries []*flow.Entry) bool {
	if g.runs == nil {
		g.findRunners()
	}
	called := false
	for _, e := range entries {
		if e.Class != c || e.Role != flow.Caller {
			continue
		}
		switch g.calls(c, e.Func.Name, map[string]bool{}) {
		case onLoop:
			called = true
		case offLoop:
			return false
		}
	}
	return called
}

// hooksOnLoop returns the hooks that only tasks of an event loop call.
func (g *grouping) hooksOnLoop(entries []*flow.Entry) map[*flow.Entry]bool {
	if g.runs == nil {
		g.findRunners()
	}
	var out map[*flow.Entry]bool
	for _, e := range entries {
		if e.Role == flow.Caller && e.Class != nil && g.calls(e.Class, e.Func.Name, map[string]bool{}) == onLoop {
			if out == nil {
				out = map[*flow.Entry]bool{}
			}
			out[e] = true
		}
	}
	return out
}

// calling says where hooks of some name are called.
type calling uint8

const (
	nowhere calling = iota
	onLoop
	offLoop // or nobody knows
)

// calls is calledOnLoop for the hooks of a name; what calls them may be a hook itself.
func (g *grouping) calls(c *program.Class, name string, asked map[string]bool) calling {
	asked[name] = true
	if g.p.UsedAsValue(name) {
		return offLoop // who calls it is not known
	}
	out := nowhere
	for _, s := range g.p.Index.Calls(name) {
		at, ok := s.Call.Func.(*ast.Attribute)
		if !ok || s.Func.OnSelf(at.Value) || program.IsSuper(at.Value) {
			continue
		}
		t := g.p.Index.TypeOf(at.Value, program.Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()})
		related := func(k *program.Class) bool { return k.IsSubclass(c) || c.IsSubclass(k) }
		if classes := t.Classes(); len(classes) > 0 && !slices.ContainsFunc(classes, related) {
			continue
		}
		r := g.runs[s.Func]
		if r == nil || r.other {
			return offLoop
		}
		for _, h := range r.hooks {
			if asked[h.Func.Name] {
				continue
			}
			if g.calls(h.Class, h.Func.Name, asked) != onLoop {
				return offLoop
			}
			out = onLoop
		}
		if r.onLoop {
			out = onLoop
		}
	}
	return out
}
