// Package keymap describes the key groups of a program: for each component the
// containers that one key indexes, who touches them in which thread, under
// which locks and guards, and the statuses that tell how a request stands.
//
// It turns facts into the plain records of package report. The same statement
// is often part of several access programs, once for each entrypoint that
// reaches it and for each call on the way; it becomes one record, with all
// entrypoints, and with the locks and guards that hold on every way.
package keymap

import (
	"cmp"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
)

// Groups returns the key groups of the components of all, sorted by component
// and key. Containers that are only ever indexed by constants, as tables of
// settings are, belong to none; those that several entrypoints fill and empty as
// a whole have an empty key.
func Groups(all []*status.Facts) []report.KeyGroup {
	m := mapper{guards: map[*flow.Graph]*dominance{}}
	var out []report.KeyGroup
	for _, st := range all {
		out = append(out, m.component(st)...)
	}
	slices.SortStableFunc(out, func(a, b report.KeyGroup) int {
		return cmp.Or(cmp.Compare(a.Component, b.Component), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// Limit returns the groups of which a container is created, or touched, in one
// of the named files.
func Limit(groups []report.KeyGroup, files map[string]bool) []report.KeyGroup {
	return slices.DeleteFunc(groups, func(g report.KeyGroup) bool {
		return !slices.ContainsFunc(g.Containers, func(c report.Container) bool {
			in := func(a report.Access) bool { return files[a.File] }
			return files[c.Created.File] || slices.ContainsFunc(c.Inserts, in) ||
				slices.ContainsFunc(c.Reads, in) || slices.ContainsFunc(c.Removals, in)
		})
	})
}

type mapper struct {
	guards map[*flow.Graph]*dominance
}

func (m *mapper) component(st *status.Facts) []report.KeyGroup {
	var out []report.KeyGroup
	stated := false // whether a group has taken the statuses
	for _, g := range st.Comp.Groups {
		key := keyOf(st.Comp, g)
		if key == "" && !whole(st.Comp, g) {
			continue
		}
		kg := report.KeyGroup{Component: st.Comp.Class.Qual, Key: key}
		touching := map[*flow.Entry]bool{}
		for _, root := range g.Locs {
			for _, l := range withInner(st.Comp, root) {
				if c, ok := m.container(st.Comp, l, touching); ok {
					kg.Containers = append(kg.Containers, c)
				}
			}
		}
		if len(kg.Containers) == 0 {
			continue
		}
		kg.Entrypoints = entrypoints(st.Comp, touching)
		if slices.ContainsFunc(g.Locs, st.IsMap) || len(st.Maps) == 0 && !stated {
			kg.Statuses = m.statuses(st, g, !stated)
			stated = true
		}
		out = append(out, kg)
	}
	return out
}

// withInner returns a container and those that are its values, at any depth.
func withInner(c *component.Component, l *flow.Location) []*flow.Location {
	out := []*flow.Location{l}
	for _, in := range c.Inner(l) {
		if in.Keyed() {
			out = append(out, withInner(c, in)...)
		}
	}
	return out
}

// keyOf returns the key of a group as most of its accesses write it; of equally
// frequent ones the shorter. It is empty when no access has a key that varies.
// The values of the containers have keys of their own, which do not count.
func keyOf(c *component.Component, g *component.Group) string {
	type place struct {
		mod *program.Module
		pos ast.Pos
	}
	seen := map[place]bool{}
	count := map[string]int{}
	for _, l := range g.Locs {
		for _, a := range c.Accesses(l) {
			if k := a.Key; k == nil || k.Kind == flow.Const || a.Src == nil || seen[place{a.Mod, a.Src.Pos()}] {
				continue
			}
			seen[place{a.Mod, a.Src.Pos()}] = true
			count[evidence.KeyText(a.Node)]++
		}
	}
	best := ""
	for text, n := range count {
		switch {
		case text == "":
		case best == "", n > count[best],
			n == count[best] && (len(text) < len(best) || len(text) == len(best) && text < best):
			best = text
		}
	}
	return best
}

// whole reports whether all accesses of a group are to whole containers, and
// come from several entrypoints: one fills a set, say, that another one drains.
func whole(c *component.Component, g *component.Group) bool {
	var first *flow.Entry
	several := false
	for _, l := range g.Locs {
		for _, a := range c.Accesses(l) {
			if _, ok := kindOf(a.Node); !ok {
				continue
			}
			if a.Key != nil {
				return false
			}
			several = several || first != nil && first != a.Entry
			first = a.Entry
		}
	}
	return several
}

func (m *mapper) container(c *component.Component, l *flow.Location, touching map[*flow.Entry]bool) (report.Container, bool) {
	out := report.Container{Name: l.String(), Owner: owner(l), Type: l.Type.Kind.String()}
	if l.Decl != nil {
		out.Created = location(l.DeclMod, l.Decl)
	}
	t := table{}
	for _, a := range c.Accesses(l) {
		if kind, ok := kindOf(a.Node); ok {
			touching[a.Entry] = true
			t.add(m.row(a, kind))
		}
	}
	for _, r := range t.sorted() {
		switch a := r.access(); a.Kind {
		case report.Insert, report.Upsert:
			out.Inserts = append(out.Inserts, a)
		case report.RemoveStrict, report.RemoveTolerant, report.Drain, report.Rebind:
			out.Removals = append(out.Removals, a)
		default:
			out.Reads = append(out.Reads, a)
		}
	}
	return out, len(t) > 0
}

// kindOf returns what a step does to its container. It reports false for the
// creation of the container, and for steps that are part of another one.
func kindOf(n *flow.Node) (report.AccessKind, bool) {
	strict := n.Mode&flow.Strict != 0
	switch n.Op {
	case flow.Read:
		switch {
		case n.Mode&flow.Upsert != 0:
			return report.Upsert, true
		case strict:
			return report.ReadStrict, true
		}
		return report.ReadTolerant, true
	case flow.Has, flow.Size:
		return report.Contains, true
	case flow.Put:
		if n.Mode&(flow.Upsert|flow.Update) != 0 {
			return report.Upsert, true
		}
		return report.Insert, true
	case flow.PutAll:
		return report.Upsert, true
	case flow.Del:
		if strict {
			return report.RemoveStrict, true
		}
		return report.RemoveTolerant, true
	case flow.DelAll:
		return report.RemoveTolerant, true
	case flow.Iter:
		if n.Mode&flow.Live != 0 {
			return report.IterateLive, true
		}
		return report.IterateSnapshot, true
	case flow.Clear:
		return report.Drain, true
	case flow.Rebind:
		if n.Mode&flow.Swap != 0 {
			return report.Drain, true
		}
		return report.Rebind, n.Mode&flow.Initial == 0
	}
	return 0, false
}

func owner(l *flow.Location) string {
	switch {
	case l.Owner != nil:
		return l.Owner.Qual
	case l.Fn != nil:
		return l.Fn.Qual
	case l.Mod != nil:
		return l.Mod.Path
	}
	return ""
}

func location(mod *program.Module, n ast.Node) report.Location {
	l := report.Location{File: mod.File}
	l.Line, l.Column = mod.AST.Position(n.Pos())
	l.EndLine, l.EndColumn = mod.AST.Position(n.End())
	return l
}

// roles are the words for the roles of entrypoints.
var roles = map[flow.Role]string{
	flow.Caller: "hook", flow.Init: "constructor", flow.ThreadOf: "thread",
	flow.Pool: "pool", flow.Callback: "callback", flow.LoopTask: "task",
}

// entrypoints describes those of a component that are in the set, in its order.
// What is started with different arguments is one entrypoint.
func entrypoints(c *component.Component, in map[*flow.Entry]bool) []report.Entrypoint {
	var out []report.Entrypoint
	for _, e := range c.Entries {
		if !in[e] {
			continue
		}
		i := slices.IndexFunc(out, func(x report.Entrypoint) bool { return x.Name == e.Name() && x.Role == roles[e.Role] })
		if i < 0 {
			i = len(out)
			out = append(out, report.Entrypoint{Name: e.Name(), Role: roles[e.Role]})
		}
		out[i].Many = out[i].Many || e.Many
		for _, s := range e.Spawns {
			if at := location(s.Mod, s.Src); !slices.Contains(out[i].Spawns, at) {
				out[i].Spawns = append(out[i].Spawns, at)
			}
		}
	}
	for i := range out {
		slices.SortFunc(out[i].Spawns, compareLocations)
	}
	return out
}

func compareLocations(a, b report.Location) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.EndColumn, b.EndColumn))
}
