package report

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
)

// TextOptions says what the reader of the text format has before him. The
// zero value is right for a pipe: no colour, no links, nothing wrapped.
type TextOptions struct {
	// Color turns colours on. The caller decides from the terminal, the flags
	// and the environment (NO_COLOR, FORCE_COLOR).
	Color bool
	// Width is the number of columns of the page; 0 means without limit.
	Width int
	// Link returns the target of a terminal hyperlink (OSC 8) for a location,
	// or "" for none. A nil Link means no hyperlinks.
	Link func(Location) string
}

// FileLink returns a function for [TextOptions] that links locations to the
// files below root, which must be absolute.
func FileLink(root string) func(Location) string {
	return func(loc Location) string {
		path := filepath.ToSlash(filepath.Join(root, filepath.FromSlash(loc.File)))
		if !strings.HasPrefix(path, "/") { // C:/dir
			path = "/" + path
		}
		return (&url.URL{Scheme: "file", Path: path, Fragment: fmt.Sprintf("L%d", loc.Line)}).String()
	}
}

// Text writes run for people at a terminal: each finding with its source, its
// schedule and its patch, then a summary of two lines.
func Text(w io.Writer, run *Run, opt TextOptions) error {
	p := newTextPrinter(w, run, opt)
	for i := range run.Findings {
		p.finding(&run.Findings[i])
	}
	p.summary(run)
	return p.w.Flush()
}

// A palette holds the styles of the text format. They are the terminal's own
// sixteen colours, without white, black and the bright ones, so that they can
// be read on dark and on light.
type palette struct {
	err, warning, note    *color.Color
	bold, gutter, related *color.Color
	added, removed, hunk  *color.Color
	heading, changed      *color.Color
	plain                 *color.Color
}

