package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
)

// The page loads nothing: style and script are part of it, and its content
// security policy allows those two by their hashes and nothing else, so even
// markup that slipped through could neither run nor call anybody. Without
// script it is complete; the script adds filters, copying and keys. It is
// written finding by finding, so its size does not show in memory.

//go:embed html
var pageFiles embed.FS

// pageTemplates parses the templates when the first page is written.
var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"visible": visible, "count": count, "place": placeText, "notes": accessNote, "atATime": atATime, "statusKind": statusKind,
	}).ParseFS(pageFiles, "html/*.html"))
})

const (
	// openFindings is how many findings a page may have for all to start open.
	openFindings = 25
	// manyFindings is how many there are where the browser had better lay out
	// only those in view.
	manyFindings = 200
)

// HTML writes run as one self-contained page.
func HTML(w io.Writer, run *Run) error {
	b := bufio.NewWriterSize(w, 1<<16)
	page, err := newPage(run)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if err := page.write(b); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return b.Flush()
}

// An htmlPage is what the templates show.
type htmlPage struct {
	Run        *Run
	Style      template.CSS
	Script     template.JS
	Policy     string
	Overview   string
	Tally      tally
	Severities []string
	Rules      []pageRule
	Components []pageComponent
	Looked     string
	Many       bool

	src   *sources
	short map[string]string
	byID  map[string]Rule
}

// A pageRule is a column of the overview.
type pageRule struct {
	ID, Name, Summary string
	Total             int
}

// A pageComponent is a row of the overview and a section of the page.
type pageComponent struct {
	Name   string
	Anchor string
	Counts []int // parallel to Rules
	Total  int
	groups []consequenceGroup
}

func newPage(run *Run) (*htmlPage, error) {
	style, err := pageFiles.ReadFile("html/page.css")
	if err != nil {
		return nil, err
	}
	script, err := pageFiles.ReadFile("html/page.js")
	if err != nil {
		return nil, err
	}
	p := &htmlPage{
		Run: run, Style: template.CSS(style), Script: template.JS(script),
		Policy: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s'", hashSource(style), hashSource(script)),
		Tally:  newTally(run), Looked: lookedLine(run), Overview: overview(run), Many: len(run.Findings) > manyFindings,
		src: newSources(run), short: shortFingerprints(run.Findings),
		byID: make(map[string]Rule),
	}
	for s := SeverityError; s <= SeverityNote; s++ {
		if p.Tally.severities[s] > 0 {
			p.Severities = append(p.Severities, s.String())
		}
	}
	p.group()
	return p, nil
}

