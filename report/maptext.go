package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// MapText writes the key groups of run as tables for people at a terminal.
func MapText(w io.Writer, run *Run, opt TextOptions) error {
	p := newTextPrinter(w, run, opt)
	for i := range run.Maps {
		if i > 0 {
			p.printf("\n")
		}
		p.keyGroup(&run.Maps[i])
	}
	if len(run.Maps) == 0 {
		p.printf("no containers keyed by a request\n")
	}
	return p.w.Flush()
}

func (p *textPrinter) keyGroup(g *KeyGroup) {
	p.printf("%s\n", p.paint.bold.Sprint(visible(groupTitle(g))))
	for i := range g.Containers {
		c := &g.Containers[i]
		p.printf("\n  %s  %s, created at %s\n", p.paint.bold.Sprint(visible(c.Name)), visible(containerType(c)), p.place(c.Created))
		rows := [][]string{{"access", "where", "key", "function", "reached by", "locks", "guard"}}
		for _, a := range c.accesses() {
			rows = append(rows, []string{a.Kind.String(), fmt.Sprintf("%s:%d", a.File, a.Line), a.Key, a.Function,
				strings.Join(lastParts(a.Entrypoints), ", "), strings.Join(a.Locks, ", "), a.Guard})
		}
		p.grid(rows)
	}
	if len(g.Entrypoints) > 0 {
		p.printf("\n  %s\n", p.paint.bold.Sprint("entrypoints"))
		rows := [][]string{{"name", "role", "at a time", "started at"}}
		for _, e := range g.Entrypoints {
			rows = append(rows, []string{e.Name, e.Role, atATime(e), strings.Join(places(e.Spawns), ", ")})
		}
		p.grid(rows)
	}
	if len(g.Statuses) > 0 {
		p.printf("\n  %s\n", p.paint.bold.Sprint("statuses"))
		rows := [][]string{{"in", "value", "kind", "written at", "read at"}}
		for _, s := range g.Statuses {
			rows = append(rows, []string{s.Container, s.Value, statusKind(s), strings.Join(accessPlaces(s.Writers), ", "), strings.Join(accessPlaces(s.Readers), ", ")})
		}
		p.grid(rows)
	}
}

// grid prints rows in columns, the first as their heads, without the columns
// that hold nothing.
func (p *textPrinter) grid(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows[1:] {
		for i := range row {
			row[i] = visible(row[i])
			widths[i] = max(widths[i], width(row[i]))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				line.WriteString(pad(cell, max(widths[i], len(rows[0][i]))) + "  ")
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if n == 0 {
			text = p.paint.heading.Sprint(text)
		}
		p.printf("    %s\n", text)
	}
}

// groupTitle names a key group and counts what it holds.
func groupTitle(g *KeyGroup) string {
	return fmt.Sprintf("%s, %s: %s, %s", g.Component, keyedBy(g.Key),
		count(len(g.Containers), "container"), count(len(g.Entrypoints), "entrypoint"))
}

// keyedBy says what indexes the containers of a group.
func keyedBy(key string) string {
	if key == "" {
		return "used as a whole"
	}
	return "keyed by " + key
}

// containerType says what a container is and who holds it.
func containerType(c *Container) string {
	if c.Type == "" {
		return "of " + c.Owner
	}
	return c.Type + " of " + c.Owner
}

// accesses returns all accesses of a container: inserts, reads, removals.
func (c *Container) accesses() []Access {
	all := append(c.Inserts[:len(c.Inserts):len(c.Inserts)], c.Reads...)
	return append(all, c.Removals...)
}

// lastParts returns the last parts of qualified names, each once.
func lastParts(names []string) []string {
	var short []string
	for _, name := range names {
		if last := lastPart(name); !slices.Contains(short, last) {
			short = append(short, last)
		}
	}
	return short
}

func places(locs []Location) []string {
	text := make([]string, len(locs))
	for i, loc := range locs {
		text[i] = fmt.Sprintf("%s:%d", loc.File, loc.Line)
	}
	return text
}

func accessPlaces(accesses []Access) []string {
	text := make([]string, len(accesses))
	for i, a := range accesses {
		text[i] = fmt.Sprintf("%s:%d", a.File, a.Line)
	}
	return text
}

func atATime(e Entrypoint) string {
	if e.Many {
		return "many"
	}
	return "one"
}

func statusKind(s Status) string {
	if s.Terminal {
		return "terminal"
	}
	return "waits"
}
