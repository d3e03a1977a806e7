package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/report"
)

// A place is a stretch of lines that a finding rests on.
type place struct {
	file        string
	first, last int
}

// places returns what the finding rests on: its own lines, the related ones,
// and those of the steps of its witness.
func places(f *report.Finding) []place {
	ps := []place{{f.File, f.Line, max(f.Line, f.EndLine)}}
	for _, r := range f.Related {
		ps = append(ps, place{r.File, r.Line, max(r.Line, r.EndLine)})
	}
	if f.Witness != nil {
		for _, s := range f.Witness.Steps {
			ps = append(ps, place{s.File, s.Line, s.Line})
		}
	}
	return ps
}

// lineSet holds lines of files, sorted.
type lineSet map[string][]report.LineRange

// touches reports whether the finding rests on one of the lines.
func (l lineSet) touches(f *report.Finding) bool {
	return slices.ContainsFunc(places(f), func(p place) bool {
		return slices.ContainsFunc(l[p.file], func(r report.LineRange) bool {
			return p.first <= r.Last && r.First <= p.last
		})
	})
}

// restsOn returns the text of the lines that the finding rests on, without
// repetitions, order and indentation.
func restsOn(run *report.Run, f *report.Finding) string {
	var lines []string
	for _, p := range places(f) {
		text := bytes.Split(run.Sources[p.file], []byte("\n"))
		for n := max(p.first, 1); n <= min(p.last, len(text)); n++ {
			lines = append(lines, string(bytes.TrimSpace(text[n-1])))
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}
