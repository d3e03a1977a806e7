package report

import (
	"fmt"
	"io"
	"strings"
)

// MapJSON writes the key groups of run as one JSON object with the members
// version, tool, key_groups, errors and stats; these but key_groups are as in
// [JSON].
func MapJSON(w io.Writer, run *Run) error {
	j := newJSONWriter(w)
	j.open("{")
	j.member("version", SchemaVersion)
	j.member("tool", run.Tool)
	j.array("key_groups", len(run.Maps), func(i int) any { return wholeGroup(run.Maps[i]) })
	j.array("errors", len(run.Errors), func(i int) any { return run.Errors[i] })
	j.member("stats", run.Stats)
	j.close("}")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// wholeGroup returns g with empty lists in place of nil ones.
func wholeGroup(g KeyGroup) KeyGroup {
	g.Containers = append([]Container{}, g.Containers...)
	for i := range g.Containers {
		c := &g.Containers[i]
		c.Inserts, c.Reads, c.Removals = wholeAccesses(c.Inserts), wholeAccesses(c.Reads), wholeAccesses(c.Removals)
	}
	g.Entrypoints = append([]Entrypoint{}, g.Entrypoints...)
	for i := range g.Entrypoints {
		g.Entrypoints[i].Spawns = list(g.Entrypoints[i].Spawns)
	}
	g.Statuses = append([]Status{}, g.Statuses...)
	for i := range g.Statuses {
		s := &g.Statuses[i]
		s.Writers, s.Readers = wholeAccesses(s.Writers), wholeAccesses(s.Readers)
	}
	return g
}

func wholeAccesses(accesses []Access) []Access {
	whole := append([]Access{}, accesses...)
	for i := range whole {
		whole[i].Entrypoints, whole[i].Locks = list(whole[i].Entrypoints), list(whole[i].Locks)
	}
	return whole
}

// MapMarkdown writes the key groups of run as Markdown tables.
func MapMarkdown(w io.Writer, run *Run) error {
	m := newMarkdown(w, run)
	m.printf("# Containers keyed by a request\n")
	m.maps("##")
	if len(run.Maps) == 0 {
		m.printf("\nNone.\n")
	}
	m.errors()
	return m.w.Flush()
}

// maps writes the key groups under headings of the given level.
func (m *markdownWriter) maps(level string) {
	for i := range m.run.Maps {
		m.keyGroup(level, &m.run.Maps[i])
	}
}

func (m *markdownWriter) keyGroup(level string, g *KeyGroup) {
	key := g.Key
	if key != "" {
		key = code(key)
	}
	m.printf("\n%s %s, %s\n\n", level, escapeMarkdown(g.Component), keyedBy(key))
	m.printf("| container | inserts | reads | removals |\n|---|---|---|---|\n")
	for _, c := range g.Containers {
		m.printf("| %s %s | %s | %s | %s |\n", code(c.Name), escapeMarkdown(c.Type),
			accessCell(c.Inserts), accessCell(c.Reads), accessCell(c.Removals))
	}
	if len(g.Entrypoints) > 0 {
		m.printf("\n| entrypoint | role | at a time | started at |\n|---|---|---|---|\n")
		for _, e := range g.Entrypoints {
			m.printf("| %s | %s | %s | %s |\n", code(e.Name), escapeMarkdown(e.Role), atATime(e), codes(places(e.Spawns)))
		}
	}
	if len(g.Statuses) > 0 {
		m.printf("\n| status | value | | written at | read at |\n|---|---|---|---|---|\n")
		for _, s := range g.Statuses {
			m.printf("| %s | %s | %s | %s | %s |\n", code(s.Container), code(s.Value), statusKind(s),
				codes(accessPlaces(s.Writers)), codes(accessPlaces(s.Readers)))
		}
	}
}

// accessCell lists accesses in a table cell, a line each.
func accessCell(accesses []Access) string {
	var lines []string
	for _, a := range accesses {
		line := fmt.Sprintf("%s %s", code(fmt.Sprintf("%s:%d", a.File, a.Line)), escapeMarkdown(accessNote(a)))
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "<br>")
}

// accessNote says by whom an access is reached, under which locks and guard.
func accessNote(a Access) string {
	var parts []string
	if len(a.Entrypoints) > 0 {
		parts = append(parts, strings.Join(lastParts(a.Entrypoints), ", "))
	}
	if len(a.Locks) > 0 {
		parts = append(parts, "under "+strings.Join(a.Locks, ", "))
	}
	if a.Guard != "" {
		parts = append(parts, "if "+a.Guard)
	}
	return strings.Join(parts, " ")
}

// codes returns several inline codes, a line each.
func codes(texts []string) string {
	spans := make([]string, len(texts))
	for i, text := range texts {
		spans[i] = code(text)
	}
	return strings.Join(spans, "<br>")
}
