package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/rule"
)

// enough is how many fixtures of each kind a rule needs, in different spellings.
const enough = 6

// TestFixtures checks that each rule about requests that never conclude has wrong
// and right programs enough, and a patch for some of the wrong ones.
func TestFixtures(t *testing.T) {
	for _, r := range rules.All {
		if !strings.HasPrefix(r.ID, "KV1") {
			continue
		}
		racy, safe, patches := countFixtures(t, r)
		if racy < enough || safe < enough {
			t.Errorf("%s: %d wrong and %d right programs, want %d of each", r.ID, racy, safe, enough)
		}
		if patches == 0 {
			t.Errorf("%s: no wrong program has a patch beside it", r.ID)
		}
	}
}

func countFixtures(t *testing.T, r *rule.Rule) (racy, safe, patches int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(r.Analyzer.Name, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		base := strings.TrimSuffix(name, ".py")
		switch {
		case strings.HasSuffix(name, ".diff"):
			patches++
		case strings.HasSuffix(base, "_racy"):
			racy++
		case strings.HasSuffix(base, "_safe"):
			safe++
		}
	}
	return racy, safe, patches
}

// confusing are the kinds of right code that look wrong, each with a part of the
// names of the fixtures that show it. Any rule may have the fixture: all rules are
// run on all right programs.
var confusing = map[string][]string{
	"a guard beside which nothing is removed":                    {"nothing_removed"},
	"a helper whose every caller holds the lock":                 {"callers_hold_lock", "caller_locks"},
	"a container that one thread owns":                           {"owner_thread", "own_thread", "one_thread"},
	"a container of which a key has one thread":                  {"sharded"},
	"a value that is passed through a queue":                     {"handed_over", "handed_on", "requeue"},
	"accesses that start and join put in order":                  {"join", "before_start", "after_shutdown"},
	"one event loop with no await in between":                    {"async_"},
	"what each thread has for itself":                            {"thread_local"},
	"a loop over a copy":                                         {"snapshot", "heartbeat", "replaced", "detached"},
	"a strict access whose handler concludes the item":           {"handler_concludes", "strict_in_try"},
	"an assert whose handler concludes the item":                 {"guard_assert", "known_assert"},
	"a remover that stores the terminal status as well":          {"remover_concludes", "one_section"},
	"a clear whose caller clears the rest":                       {"caller_clears_rest"},
	"a release that may come twice":                              {"sentinel_reset"},
	"a look-up of a defaultdict that the same message removes":   {"same_message"},
	"a guard that ignores late events":                           {"ignore_late", "late_event"},
	"a method of a base class that every concrete one overrides": {"overridden", "abstract_poll"},
	"a socket that is handed out with its lock":                  {"socket_with_lock"},
}

// TestConfusing checks that each kind of right code that looks wrong has a fixture.
func TestConfusing(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*_safe*")
	if err != nil {
		t.Fatal(err)
	}
	for kind, parts := range confusing {
		found := false
		for _, f := range files {
			for _, p := range parts {
				found = found || strings.Contains(filepath.Base(f), p)
			}
		}
		if !found {
			t.Errorf("no right program shows %s", kind)
		}
	}
}
