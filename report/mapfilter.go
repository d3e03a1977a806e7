package report

import (
	"slices"
	"strings"
)

// A MapFilter narrows a map of key groups to what a reader asks for. An empty
// field asks for everything.
type MapFilter struct {
	// Container is the name of a container, as "jobs", or that with the class
	// that keeps it, as "Manager.jobs". Its values, "jobs[]", belong to it.
	Container string
	// Key is a key as one of the accesses writes it.
	Key string
	// Entrypoint is the name of an entrypoint, or the last part of one.
	Entrypoint string
}

// Apply returns the groups that the filter lets pass, with what is left of
// them: the containers asked for, and the accesses and entrypoints of the
// entrypoint asked for. The groups themselves stay as they are.
func (f MapFilter) Apply(groups []KeyGroup) []KeyGroup {
	if f == (MapFilter{}) {
		return groups
	}
	var out []KeyGroup
	for _, g := range groups {
		if f.Key != "" && !g.writes(f.Key) {
			continue
		}
		whole := len(g.Containers)
		g.Containers = f.containers(g.Containers)
		if len(g.Containers) == 0 {
			continue
		}
		g.Entrypoints = slices.Clone(g.Entrypoints)
		g.Entrypoints = slices.DeleteFunc(g.Entrypoints, func(e Entrypoint) bool { return !g.reaches(e.Name) || !f.reached(e.Name) })
		g.Statuses = f.statuses(g.Statuses, len(g.Containers) == whole)
		out = append(out, g)
	}
	return out
}

// containers returns the containers that pass, each with its accesses that do.
func (f MapFilter) containers(all []Container) []Container {
	var out []Container
	for _, c := range all {
		if !f.named(c) {
			continue
		}
		c.Inserts, c.Reads, c.Removals = f.accesses(c.Inserts), f.accesses(c.Reads), f.accesses(c.Removals)
		if f.Entrypoint == "" || len(c.accesses()) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (f MapFilter) named(c Container) bool {
	for name, inner := c.Name, true; inner; name, inner = strings.CutSuffix(name, "[]") {
		if f.Container == name || f.Container == c.Owner+"."+name {
			return true
		}
	}
	return f.Container == ""
}

func (f MapFilter) accesses(all []Access) []Access {
	if f.Entrypoint == "" {
		return all
	}
	var out []Access
	for _, a := range all {
		if slices.ContainsFunc(a.Entrypoints, f.reached) {
			out = append(out, a)
		}
	}
	return out
}

// statuses returns what passes of the statuses; those that no container of the
// group holds belong to the group as a whole.
func (f MapFilter) statuses(all []Status, whole bool) []Status {
	var out []Status
	for _, s := range all {
		if f.Container != "" && f.Container != s.Container && !whole {
			continue
		}
		s.Writers, s.Readers = f.accesses(s.Writers), f.accesses(s.Readers)
		if f.Entrypoint == "" || len(s.Writers)+len(s.Readers) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// reached reports whether the filter asks for an entrypoint.
func (f MapFilter) reached(name string) bool {
	return f.Entrypoint == "" || f.Entrypoint == name || f.Entrypoint == lastPart(name)
}

// writes reports whether an access of the group writes its key like that.
func (g *KeyGroup) writes(key string) bool {
	return g.Key == key || slices.ContainsFunc(g.Containers, func(c Container) bool {
		return slices.ContainsFunc(c.accesses(), func(a Access) bool { return a.Key == key })
	})
}

// reaches reports whether an entrypoint reaches one of the containers.
func (g *KeyGroup) reaches(entrypoint string) bool {
	return slices.ContainsFunc(g.Containers, func(c Container) bool {
		return slices.ContainsFunc(c.accesses(), func(a Access) bool { return slices.Contains(a.Entrypoints, entrypoint) })
	})
}
