package report

import (
	"fmt"
	"io"
	"strings"
)

// Notes on pull-request reviews (POST /repos/{owner}/{repo}/pulls/{n}/reviews):
//
//   - A comment on a line that the diff does not show makes GitHub refuse the
//     whole review, so each comment is anchored at a line of Run.Changed, and
//     findings without one are told in the body.
//   - A suggestion replaces the lines of its comment, from start_line to line,
//     all of them in the diff.
//   - Large reviews run into time limits; the most severe come first.

// maxComments is how many comments one review gets.
const maxComments = 50

// A reviewBody is the JSON that GitHub takes.
type reviewBody struct {
	Event    string          `json:"event"`
	Body     string          `json:"body"`
	Comments []reviewComment `json:"comments"`
}

type reviewComment struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line,omitempty"`
	StartSide string `json:"start_side,omitempty"`
	Body      string `json:"body"`
}

// GitHubReview writes run as the body of one pull-request review, for
//
//	gh api repos/OWNER/REPO/pulls/N/reviews --input FILE
func GitHubReview(w io.Writer, run *Run) error {
	review := reviewBody{Event: "COMMENT", Comments: []reviewComment{}}
	src, short := newSources(run), shortFingerprints(run.Findings)
	var outside []string
	for _, f := range bySeverity(run.Findings) {
		comment, ok := comment(run, src, f, short[f.Fingerprint])
		if ok && len(review.Comments) < maxComments {
			review.Comments = append(review.Comments, comment)
			continue
		}
		outside = append(outside, fmt.Sprintf("- %s %s %s: %s", f.Severity, escapeMarkdown(f.Rule), code(fmt.Sprintf("%s:%d", f.File, f.Line)), escapeMarkdown(f.Message)))
	}
	review.Body = "kvrace: " + counts(newTally(run)) + "."
	if len(outside) > 0 {
		review.Body += "\n\nWithout a comment of their own:\n\n" + strings.Join(shortened(outside), "\n")
	}
	j := newJSONWriter(w)
	j.value(review)
	if err := j.flush(); err != nil {
		return fmt.Errorf("write review: %w", err)
	}
	return nil
}

// comment returns the review comment for f, or false when no line of it is
// part of the diff.
func comment(run *Run, src *sources, f *Finding, fingerprint string) (reviewComment, bool) {
	patch := bestPatch(f)
	if patch != nil {
		if lines, ok := src.mergedLines(*patch); ok && run.shows(lines.File, lines.Line, lines.EndLine) {
			c := reviewComment{Path: lines.File, Line: lines.EndLine, Side: "RIGHT", Body: commentBody(f, fingerprint)}
			if lines.Line < lines.EndLine {
				c.StartLine, c.StartSide = lines.Line, "RIGHT"
			}
			text := strings.ReplaceAll(lines.text, "\r\n", "\n")
			marks := fenceFor(text)
			c.Body += fmt.Sprintf("\n\n%ssuggestion\n%s%s", marks, text, marks)
			return c, true
		}
	}
	loc, ok := run.anchor(f)
	if !ok {
		return reviewComment{}, false
	}
	c := reviewComment{Path: loc.File, Line: loc.Line, Side: "RIGHT", Body: commentBody(f, fingerprint)}
	if patch != nil && patch.Diff != "" {
		diff := visibleLines(patch.Diff)
		marks := fenceFor(diff)
		c.Body += fmt.Sprintf("\n\n%sdiff\n%s%s", marks, diff, marks)
	}
	return c, true
}

// commentBody returns the text of a comment, without the patch.
func commentBody(f *Finding, fingerprint string) string {
	lines := plainDetails(f, fingerprint)
	for i, line := range lines {
		lines[i] = escapeMarkdown(line)
	}
	lines[0] = fmt.Sprintf("**%s %s** (%s): %s", escapeMarkdown(f.Rule), escapeMarkdown(f.Name), f.Confidence, lines[0])
	return strings.Join(lines, "\n\n")
}

// shows reports whether the diff under review shows the lines first to last.
func (run *Run) shows(file string, first, last int) bool {
	if run.Changed == nil {
		return true
	}
	for _, r := range run.Changed[file] {
		if r.First <= first && last <= r.Last {
			return true
		}
	}
	return false
}

// anchor returns the first of the main location, the steps of the schedule
// and the related locations that the diff shows.
func (run *Run) anchor(f *Finding) (Location, bool) {
	places := []Location{f.Location}
	if f.Witness != nil {
		for _, step := range f.Witness.Steps {
			places = append(places, Location{File: step.File, Line: step.Line})
		}
	}
	for _, rel := range f.Related {
		places = append(places, rel.Location)
	}
	for _, loc := range places {
		if loc.Line > 0 && run.shows(loc.File, loc.Line, loc.Line) {
			return loc, true
		}
	}
	return Location{}, false
}
