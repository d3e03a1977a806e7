package report

import (
	"fmt"
	"slices"
	"unicode/utf16"
)

// GitHub code scanning recognises an alert across commits by the partial
// fingerprint primaryLocationLineHash and computes it itself, from the
// checked-out file, only when a SARIF file lacks it. The definition is in
// github/codeql-action: src/fingerprints.ts, hash: for each line, a polynomial
// hash of the first hundred UTF-16 units from its start, blanks and tabs left
// out and line ends made LF, with a unit 65535 and zeros behind the end of the
// file; then a colon and how many lines up to this one have that hash.
const (
	hashUnits = 100
	hashBase  = 37
)

// lineHashes returns primaryLocationLineHash for each line of text.
func lineHashes(text []byte) []string {
	stream, starts := hashStream(string(text))
	var top uint64 = 1 // hashBase to the power of hashUnits
	for range hashUnits {
		top *= hashBase
	}
	var hash uint64
	for _, u := range stream[:hashUnits] {
		hash = hash*hashBase + uint64(u)
	}
	hashes := make([]string, 0, len(starts))
	seen := make(map[uint64]int)
	at := 0
	for _, start := range starts {
		for ; at < start; at++ {
			hash = hash*hashBase + uint64(stream[at+hashUnits]) - top*uint64(stream[at])
		}
		seen[hash]++
		hashes = append(hashes, fmt.Sprintf("%x:%d", hash, seen[hash]))
	}
	return hashes
}

// hashStream returns the units that the hashes are made of and the index at
// which each line starts.
func hashStream(text string) (stream []uint16, starts []int) {
	afterCR, lineStart := false, true
	for _, r := range text {
		if r == ' ' || r == '\t' || r == '\n' && afterCR {
			afterCR = false
			continue
		}
		afterCR = r == '\r'
		if lineStart {
			starts = append(starts, len(stream))
		}
		if afterCR {
			r = '\n'
		}
		lineStart = r == '\n'
		stream = utf16.AppendRune(stream, r)
	}
	if lineStart {
		starts = append(starts, len(stream))
	}
	stream = append(stream, 65535)
	return append(slices.Clip(stream), make([]uint16, hashUnits)...), starts
}
