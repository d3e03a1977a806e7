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

// confusing are the kinds of right code that look wrong, each with programs that
// show it, by rule and name. All rules are run on all right programs.
var confusing = map[string][]string{
	"a guard beside which nothing is removed":                    {"conditionalcleanup/nothing_removed"},
	"a helper whose every caller holds the lock":                 {"conditionalcleanup/callers_hold_lock", "statusresurrection/callers_hold_lock", "iteratewhilemutated/caller_locks"},
	"a container that one thread owns":                           {"statusresurrection/owner_thread", "checkthenact/own_thread", "terminaloverwrite/one_thread"},
	"a container of which a key has one thread":                  {"checkthenact/sharded", "statusresurrection/sharded_counter"},
	"a value that is passed through a queue":                     {"checkthenact/handed_over", "resourceleak/handed_on", "missingterminalstatus/requeue"},
	"accesses that start and join put in order":                  {"checkthenact/joined", "clearbeforeconclude/joined_first", "statusregisteredlate/before_start", "checkthenact/after_shutdown"},
	"one event loop with no await in between":                    {"abortnotpropagated/async_writer", "iteratewhilemutated/restarted_async"},
	"what each thread has for itself":                            {"checkthenact/thread_local", "statusresurrection/thread_local"},
	"a loop over a copy":                                         {"checkthenact/snapshot_key", "iteratewhilemutated/heartbeat", "terminaloverwrite/heartbeat_update", "iteratewhilemutated/replaced", "iteratewhilemutated/detached"},
	"a strict access whose handler concludes the item":           {"checkthenact/handler_concludes", "missingterminalstatus/strict_in_try"},
	"an assert whose handler concludes the item":                 {"threaddeath/guard_assert", "threaddeath/known_assert"},
	"a remover that stores the terminal status as well":          {"maskedmissing/remover_concludes", "missingterminalstatus/remover_concludes", "clearbeforeconclude/one_section"},
	"a clear whose caller clears the rest":                       {"conditionalcleanup/caller_clears_rest", "partialcleanup/caller_clears_rest"},
	"a release that may come twice":                              {"doublerelease/sentinel_reset"},
	"a look-up of a defaultdict that the same message removes":   {"partialcleanup/same_message", "statusresurrection/same_message"},
	"a guard that ignores late events":                           {"conditionalcleanup/ignore_late", "statusresurrection/ignore_late", "missingterminalstatus/late_event"},
	"a method of a base class that every concrete one overrides": {"nodeadline/overridden", "pollignoresconclusion/abstract_poll"},
	"a socket that is handed out with its lock":                  {"inconsistentlock/socket_with_lock"},
}

// TestConfusing checks that each kind of right code that looks wrong has its
// programs; TestRightPrograms holds them against all rules.
func TestConfusing(t *testing.T) {
	for kind, programs := range confusing {
		if len(programs) == 0 {
			t.Errorf("no right program shows %s", kind)
		}
		for _, name := range programs {
			folder, base, _ := strings.Cut(name, "/")
			if _, err := os.Stat(filepath.Join(folder, "testdata", base+"_safe.py")); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}
