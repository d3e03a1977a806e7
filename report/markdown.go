package report

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// Markdown is GitHub's dialect, which GitLab and others read too. Foreign text
// stands in fences longer than any in it, or escaped: it starts no markup, no
// HTML, and mentions nobody.

// Markdown writes run as a report that can be pasted into an issue.
func Markdown(w io.Writer, run *Run) error {
	m := newMarkdown(w, run)
	m.printf("# kvrace report\n\n%s.\n", strings.TrimSuffix(counts(newTally(run))+"; "+lookedLine(run), "; "))
	for i := range run.Findings {
		m.printf("\n")
		m.finding(&run.Findings[i])
	}
	m.errors()
	return m.w.Flush()
}

// summaryLimit is what a step may write to its summary, 1 MiB, less some room
// for the last lines.
const summaryLimit = 1<<20 - 1<<14

// GitHubSummary writes run as the Markdown of a job summary
// (GITHUB_STEP_SUMMARY): a table of all findings, then each of them, most
// severe first, as far as GitHub's limit allows.
func GitHubSummary(w io.Writer, run *Run) error {
	var page bytes.Buffer
	m := newMarkdown(&page, run)
	m.printf("### kvrace: %s\n", counts(newTally(run)))
	findings := bySeverity(run.Findings)
	left := m.table(findings, &page)
	for i, f := range findings[:len(findings)-left] {
		start := page.Len()
		m.printf("\n<details><summary>%s <code>%s:%d</code></summary>\n\n", html.EscapeString(visible(f.Rule)), html.EscapeString(visible(f.File)), f.Line)
		m.finding(f)
		m.printf("\n</details>\n")
		m.w.Flush()
		if page.Len() > summaryLimit {
			page.Truncate(start)
			m.printf("\nThe details of %s are left out, GitHub limits this page.\n", count(len(findings)-i, "finding"))
			break
		}
	}
	m.errors()
	m.w.Flush()
	_, err := w.Write(page.Bytes())
	return err
}

// A markdownWriter writes pieces of Markdown; its writer keeps the first error.
type markdownWriter struct {
	w     *bufio.Writer
	run   *Run
	src   *sources
	short map[string]string
}

func newMarkdown(w io.Writer, run *Run) *markdownWriter {
	return &markdownWriter{w: bufio.NewWriter(w), run: run, src: newSources(run), short: shortFingerprints(run.Findings)}
}

func (m *markdownWriter) printf(format string, args ...any) { fmt.Fprintf(m.w, format, args...) }

// table lists findings, a line each, as long as page stays below half of the
// limit, and returns how many were left out.
func (m *markdownWriter) table(findings []*Finding, page *bytes.Buffer) int {
	if len(findings) == 0 {
		return 0
	}
	m.printf("\n| | rule | place | what |\n|---|---|---|---|\n")
	for i, f := range findings {
		m.printf("| %s | %s %s | %s | %s |\n", f.Severity, escapeMarkdown(f.Rule), escapeMarkdown(f.Name),
			code(fmt.Sprintf("%s:%d", f.File, f.Line)), escapeMarkdown(f.Message))
		m.w.Flush()
		if page.Len() > summaryLimit/2 {
			m.printf("\n%s left out, GitHub limits this page.\n", count(len(findings)-i-1, "more finding"))
			return len(findings) - i - 1
		}
	}
	return 0
}

func (m *markdownWriter) finding(f *Finding) { m.findingUnder("##", f) }

// findingUnder writes a finding under a heading of the given level.
func (m *markdownWriter) findingUnder(level string, f *Finding) {
	m.printf("%s %s %s: %s\n\n", level, escapeMarkdown(f.Rule), escapeMarkdown(f.Name), escapeMarkdown(f.Message))
	in := ""
	if f.Function != "" {
		in = " in " + code(f.Function)
	}
	m.printf("%s, %s, at %s%s\n\n", f.Severity, f.Confidence, code(fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)), in)
	rest := m.frames(f)
	m.related(f, rest)
	m.witness(f)
	for i := range f.Patches {
		m.patch(f, i)
	}
	m.reproducer(f)
}

// frames writes the source of f as the text format shows it.
func (m *markdownWriter) frames(f *Finding) []Related {
	var b bytes.Buffer
	p := &textPrinter{w: bufio.NewWriter(&b), paint: newPalette(false), src: m.src}
	p.severity = p.paint.plain
	rest := p.frames(f)
	p.w.Flush()
	if b.Len() > 0 {
		m.fence("text", b.String())
	}
	return rest
}

// fence writes text between fences that it cannot close.
func (m *markdownWriter) fence(language, text string) {
	marks := fenceFor(text)
	m.printf("%s%s\n%s\n%s\n\n", marks, language, strings.TrimRight(text, "\n"), marks)
}

