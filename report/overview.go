package report

import (
	"fmt"
	"slices"
	"strings"
)

// hangPrefix starts the IDs of the rules about requests that never conclude.
const hangPrefix = "KV1"

// overview says in a sentence or two what was looked at and what it comes to:
// "5 components, 23 entrypoints, 14 containers keyed by room; 9 ways in which
// a request can hang". What is not known is not said.
func overview(run *Run) string {
	var parts []string
	if looked := mapCounts(run.Maps); looked != "" {
		parts = append(parts, looked)
	}
	hangs := 0
	for _, f := range run.Findings {
		if strings.HasPrefix(f.Rule, hangPrefix) {
			hangs++
		}
	}
	switch {
	case hangs == 1:
		parts = append(parts, "1 way in which a request can hang")
	case hangs > 1:
		parts = append(parts, fmt.Sprintf("%d ways in which a request can hang", hangs))
	case len(run.Findings) == 0:
		parts = append(parts, "no findings")
	}
	return strings.Join(parts, "; ")
}

// mapCounts counts what the key groups hold.
func mapCounts(groups []KeyGroup) string {
	if len(groups) == 0 {
		return ""
	}
	components, entries := make(map[string]bool), make(map[string]bool)
	containers := 0
	var keys []string
	for _, g := range groups {
		components[g.Component] = true
		containers += len(g.Containers)
		for _, e := range g.Entrypoints {
			entries[e.Name] = true
		}
		if !slices.Contains(keys, g.Key) {
			keys = append(keys, g.Key)
		}
	}
	text := fmt.Sprintf("%s, %s, %s", count(len(components), "component"), count(len(entries), "entrypoint"), count(containers, "container"))
	if len(keys) == 1 {
		text += " keyed by " + visible(keys[0])
	}
	return text
}
