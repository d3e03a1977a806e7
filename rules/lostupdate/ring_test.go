package lostupdate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/lostupdate"
	"github.com/kvrace/kvrace/rules/rule"
)

// TestRing breaks what makes threads that hand on the turn write one after the other.
func TestRing(t *testing.T) {
	for _, tt := range []struct {
		name, fixture, old, new string
		right                   bool
	}{
		{"events", "hands_on", "", "", true},
		{"events of enumerate", "hands_on", "for i in range(size):\n", "for i, _ in enumerate(self.turns):\n", true},
		{"nobody clears", "hands_on", "            self.turns[i].clear()\n", "", false},
		{"the wait ends by itself", "hands_on", ".wait()", ".wait(1)", false},
		{"all have one event", "hands_on", "            self.turns[i].wait()\n            self.turns[i].clear()", "            self.turns[0].wait()\n            self.turns[0].clear()", false},
		{"all have one number", "hands_on", "args=(i,)", "args=(0,)", false},
		{"the maker sets two", "hands_on", "        self.turns[0].set()\n", "        self.turns[0].set()\n        self.turns[1].set()\n", false},
		{"the maker sets all", "hands_on", "        self.turns[0].set()\n", "        for t in self.turns:\n            t.set()\n", false},
		{"a hook sets one", "hands_on", "    def _work", "    def kick(self):\n        self.turns[0].set()\n\n    def _work", false},
		{"gives two", "hands_on", "            self.turns[(i + 1) % len(self.turns)].set()\n", "            self.turns[(i + 1) % len(self.turns)].set()\n            self.turns[(i + 2) % len(self.turns)].set()\n", false},
		{"the number changes", "hands_on", "            self.wire.send(i)\n", "            i = self.wire.send(i)\n", false},
		{"a token", "token", "", "", true},
		{"two tokens", "token", "        left.put(\"token\")\n", "        left.put(\"token\")\n        right.put(\"token\")\n", false},
		{"tokens in a loop", "token", "        left.put(\"token\")\n", "        for _ in range(2):\n            left.put(\"token\")\n", false},
		{"the queue is given away", "token", "        left.put(\"token\")\n", "        left.put(\"token\")\n        wire.hear(left)\n", false},
		{"the token goes first", "token", "            token = mine.get()\n", "            token = mine.get()\n            other.put(token)\n", false},
		{"does not wait for it", "token", "mine.get()", "mine.get(False)", false},
		{"numbers", "numbered", "", "", true},
		{"numbers of all", "numbered", "args=(i,)", "args=(1,)", false},
		{"another sets the number", "numbered", "    def _work", "    def skip(self):\n        self.turn += 1\n\n    def _work", false},
		{"waits once", "numbered", "while self.turn != i", "if self.turn != i", false},
		{"waits for the opposite", "numbered", "self.turn != i", "self.turn == i", false},
		{"the number is set first", "numbered", "            self.wire.send(i)\n", "            with self.changed:\n                self.turn = i + 1\n            self.wire.send(i)\n", false},
		{"nobody is asked", "numbered", "            with self.changed:\n                while self.turn != i:\n                    self.changed.wait()\n", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := os.ReadFile("testdata/" + tt.fixture + "_safe.py")
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(string(src), tt.old, tt.new, 1)
			if tt.old != tt.new && text == string(src) {
				t.Fatal("nothing is replaced")
			}
			name := filepath.Join(t.TempDir(), "a.py")
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			run, err := checker.Run(context.Background(), checker.Options{
				Rules: []*rule.Rule{lostupdate.Rule}, NoWitness: true, NoPatches: true, Files: []checker.File{{Name: "a.py", Path: name}},
			})
			if err != nil || len(run.Errors) > 0 {
				t.Fatal(err, run.Errors)
			}
			if right := len(run.Findings) == 0; right != tt.right {
				t.Errorf("%d findings\n%s", len(run.Findings), text)
			}
		})
	}
}