// hashSource returns the source expression that allows one inline element.
func hashSource(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// group sorts the findings into the sections of the page.
func (p *htmlPage) group() {
	for _, rule := range p.Run.Rules {
		p.byID[rule.ID] = rule
	}
	var ids []string
	for _, f := range p.Run.Findings {
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		rule := p.byID[id]
		p.Rules = append(p.Rules, pageRule{ID: visible(id), Name: visible(rule.Name), Summary: visible(rule.Summary)})
	}
	for i, group := range groupFindings(p.Run.Findings) {
		c := pageComponent{
			Name: visible(group.title()), Anchor: fmt.Sprintf("c%d", i+1),
			Counts: make([]int, len(ids)), Total: group.total, groups: group.groups,
		}
		for _, g := range group.groups {
			for _, f := range g.findings {
				n, _ := slices.BinarySearch(ids, f.Rule)
				c.Counts[n]++
				p.Rules[n].Total++
			}
		}
		p.Components = append(p.Components, c)
	}
}

// write executes the templates in the order of the page.
func (p *htmlPage) write(w io.Writer) error {
	templates := pageTemplates()
	if err := templates.ExecuteTemplate(w, "head", p); err != nil {
		return err
	}
	for _, c := range p.Components {
		if err := templates.ExecuteTemplate(w, "component", c); err != nil {
			return err
		}
		for _, g := range c.groups {
			if err := templates.ExecuteTemplate(w, "consequence", visible(g.consequence)); err != nil {
				return err
			}
			for _, f := range g.findings {
				if err := templates.ExecuteTemplate(w, "finding", p.finding(f)); err != nil {
					return err
				}
			}
			if err := templates.ExecuteTemplate(w, "endconsequence", nil); err != nil {
				return err
			}
		}
		if err := templates.ExecuteTemplate(w, "endcomponent", nil); err != nil {
			return err
		}
	}
	return templates.ExecuteTemplate(w, "foot", p)
}

// A pageFinding is one finding as the template shows it.
type pageFinding struct {
	*Finding
	ID       string
	Short    string
	Anchor   string // the fingerprint as an id
	Open     bool
	Place    string
	URL      string
	Verdict  string
	Diagram  *diagram
	Words    []string
	Frames   []pageFrame
	Facts    []pageFact
	Patches  []pagePatch
	Script   copyText
	Assumed  []string
	Replayed bool
}

// A pageFact is a line of the list of what the frames do not show.
type pageFact struct{ Name, Text, Place string }

// A pageFrame is one source excerpt.
type pageFrame struct {
	Place string
	Lines []pageLine
	Note  string // for a place whose source is not known
}

// A pageLine is one line of source, or a label below one.
type pageLine struct {
	Number int
	Runs   []codeRun
	Hit    bool
	Labels []pageLabel
}

// A pageLabel stands below its line, behind so many blanks.
type pageLabel struct {
	Indent, Text string
	Main         bool
}

// A pagePatch is one patch with its lines classed.
type pagePatch struct {
	Title, About string
	Text         string // the description
	Lines        []codeRun
	Raw          string // as of copyText
}

// A copyText is text to show, and in base64 what is to be copied where that
// differs from what is shown.
type copyText struct{ Text, Raw string }

func newCopyText(s string) copyText {
	shown := visibleLines(s)
	if shown == s {
		return copyText{Text: shown}
	}
	return copyText{shown, base64.StdEncoding.EncodeToString([]byte(s))}
}

// placeText returns file:line.
func placeText(loc Location) string { return visible(fmt.Sprintf("%s:%d", loc.File, loc.Line)) }

func (p *htmlPage) finding(f *Finding) pageFinding {
	v := pageFinding{
		Finding: f, ID: visible(f.Rule), Short: visible(p.short[f.Fingerprint]), Anchor: "f-" + visible(f.Fingerprint),
		Open:  len(p.Run.Findings) <= openFindings,
		Place: visible(fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)),
	}
	if rule, ok := p.byID[f.Rule]; ok {
		v.URL = rule.page()
	}
	if f.Witness != nil {
		v.Verdict, v.Replayed = visible(verdictText(f)), f.Witness.Replayed
		v.Assumed = f.Witness.Assumptions
		if s := newSchedule(f); s != nil {
			v.Diagram, v.Words = newDiagram(s), s.describe()
		}
	}
	frames, rest := framesOf(f)
	for _, fr := range frames {
		v.Frames = append(v.Frames, p.frame(fr))
	}
	v.Facts = facts(f, rest)
	for i, patch := range f.Patches {
		v.Patches = append(v.Patches, p.patch(f, i, patch))
	}
	if f.Reproducer != "" {
		v.Script = newCopyText(f.Reproducer)
	}
	return v
}

// facts lists what is known about f beside its frames.
func facts(f *Finding, rest []Related) []pageFact {
	var list []pageFact
	if f.Consequence != "" {
		list = append(list, pageFact{Name: RoleConsequence.String(), Text: visible(f.Consequence)})
	}
	for _, rel := range rest {
		if rel.Message != "" {
			list = append(list, pageFact{rel.Role.String(), visible(relatedText(rel)), placeText(rel.Location)})
		}
	}
	if len(f.Components) > 1 {
		list = append(list, pageFact{Name: "components", Text: visible(strings.Join(f.Components, ", "))})
	}
	return list
}

func (p *htmlPage) frame(fr frame) pageFrame {
	first := fr.marks[0].Location
	for _, m := range fr.marks {
		if m.main {
			first = m.Location
		}
	}
	view := pageFrame{Place: placeText(first)}
	lines := dedented(frameLines(p.src.file(fr.file), fr))
	if len(lines) == 0 {
		view.Note = visible(fr.marks[0].label)
		return view
	}
	for _, line := range lines {
		l := pageLine{Number: line.number, Hit: len(line.segments) > 0}
		text := line.text
		if width(text) > maxColumns {
			text = cut(text, 0, maxColumns)
		}
		l.Runs = highlight(text, line.segments)
		for _, seg := range line.segments {
			if seg.last && seg.mark.label != "" {
				l.Labels = append(l.Labels, pageLabel{strings.Repeat(" ", min(seg.from, 60)), visible(seg.mark.label), seg.mark.main})
			}
		}
		view.Lines = append(view.Lines, l)
	}
	return view
}

func (p *htmlPage) patch(f *Finding, i int, patch Patch) pagePatch {
	view := pagePatch{
		Title: "Patch", About: fmt.Sprintf("%s; %s", patch.Safety, checked(patch)),
		Text: visible(patch.Description), Raw: newCopyText(patch.Diff).Raw,
	}
	if len(f.Patches) > 1 {
		view.Title = fmt.Sprintf("Patch %d of %d", i+1, len(f.Patches))
	}
	for line := range strings.Lines(visibleLines(patch.Diff)) {
		view.Lines = append(view.Lines, codeRun{line, diffClass(line)})
	}
	return view
}

// diffClass returns the class of a line of a unified diff.
func diffClass(line string) string {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return "dh"
	case strings.HasPrefix(line, "@@"):
		return "dr"
	case strings.HasPrefix(line, "+"):
		return "da"
	case strings.HasPrefix(line, "-"):
		return "dd"
	}
	return ""
}
