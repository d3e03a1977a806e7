package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Notes on how GitHub Actions reads a log:
//
//   - A line that starts with "::", after blanks, is a command; so is, in the
//     older form, everything behind "##[" anywhere in a line. Foreign text is
//     therefore escaped in commands, and taken apart in plain lines
//     (actions/runner: src/Runner.Common/ActionCommand.cs).
//   - Data escapes %, CR and LF; properties escape : and , as well.
//   - Ten annotations of each level are shown for a step, and the rest is
//     dropped without a word. The most severe come first, and what is beyond
//     goes to the log as plain lines and to the job summary.
//   - Columns are shown only when a range lies on one line.

// maxAnnotations is how many annotations of one level GitHub shows per step.
const maxAnnotations = 10

// GitHub writes run as workflow commands, which GitHub shows on the lines of
// a commit.
func GitHub(w io.Writer, run *Run) error {
	b := bufio.NewWriter(w)
	src, short := newSources(run), shortFingerprints(run.Findings)
	var shown [len(severityNames)]int
	var left []*Finding
	for _, f := range bySeverity(run.Findings) {
		if shown[f.Severity] == maxAnnotations {
			left = append(left, f)
			continue
		}
		shown[f.Severity]++
		fmt.Fprintln(b, loggable(annotation(src, f, short[f.Fingerprint])))
	}
	for _, e := range run.Errors {
		fmt.Fprintln(b, loggable("kvrace: not analyzed: "+visible(e.Error())))
	}
	if len(left) > 0 {
		fmt.Fprintf(b, "kvrace: %s beyond the %d of a level that GitHub shows:\n", count(len(left), "finding"), maxAnnotations)
		for _, f := range left {
			fmt.Fprintln(b, loggable("kvrace: "+compactLine(f)))
		}
	}
	fmt.Fprintln(b, "kvrace: "+counts(newTally(run)))
	return b.Flush()
}

// annotation returns the command that shows f.
func annotation(src *sources, f *Finding, fingerprint string) string {
	level := map[Severity]string{SeverityError: "error", SeverityWarning: "warning", SeverityNote: "notice"}[f.Severity]
	file := src.file(f.File)
	props := []string{"file=" + commandProperty(f.File), fmt.Sprintf("line=%d", max(f.Line, 1))}
	end := max(f.EndLine, f.Line, 1)
	props = append(props, fmt.Sprintf("endLine=%d", end))
	if end == f.Line && f.Column > 0 && f.EndColumn > f.Column {
		line, _ := file.line(f.Line)
		props = append(props, fmt.Sprintf("col=%d", unitColumn(line, f.Column)), fmt.Sprintf("endColumn=%d", unitColumn(line, f.EndColumn)))
	}
	props = append(props, "title="+commandProperty(fmt.Sprintf("%s %s (%s)", f.Rule, f.Name, f.Confidence)))
	return fmt.Sprintf("::%s %s::%s", level, strings.Join(props, ","), commandData(strings.Join(plainDetails(f, fingerprint), "\n")))
}

// plainDetails returns what a reader must know about f where there is room
// for a few lines of plain text.
func plainDetails(f *Finding, fingerprint string) []string {
	lines := []string{visible(f.Message)}
	for _, rel := range f.Related {
		if rel.Role == RoleRival || rel.Role == RoleGuard {
			lines = append(lines, visible(fmt.Sprintf("%s: %s (%s:%d)", rel.Role, relatedText(rel), rel.File, rel.Line)))
		}
	}
	if f.Consequence != "" {
		lines = append(lines, visible("consequence: "+f.Consequence))
	}
	if patch := bestPatch(f); patch != nil && patch.Description != "" {
		lines = append(lines, visible(fmt.Sprintf("patch: %s (%s; %s)", patch.Description, patch.Safety, checked(*patch))))
	}
	if f.Witness != nil && f.Witness.Replayed {
		lines = append(lines, visible("reproduce: kvrace repro "+fingerprint))
	}
	return lines
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// commandData escapes the message of a command.
func commandData(s string) string { return dataEscapes.Replace(s) }

// commandProperty escapes the value of a property. A name that holds control
// characters is spelled out; GitHub then shows the annotation without a place.
func commandProperty(s string) string { return propertyEscapes.Replace(visible(s)) }

// loggable takes apart commands of the older form in a line of our own.
func loggable(s string) string { return strings.ReplaceAll(s, "##[", "## [") }

// counts says how many findings of each severity there are.
func counts(t tally) string {
	var parts []string
	for s := SeverityError; s <= SeverityNote; s++ {
		if n := t.severities[s]; n > 0 {
			parts = append(parts, count(n, s.String()))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ") + " in " + count(t.files, "file")
}
