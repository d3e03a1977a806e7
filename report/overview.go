package report

import (
	"fmt"
	"slices"
	"strings"
)

// An overviewCount is what a run comes to in numbers.
type overviewCount struct {
	Components  int      `json:"components"`
	Entrypoints int      `json:"entrypoints"`
	Containers  int      `json:"containers"`
	Keys        []string `json:"keys"`
	Findings    int      `json:"findings"`
	Hangs       int      `json:"hangs"` // ways in which a request can hang
}

// countOverview counts the key groups and the findings of run.
func countOverview(run *Run) overviewCount {
	o := overviewCount{Findings: len(run.Findings), Keys: []string{}}
	components, entries := make(map[string]bool), make(map[string]bool)
	for _, g := range run.Maps {
		components[g.Component] = true
		o.Containers += len(g.Containers)
		for _, e := range g.Entrypoints {
			entries[e.Name] = true
		}
		if g.Key != "" && !slices.Contains(o.Keys, g.Key) {
			o.Keys = append(o.Keys, g.Key)
		}
	}
	o.Components, o.Entrypoints = len(components), len(entries)
	for _, f := range run.Findings {
		if familyOf(f.Rule) == 0 {
			o.Hangs++
		}
	}
	return o
}

// overview says in a line what was looked at and what it comes to: "5
// components, 23 entrypoints, 14 containers keyed by room; 9 ways in which a
// request can hang". What is not known is not said.
func overview(run *Run) string {
	o := countOverview(run)
	var parts []string
	if len(run.Maps) > 0 {
		text := fmt.Sprintf("%s, %s, %s", count(o.Components, "component"), count(o.Entrypoints, "entrypoint"), count(o.Containers, "container"))
		if len(o.Keys) == 1 {
			text += " keyed by " + visible(o.Keys[0])
		}
		parts = append(parts, text)
	}
	switch {
	case o.Hangs > 0:
		parts = append(parts, count(o.Hangs, "way")+" in which a request can hang")
	case o.Findings == 0:
		parts = append(parts, "no findings")
	}
	return strings.Join(parts, "; ")
}
