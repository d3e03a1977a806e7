package parser

import "testing"

func TestKeywords(t *testing.T) {
	for k := firstKeyword; k < kindCount; k++ {
		if got := lookupKeyword(spellings[k]); got != k {
			t.Errorf("lookupKeyword(%q) = %d, want %d", spellings[k], got, k)
		}
	}
	for _, word := range []string{"a", "nones", "match", "case", "type", "_", "continuee"} {
		if got := lookupKeyword(word); got != name {
			t.Errorf("lookupKeyword(%q) = %d, want a name", word, got)
		}
	}
}
