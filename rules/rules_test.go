package rules_test

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/ruletest"
)

// TestSorted keeps the list of rules in order and its IDs unique.
func TestSorted(t *testing.T) {
	ids := make([]string, len(rules.All))
	for i, r := range rules.All {
		ids[i] = r.ID
		if i > 0 && ids[i-1] == ids[i] {
			t.Errorf("two rules are called %s", ids[i])
		}
	}
	if !sort.StringsAreSorted(ids) {
		t.Errorf("rules are not sorted by ID: %v", ids)
	}
}

// TestRightPrograms runs all rules on every right program in the fixtures of any
// rule, and on the repaired example: none may speak.
func TestRightPrograms(t *testing.T) {
	dirs, err := filepath.Glob("*/testdata")
	if err != nil {
		t.Fatal(err)
	}
	programs := []string{filepath.FromSlash("../testdata/silentpin_fixed")}
	for _, d := range dirs {
		if strings.HasPrefix(d, "patch") || strings.HasPrefix(d, "witness") || strings.HasPrefix(d, "config") {
			continue
		}
		for _, f := range ruletest.Fixtures(t, d) {
			if strings.Contains(filepath.Base(f), "_safe") {
				programs = append(programs, f)
			}
		}
	}
	for _, p := range programs {
		t.Run(filepath.ToSlash(p), func(t *testing.T) {
			t.Parallel()
			for _, f := range ruletest.Check(t, p, rules.All...).Findings {
				t.Errorf("%s:%d: %s %s", f.File, f.Line, f.Rule, f.Message)
			}
		})
	}
}
