package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/ruletest"
)

//go:generate go test -run TestReadme -update .

// TestReadme compares the table of rules in the README with the rules.
func TestReadme(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | name | severity | what it finds |\n|---|---|---|---|\n")
	for _, r := range rules.All {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Name, r.Severity, r.Summary())
	}
	ruletest.Section(t, "../README.md", "rules", b.String())
}

// TestPages holds the pages of all rules to one order of headings, and their
// summaries to one sentence.
func TestPages(t *testing.T) {
	want := []string{"What it finds", "Why is this a bug", "When it reports", "When it does not", "Fixes", "Known gaps"}
	for _, r := range rules.All {
		var got []string
		for line := range strings.Lines(r.Doc) {
			if h, ok := strings.CutPrefix(line, "# "); ok {
				got = append(got, strings.TrimSpace(h))
			}
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s: the page has the headings %q, want %q", r.ID, got, want)
		}
		if first, _, _ := strings.Cut(r.Doc, "\n\n"); strings.Count(first, ". ") > 0 || !strings.HasSuffix(first, ".") || strings.ContainsRune(r.Summary(), '|') {
			t.Errorf("%s: the page begins with %q, want one sentence", r.ID, first)
		}
	}
}
