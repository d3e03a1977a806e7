package conditionalcleanup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/conditionalcleanup"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, conditionalcleanup.Rule) }

// again is a program in which keys come again; what begins a request has to store its state
// whatever is there.
const again = `import threading

WAITING, DONE, LOST = range(3)


class Pool:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.beats = {}
        self.ends = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def add(self, slot, beat):
        with self.lock:
            self.beats[slot] = beat

    def begin(self, slot):
        with self.lock:
            self.ends[slot] = WAITING
ANEW
    def _hear(self):
        while True:
            word, slot = self.wire.recv()
            with self.lock:
                if word == "lost":
                    self.beats.pop(slot, None)
                    if slot in self.ends:
                        self.ends[slot] = LOST
                elif self.ends.get(slot) == WAITING:
                    self.ends[slot] = DONE

    def poll(self, slot):
        with self.lock:
            return self.ends.get(slot, WAITING)

    def leave(self, slot):
        with self.lock:
LEAVE
`

// TestAgain holds that no patch keeps the state of the last request of a key.
func TestAgain(t *testing.T) {
	both := "            self.beats.pop(slot, None)\n            self.ends.pop(slot, None)"
	for name, test := range map[string]struct {
		anew, leave string
		kept        bool
	}{
		"removed with the entry":     {"", both, true},
		"never removed":              {"", "            self.beats.pop(slot, None)", false},
		"removed without the entry":  {"", "            self.ends.pop(slot, None)", false},
		"begins anew under one name": {"\n    def renew(self, slot):\n        self.begin(slot)\n", both, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pool.py")
			src := strings.NewReplacer("ANEW", test.anew, "LEAVE", test.leave).Replace(again)
			if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			kept, found := false, false
			for _, f := range ruletest.Check(t, path, conditionalcleanup.Rule).Findings {
				found = true
				for _, p := range f.Patches {
					kept = kept || strings.Contains(p.Diff, "setdefault")
				}
			}
			if !found || kept != test.kept {
				t.Errorf("found %v, a patch keeps the first state: %v, want %v", found, kept, test.kept)
			}
		})
	}
}