func newPalette(on bool) palette {
	style := func(attrs ...color.Attribute) *color.Color {
		c := color.New(attrs...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	plain := color.New()
	plain.DisableColor()
	return palette{
		err:     style(color.FgRed, color.Bold),
		warning: style(color.FgYellow, color.Bold),
		note:    style(color.FgCyan, color.Bold),
		bold:    style(color.Bold),
		gutter:  style(color.FgCyan),
		related: style(color.FgBlue, color.Bold),
		added:   style(color.FgGreen),
		removed: style(color.FgRed),
		hunk:    style(color.FgCyan),
		heading: style(color.Underline),
		changed: style(color.Bold),
		plain:   plain,
	}
}

// of returns the style of a severity.
func (p palette) of(s Severity) *color.Color {
	switch s {
	case SeverityError:
		return p.err
	case SeverityWarning:
		return p.warning
	}
	return p.note
}

// A textPrinter writes one text report. Its writer keeps the first error,
// which Flush returns, so the calls between need not look at it.
type textPrinter struct {
	w        *bufio.Writer
	run      *Run
	opt      TextOptions
	paint    palette
	src      *sources
	short    map[string]string // fingerprints as shown
	severity *color.Color      // of the finding being printed
}

// newTextPrinter returns a printer for run.
func newTextPrinter(w io.Writer, run *Run, opt TextOptions) *textPrinter {
	return &textPrinter{
		w:     bufio.NewWriter(w),
		run:   run,
		opt:   opt,
		paint: newPalette(opt.Color),
		src:   newSources(run),
		short: shortFingerprints(run.Findings),
	}
}

func (p *textPrinter) printf(format string, args ...any) {
	fmt.Fprintf(p.w, format, args...)
}

// place returns file:line:column, linked.
func (p *textPrinter) place(loc Location) string {
	return p.link(loc, fmt.Sprintf("%s:%d:%d", visible(loc.File), loc.Line, loc.Column))
}

// near returns "line N" for a location in file and "path:N" for another one.
func (p *textPrinter) near(file string, loc Location) string {
	if loc.File == file {
		return "line " + p.link(loc, fmt.Sprint(loc.Line))
	}
	return p.link(loc, fmt.Sprintf("%s:%d", visible(loc.File), loc.Line))
}

// link wraps text in a terminal hyperlink.
func (p *textPrinter) link(loc Location, text string) string {
	if p.opt.Link == nil {
		return text
	}
	target := p.opt.Link(loc)
	if target == "" {
		return text
	}
	return "\x1b]8;;" + visible(target) + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// field prints "  name: item", one line per item below the first, wrapped to
// the width of the page. No item, no field.
func (p *textPrinter) field(name string, items ...string) {
	lead := "  " + p.paint.bold.Sprint(name+":") + " "
	indent := len(name) + 4
	for _, item := range items {
		limit := 0
		if p.opt.Width > 0 {
			limit = max(p.opt.Width-indent, 20)
		}
		for _, line := range wrap(item, limit) {
			p.printf("%s%s\n", lead, line)
			lead = strings.Repeat(" ", indent)
		}
	}
}

func (p *textPrinter) finding(f *Finding) {
	p.severity = p.paint.of(f.Severity)
	p.printf("%s %s\n", p.severity.Sprintf("%s[%s]", f.Severity, visible(f.Rule)),
		p.paint.bold.Sprintf("%s: %s", visible(f.Name), visible(f.Message)))
	in := ""
	if f.Function != "" {
		in = "  in " + visible(f.Function) + p.spawned(f, f.Entrypoint)
	}
	p.printf("  %s %s%s\n", p.paint.gutter.Sprint("-->"), p.place(f.Location), in)
	rest := p.frames(f)
	if len(f.Components) > 1 {
		p.field("components", visible(strings.Join(f.Components, ", ")))
	}
	p.rivals(f, rest)
	p.witness(f)
	p.consequence(f, rest)
	p.others(f, rest)
	if f.Witness != nil && len(f.Witness.Assumptions) > 0 {
		p.field("assumed", visible(strings.Join(f.Witness.Assumptions, "; ")))
	}
	for i := range f.Patches {
		p.patch(f.Patches, i)
	}
	p.footer(f)
	p.printf("\n")
}

// rivals prints what the other entrypoints do, each with the place where its
// thread starts.
func (p *textPrinter) rivals(f *Finding, rest []Related) {
	var items []string
	for _, rel := range rest {
		if rel.Role != RoleRival {
			continue
		}
		lead := p.near(f.File, rel.Location)
		if rel.Entrypoint != "" {
			lead = visible(lastPart(rel.Entrypoint)) + p.spawned(f, rel.Entrypoint) + " at " + lead
		}
		items = append(items, lead+": "+visible(rel.Message))
	}
	p.field("rival", items...)
}

// spawned returns " (spawned at …)" for an entrypoint whose start is known.
func (p *textPrinter) spawned(f *Finding, entrypoint string) string {
	var sites []string
	for _, rel := range f.Related {
		if rel.Role == RoleSpawn && rel.Entrypoint == entrypoint && entrypoint != "" {
			sites = append(sites, p.near(f.File, rel.Location))
		}
	}
	if len(sites) == 0 {
		return ""
	}
	return " (spawned at " + strings.Join(sites, ", ") + ")"
}

// lastPart returns the last part of a qualified name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func (p *textPrinter) consequence(f *Finding, rest []Related) {
	var items []string
	if f.Consequence != "" {
		items = append(items, visible(f.Consequence))
	}
	for _, rel := range rest {
		if rel.Role == RoleConsequence {
			items = append(items, p.near(f.File, rel.Location)+": "+visible(rel.Message))
		}
	}
	p.field("consequence", items...)
}

// others prints the siblings and the related locations that no line speaks of
// so far.
func (p *textPrinter) others(f *Finding, rest []Related) {
	var siblings, others, notes []string
	for _, rel := range rest {
		where := p.near(f.File, rel.Location)
		switch rel.Role {
		case RoleSibling:
			siblings = append(siblings, fmt.Sprintf("%s (%s)", visible(rel.Message), where))
		case RoleOther:
			others = append(others, where+": "+visible(rel.Message))
		case RoleContext, RoleGuard:
			notes = append(notes, where+": "+visible(rel.Message))
		case RoleSpawn:
			if !f.tellsStart(rel.Entrypoint) && rel.Message != "" {
				notes = append(notes, where+": "+visible(rel.Message))
			}
		}
	}
	p.field("siblings", siblings...)
	p.field("also", shortened(others)...)
	p.field("note", shortened(notes)...)
}

// tellsStart reports whether the line of the place or of a rival says where
// an entrypoint starts.
func (f *Finding) tellsStart(entrypoint string) bool {
	if entrypoint == "" {
		return false
	}
	return entrypoint == f.Entrypoint && f.Function != "" || slices.ContainsFunc(f.Related, func(rel Related) bool {
		return rel.Role == RoleRival && rel.Entrypoint == entrypoint
	})
}

// maxItems is how many places of one kind the text format lists.
const maxItems = 8

// shortened replaces the items after the first few by their number.
func shortened(items []string) []string {
	if len(items) <= maxItems+1 {
		return items
	}
	return append(items[:maxItems:maxItems], fmt.Sprintf("%d more", len(items)-maxItems))
}

func (p *textPrinter) patch(patches []Patch, i int) {
	patch := patches[i]
	title := "patch"
	if len(patches) > 1 {
		title = fmt.Sprintf("patch %d of %d", i+1, len(patches))
	}
	description := ""
	if patch.Description != "" {
		description = ": " + visible(patch.Description)
	}
	p.printf("  %s (%s; %s)%s\n", p.paint.bold.Sprint(title), patch.Safety, checked(patch), description)
	for line := range strings.Lines(patch.Diff) {
		line = visible(strings.TrimRight(line, "\r\n"))
		p.printf("    %s\n", p.diffStyle(line).Sprint(line))
	}
}

// checked says what is known about a patch.
func checked(patch Patch) string {
	if !patch.Verified {
		return "not verified"
	}
	return "verified: applies, parses, finding gone, nothing new"
}

// diffStyle returns the style of one line of a unified diff.
func (p *textPrinter) diffStyle(line string) *color.Color {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return p.paint.bold
	case strings.HasPrefix(line, "@@"):
		return p.paint.hunk
	case strings.HasPrefix(line, "+"):
		return p.paint.added
	case strings.HasPrefix(line, "-"):
		return p.paint.removed
	}
	return p.paint.plain
}

// footer names the commands that tell more.
func (p *textPrinter) footer(f *Finding) {
	explain := p.paint.bold.Sprint("explain:") + " kvrace explain " + visible(f.Rule)
	if f.Witness == nil || !f.Witness.Replayed {
		p.printf("  %s\n", explain)
		return
	}
	p.printf("  %s %s     %s\n", p.paint.bold.Sprint("reproduce:"), visible(reproduce(p.run, p.short[f.Fingerprint])), explain)
}

// reproduce returns the command that prints the reproducer of a finding.
func reproduce(run *Run, fingerprint string) string {
	command := "kvrace repro " + fingerprint
	if run.Asked != "" {
		command += " " + run.Asked
	}
	return command
}

// shortFingerprints maps each fingerprint to a prefix of at least eight
// characters that no other one starts with.
func shortFingerprints(findings []Finding) map[string]string {
	all := make([]string, len(findings))
	for i, f := range findings {
		all[i] = f.Fingerprint
	}
	slices.Sort(all)
	all = slices.Compact(all)
	short := make(map[string]string, len(all))
	for i, fp := range all {
		n := 8
		if i > 0 {
			n = max(n, sharedPrefix(fp, all[i-1])+1)
		}
		if i+1 < len(all) {
			n = max(n, sharedPrefix(fp, all[i+1])+1)
		}
		short[fp] = fp[:min(n, len(fp))]
	}
	return short
}

// sharedPrefix returns the length of what a and b start with.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
