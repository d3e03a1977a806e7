package report

import (
	"fmt"
	"io"
	"strings"
)

// The audit is the report for those who operate a tree: first what there is
// and how a request can get stuck, then the findings by component and by what
// they lead to, the most dangerous first, then what could not be analyzed.

// AuditText writes the audit of run for people at a terminal.
func AuditText(w io.Writer, run *Run, opt TextOptions) error {
	p := newTextPrinter(w, run, opt)
	if text := overview(run); text != "" {
		p.printf("%s\n\n", p.paint.bold.Sprint(text))
	}
	components := groupFindings(run.Findings)
	p.components(components)
	for _, c := range components {
		p.printf("%s\n\n", p.paint.bold.Sprintf("== %s: %s", visible(c.title()), count(c.total, "finding")))
		for _, g := range c.groups {
			p.printf("%s\n\n", p.paint.bold.Sprintf("-- %s", visible(g.consequence)))
			for _, f := range g.findings {
				p.finding(f)
			}
		}
	}
	p.notAnalyzed(run)
	p.summary(run)
	return p.w.Flush()
}

// components prints a line for each component.
func (p *textPrinter) components(components []componentGroup) {
	if len(components) == 0 {
		return
	}
	head := []string{"component", "findings"}
	for _, f := range families {
		head = append(head, f.short)
	}
	rows := [][]string{head}
	for _, c := range components {
		row := []string{c.title(), fmt.Sprint(c.total)}
		for i := range families {
			cell := ""
			if n := c.families[i]; n > 0 {
				cell = fmt.Sprint(n)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	p.grid(rows)
	p.printf("\n")
}

// notAnalyzed lists the errors.
func (p *textPrinter) notAnalyzed(run *Run) {
	if len(run.Errors) == 0 {
		return
	}
	p.printf("%s\n\n", p.paint.bold.Sprint("== not analyzed"))
	for _, e := range run.Errors {
		p.printf("  %s\n", visible(e.Error()))
	}
	p.printf("\n")
}

// AuditMarkdown writes the audit of run as Markdown.
func AuditMarkdown(w io.Writer, run *Run) error {
	m := newMarkdown(w, run)
	m.printf("# kvrace audit\n\n")
	if run.Asked != "" {
		m.printf("%s\n\n", code("kvrace audit "+run.Asked))
	}
	if text := overview(run); text != "" {
		m.printf("%s.\n\n", escapeMarkdown(text))
	}
	m.printf("%s.\n", lookedLine(run))
	components := groupFindings(run.Findings)
	m.components(components)
	for _, c := range components {
		m.printf("\n## %s\n", escapeMarkdown(c.title()))
		for _, g := range c.groups {
			m.printf("\n### %s\n", escapeMarkdown(g.consequence))
			for _, f := range g.findings {
				m.printf("\n")
				m.findingUnder("####", f)
			}
		}
	}
	if len(run.Maps) > 0 {
		m.printf("\n## Containers\n")
		m.maps("###")
	}
	m.errors()
	return m.w.Flush()
}

// components writes a table with a line for each component.
func (m *markdownWriter) components(components []componentGroup) {
	if len(components) == 0 {
		return
	}
	m.printf("\n| component | findings |")
	for _, f := range families {
		m.printf(" %s |", f.short)
	}
	m.printf("\n|---|---:|%s\n", strings.Repeat("---:|", len(families)))
	for _, c := range components {
		m.printf("| %s | %d |", escapeMarkdown(c.title()), c.total)
		for i := range families {
			m.printf(" %d |", c.families[i])
		}
		m.printf("\n")
	}
}

// AuditJSON writes the audit of run as JSON: the members of [JSON], with the
// key groups of [MapJSON] and the numbers of the overview.
func AuditJSON(w io.Writer, run *Run) error {
	j := newJSONWriter(w)
	j.open("{")
	j.member("version", SchemaVersion)
	j.member("tool", run.Tool)
	j.member("overview", countOverview(run))
	j.array("key_groups", len(run.Maps), func(i int) any { return wholeGroup(run.Maps[i]) })
	j.array("findings", len(run.Findings), func(i int) any { return wholeFinding(run.Findings[i]) })
	j.array("errors", len(run.Errors), func(i int) any { return run.Errors[i] })
	j.member("stats", run.Stats)
	j.close("}")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
