// Package baseline keeps a list of known findings, so that a team can adopt
// kvrace without repairing everything first.
//
// A baseline is JSON with one finding per line, sorted, so that two branches
// that change it merge without conflict as a rule:
//
//	{"version":1,"findings":[
//	{"fingerprint":"0123456789abcdef","rule":"KV101","file":"a/b.py","function":"C.m","note":""}
//	]}
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/report"
)

// formatVersion is the version of the file format.
const formatVersion = 1

// An Entry is one known finding. Only the fingerprint identifies it; the rest
// is for people.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file"`
	Function    string `json:"function"`
	Note        string `json:"note"` // kept when the baseline is written anew
}

// A Baseline is a set of known findings, sorted.
type Baseline struct {
	Entries []Entry
}

// document is the file format.
type document struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// Read parses a baseline.
func Read(r io.Reader) (*Baseline, error) {
	var doc document
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if doc.Version != formatVersion {
		return nil, fmt.Errorf("version %d of the format is unknown", doc.Version)
	}
	if dec.More() {
		return nil, errors.New("text after the end")
	}
	b := &Baseline{Entries: doc.Findings}
	for _, e := range b.Entries {
		if e.Fingerprint == "" {
			return nil, errors.New("a finding lacks its fingerprint")
		}
	}
	b.sort()
	return b, nil
}

// New returns the baseline of the findings. Notes are taken over from old,
// which may be nil.
func New(findings []report.Finding, old *Baseline) *Baseline {
	notes := make(map[string]string)
	if old != nil {
		for _, e := range old.Entries {
			notes[e.Fingerprint] = e.Note
		}
	}
	b := &Baseline{}
	for _, f := range findings {
		b.Entries = append(b.Entries, Entry{f.Fingerprint, f.Rule, f.File, f.Function, notes[f.Fingerprint]})
	}
	b.sort()
	return b
}

// sort puts the entries into the order of the file and drops repetitions.
func (b *Baseline) sort() {
	slices.SortFunc(b.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Rule, y.Rule),
			cmp.Compare(x.Function, y.Function), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	b.Entries = slices.CompactFunc(b.Entries, func(x, y Entry) bool { return x.Fingerprint == y.Fingerprint })
}

// Split returns the findings that the baseline does not know, those that it
// knows, and the entries for which there is no finding.
func (b *Baseline) Split(findings []report.Finding) (fresh, known []report.Finding, stale []Entry) {
	listed := make(map[string]bool)
	for _, e := range b.Entries {
		listed[e.Fingerprint] = true
	}
	present := make(map[string]bool)
	for _, f := range findings {
		present[f.Fingerprint] = true
		if listed[f.Fingerprint] {
			known = append(known, f)
		} else {
			fresh = append(fresh, f)
		}
	}
	for _, e := range b.Entries {
		if !present[e.Fingerprint] {
			stale = append(stale, e)
		}
	}
	return fresh, known, stale
}

// Without returns the baseline less some of its entries.
func (b *Baseline) Without(entries []Entry) *Baseline {
	return &Baseline{Entries: slices.DeleteFunc(slices.Clone(b.Entries), func(e Entry) bool {
		return slices.Contains(entries, e)
	})}
}

// Write writes the baseline.
func (b *Baseline) Write(w io.Writer) error {
	var lines []string
	for _, e := range b.Entries {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			return err
		}
		lines = append(lines, strings.TrimSuffix(line.String(), "\n"))
	}
	_, err := fmt.Fprintf(w, "{\"version\":%d,\"findings\":[\n%s\n]}\n", formatVersion, strings.Join(lines, ",\n"))
	return err
}
