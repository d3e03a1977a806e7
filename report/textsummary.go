package report

import (
	"fmt"
	"strings"
)

// A tally counts the findings of a run.
type tally struct {
	severities  [len(severityNames)]int
	confidences [len(confidenceNames)]int
	files       int // that hold a main location
	patched     int // findings with a verified patch
}

func newTally(run *Run) tally {
	var t tally
	files := make(map[string]bool)
	for _, f := range run.Findings {
		t.severities[f.Severity]++
		t.confidences[f.Confidence]++
		files[f.File] = true
		for _, patch := range f.Patches {
			if patch.Verified {
				t.patched++
				break
			}
		}
	}
	t.files = len(files)
	return t
}

// summary prints what was found and what was looked at, a line each.
func (p *textPrinter) summary(run *Run) {
	t := newTally(run)
	p.printf("%s\n", p.foundLine(run, t))
	p.printf("%s\n", lookedLine(run))
}

func (p *textPrinter) foundLine(run *Run, t tally) string {
	if len(run.Findings) == 0 {
		return "no findings"
	}
	var counts []string
	for s := SeverityError; s <= SeverityNote; s++ {
		if n := t.severities[s]; n > 0 {
			counts = append(counts, p.paint.of(s).Sprint(count(n, s.String())))
		}
	}
	var sure []string
	for c := Confirmed; c >= Possible; c-- {
		if n := t.confidences[c]; n > 0 {
			sure = append(sure, fmt.Sprintf("%d %s", n, c))
		}
	}
	line := fmt.Sprintf("%s in %s (%s)", strings.Join(counts, ", "), count(t.files, "file"), strings.Join(sure, ", "))
	if t.patched > 0 {
		line += fmt.Sprintf("; %d with a verified patch", t.patched)
	}
	return line
}

// lookedLine says what was analyzed, what was not, and how long it took.
func lookedLine(run *Run) string {
	line := fmt.Sprintf("%s, %s analyzed", count(run.Stats.Files, "file"), size(run.Stats.Bytes))
	if n := len(failedFiles(run)); n > 0 {
		line += fmt.Sprintf(", %s with errors", count(n, "file"))
	}
	if n := len(run.Stats.Cut); n > 0 {
		line += fmt.Sprintf(", %s only in part", count(n, "entrypoint"))
	}
	if n := run.Stats.Excluded; n > 0 {
		line += fmt.Sprintf(", %s that no schedule shows left out", count(n, "finding"))
	}
	if n := len(run.Suppressed); n > 0 {
		line += fmt.Sprintf(", %s suppressed", count(n, "finding"))
	}
	if ms := run.Stats.WallMS; ms > 0 {
		line += ", " + elapsed(ms)
	}
	return line
}

// failedFiles returns the files with errors, in the order of the errors.
func failedFiles(run *Run) []string {
	var files []string
	seen := make(map[string]bool)
	for _, e := range run.Errors {
		if !seen[e.File] {
			seen[e.File] = true
			files = append(files, e.File)
		}
	}
	return files
}

// count returns "1 file" or "2 files".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// size returns a number of bytes as people read it.
func size(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// elapsed returns milliseconds as people read them.
func elapsed(ms int64) string {
	if ms >= 1000 {
		return fmt.Sprintf("%.2f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d ms", ms)
}
