package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The Reviewdog Diagnostic Format (reviewdog: proto/rdf/reviewdog.proto). Its
// columns count UTF-8 bytes from 1 and its ranges exclude their end, as ours.
// A diagnostic may have several suggestions, but each of them is an
// alternative on its own, so a patch of several edits is given as one, and a
// patch of several files as text in the message.

type rdfDiagnostic struct {
	Message     string          `json:"message"`
	Location    rdfLocation     `json:"location"`
	Severity    string          `json:"severity"`
	Source      *rdfSource      `json:"source,omitempty"`
	Code        rdfCode         `json:"code"`
	Suggestions []rdfSuggestion `json:"suggestions,omitempty"`
	Related     []rdfRelated    `json:"related_locations,omitempty"`
	Original    string          `json:"original_output"` // what -reporter=local prints
}

type rdfSource struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type rdfCode struct {
	Value string `json:"value"`
	URL   string `json:"url,omitempty"`
}

type rdfLocation struct {
	Path  string    `json:"path"`
	Range *rdfRange `json:"range,omitempty"`
}

type rdfRelated struct {
	Message  string      `json:"message,omitempty"`
	Location rdfLocation `json:"location"`
}

type rdfRange struct {
	Start rdfPosition  `json:"start"`
	End   *rdfPosition `json:"end,omitempty"`
}

type rdfPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdfSuggestion struct {
	Range rdfRange `json:"range"`
	Text  string   `json:"text"`
}

// rdfTool names the source of the diagnostics.
var rdfTool = rdfSource{Name: "kvrace", URL: homepage}

// RDJSON writes run as one object for reviewdog -f=rdjson.
func RDJSON(w io.Writer, run *Run) error {
	src, short, pages := newSources(run), shortFingerprints(run.Findings), rulePages(run)
	j := newJSONWriter(w)
	j.open("{")
	j.member("source", rdfTool)
	j.array("diagnostics", len(run.Findings), func(i int) any { return diagnostic(src, &run.Findings[i], short, pages) })
	j.close("}")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write rdjson: %w", err)
	}
	return nil
}

// RDJSONL writes run as one object a line for reviewdog -f=rdjsonl.
func RDJSONL(w io.Writer, run *Run) error {
	src, short, pages := newSources(run), shortFingerprints(run.Findings), rulePages(run)
	b := bufio.NewWriter(w)
	for i := range run.Findings {
		d := diagnostic(src, &run.Findings[i], short, pages)
		d.Source = &rdfTool
		line, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("write rdjsonl: %w", err)
		}
		b.Write(escapeJSON(line))
		b.WriteByte('\n')
	}
	return b.Flush()
}

// rulePages returns the page of each rule by ID.
func rulePages(run *Run) map[string]string {
	pages := make(map[string]string, len(run.Rules))
	for _, rule := range run.Rules {
		pages[rule.ID] = rule.page()
	}
	return pages
}

func diagnostic(src *sources, f *Finding, short, pages map[string]string) rdfDiagnostic {
	lines := plainDetails(f, short[f.Fingerprint])
	d := rdfDiagnostic{
		Location: rdfPlace(f.Location),
		Severity: map[Severity]string{SeverityError: "ERROR", SeverityWarning: "WARNING", SeverityNote: "INFO"}[f.Severity],
		Code:     rdfCode{Value: f.Rule, URL: pages[f.Rule]},
		Original: compactLine(f),
	}
	for _, patch := range f.Patches {
		if r, ok := src.merged(patch); ok && r.File == f.File {
			d.Suggestions = append(d.Suggestions, rdfSuggestion{Range: *rdfSpan(r.Location), Text: r.text})
		} else if patch.Diff != "" {
			lines = append(lines, visibleLines(patch.Diff))
		}
	}
	for _, rel := range f.Related {
		d.Related = append(d.Related, rdfRelated{Message: visible(relatedText(rel)), Location: rdfPlace(rel.Location)})
	}
	d.Message = strings.Join(lines, "\n")
	return d
}

func rdfPlace(loc Location) rdfLocation {
	return rdfLocation{Path: loc.File, Range: rdfSpan(loc)}
}

// rdfSpan returns the range of loc, or nil for a file as a whole.
func rdfSpan(loc Location) *rdfRange {
	if loc.Line < 1 {
		return nil
	}
	span := &rdfRange{Start: rdfPosition{loc.Line, loc.Column}}
	if loc.EndLine >= loc.Line {
		span.End = &rdfPosition{loc.EndLine, loc.EndColumn}
	}
	return span
}