// fenceFor returns more backticks than stand together in text, at least three.
func fenceFor(text string) string {
	longest, here := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			here++
			longest = max(longest, here)
		} else {
			here = 0
		}
	}
	return strings.Repeat("`", longest+1)
}

// related lists what the frames do not show.
func (m *markdownWriter) related(f *Finding, rest []Related) {
	var items []string
	add := func(name, text string) { items = append(items, "- **"+name+"**: "+text) }
	if len(f.Components) > 1 {
		add("components", escapeMarkdown(strings.Join(f.Components, ", ")))
	}
	for _, rel := range rest {
		if rel.Message != "" {
			add(rel.Role.String(), fmt.Sprintf("%s (%s)", escapeMarkdown(relatedText(rel)), code(fmt.Sprintf("%s:%d", rel.File, rel.Line))))
		}
	}
	if f.Consequence != "" {
		add("consequence", escapeMarkdown(f.Consequence))
	}
	if f.Witness != nil && len(f.Witness.Assumptions) > 0 {
		add("assumed", escapeMarkdown(strings.Join(f.Witness.Assumptions, "; ")))
	}
	if len(items) > 0 {
		m.printf("%s\n\n", strings.Join(items, "\n"))
	}
}

// witness writes the schedule as a table.
func (m *markdownWriter) witness(f *Finding) {
	if f.Witness == nil {
		return
	}
	m.printf("**How it goes wrong** (%s)\n\n", escapeMarkdown(verdictText(f)))
	s := newSchedule(f)
	if s == nil {
		return
	}
	m.printf("| step |")
	for _, name := range append(s.lanes[:len(s.lanes):len(s.lanes)], s.containers...) {
		m.printf(" %s |", escapeMarkdown(name))
	}
	m.printf("\n|%s\n", strings.Repeat("---|", 1+len(s.lanes)+len(s.containers)))
	for i, row := range s.rows {
		m.printf("| %d |", i+1)
		for lane := range s.lanes {
			cell := ""
			if lane == row.lane {
				cell = escapeMarkdown(row.where + " " + row.step.Action)
				if i == len(s.rows)-1 {
					cell = "**" + cell + "**"
				}
			}
			m.printf(" %s |", cell)
		}
		for _, state := range row.state {
			m.printf(" %s |", escapeMarkdown(state))
		}
		m.printf("\n")
	}
	m.printf("\n")
}

func (m *markdownWriter) patch(f *Finding, i int) {
	patch := f.Patches[i]
	description := ""
	if patch.Description != "" {
		description = ": " + escapeMarkdown(patch.Description)
	}
	m.printf("**Patch** (%s; %s)%s\n\n", patch.Safety, checked(patch), description)
	m.fence("diff", visibleLines(patch.Diff))
}

// visibleLines makes each line of text safe to print.
func visibleLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		b.WriteString(indent + visible(line[len(indent):]) + "\n")
	}
	return b.String()
}

// maxReproducer is the number of lines up to which a reproducer is part of the
// document. A longer one would crowd out the findings, and a summary of GitHub
// holds a megabyte; the command prints it.
const maxReproducer = 200

func (m *markdownWriter) reproducer(f *Finding) {
	if f.Witness == nil || !f.Witness.Replayed {
		return
	}
	m.printf("Reproduce: %s\n", code(reproduce(m.run, m.short[f.Fingerprint])))
	if f.Reproducer != "" && strings.Count(f.Reproducer, "\n") <= maxReproducer {
		m.printf("\n<details><summary>the reproducer</summary>\n\n")
		m.fence("python", visibleLines(f.Reproducer))
		m.printf("</details>\n")
	}
}

// errors lists what could not be analyzed.
func (m *markdownWriter) errors() {
	if len(m.run.Errors) == 0 {
		return
	}
	m.printf("\n## Not analyzed\n\n")
	for _, e := range m.run.Errors {
		m.printf("- %s\n", escapeMarkdown(e.Error()))
	}
}

// markdownEscapes takes the meaning from the characters of Markdown. An empty
// comment stands behind @ and # so that nobody is mentioned and no issue
// linked.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "|", `\|`, "!", `\!`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "@<!-- -->", "#", "#<!-- -->", "://", ":<!-- -->//", "$", `\$`,
)

// escapeMarkdown returns foreign text as one line of running text.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(visible(s)) }

// code returns foreign text as inline code; where backticks or bars forbid a
// span, as escaped text in HTML.
func code(s string) string {
	s = visible(s)
	if s == "" || strings.ContainsAny(s, "`|") {
		return "<code>" + escapeMarkdown(s) + "</code>"
	}
	return "`" + s + "`"
}
