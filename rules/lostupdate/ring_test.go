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
		{"the events are given away", "hands_on", "        self.turns[0].set()\n", "        self.turns[0].set()\n        wire.hear(self.turns)\n", false},
		{"one event is given away", "hands_on", "            self.wire.send(i)\n", "            self.wire.send(self.turns[i])\n", false},
		{"events of somebody else", "hands_on", "[threading.Event() for _ in range(size)]", "wire.events(size)", false},
		{"one event many times", "hands_on", "[threading.Event() for _ in range(size)]", "[threading.Event()] * size", false},
		{"events have another name", "hands_on", "        self.turns = [threading.Event() for _ in range(size)]\n", "        self.events = self.turns = [threading.Event() for _ in range(size)]\n", false},
		{"starts with a number", "hands_on", "        while True:\n", "        print(i)\n        while True:\n", true},
		{"does more than the loop", "hands_on", "        while True:\n", "        if i == 1:\n            self.wire.close()\n        while True:\n", false},
		{"another loop before it", "hands_on", "        while True:\n", "        while self.wire.busy():\n            self.wire.idle()\n        while True:\n", false},
		{"another class has such an attribute", "hands_on", "class Ring:", "class Other:\n    def __init__(self):\n        self.turns = []\n\n    def add(self, turn):\n        self.turns[0] = turn\n\n\nclass Ring:", true},
		{"a base has such an attribute", "hands_on", "class Ring:", "class Base:\n    def kick(self):\n        self.turns[0].set()\n\n\nclass Ring(Base):", false},
		{"a subclass has both", "hands_on", "            self.turns[(i + 1) % len(self.turns)].set()\n", "            self.turns[(i + 1) % len(self.turns)].set()\n\n\nclass Kicks:\n    def kick(self):\n        self.turns[0].set()\n\n\nclass Both(Kicks, Ring):\n    pass\n", false},
		{"a token", "token", "", "", true},
		{"queues in a list", "listed", "", "", true},
		{"queues in an attribute", "listed", "        lines[0].put", "        self.lines = lines\n        lines[0].put", false},
		{"queues of an attribute", "listed", "lines = [", "lines = self.lines = [", false},
		{"the list is given away", "listed", "        lines[0].put", "        wire.hear(lines)\n        lines[0].put", false},
		{"a queue of the list is given away", "listed", "        lines[0].put", "        wire.hear(lines[1])\n        lines[0].put", false},
		{"queues of somebody else", "listed", "lines = [queue.Queue(), queue.Queue()]", "lines = wire.lines", false},
		{"two tokens in a list", "listed", "        lines[0].put", "        lines[1].put(\"token\")\n        lines[0].put", false},
		{"starred queues", "listed", "args=(lines[0], lines[1])", "args=(*lines,)", false},
		{"queues by name", "listed", "args=(lines[0], lines[1])", "args=(lines[0],), kwargs={\"other\": lines[1]}", false},
		{"queues that a call picks", "listed", "args=(lines[0], lines[1])", "args=(wire.pick(lines[0]), lines[1])", false},
		{"the loop keeps the other queue", "token", "            token = mine.get()\n", "            token = mine.get()\n            self.next = other\n", false},
		{"the loop gives the queue away", "token", "self.wire.send(token)", "self.wire.send(token, mine)", false},
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
			if n := findings(t, text); (n == 0) != tt.right {
				t.Errorf("%d findings\n%s", n, text)
			}
		})
	}
}

// TestRingElsewhere has another module of the program touch what the threads hand on.
func TestRingElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name, fixture, text string
		right               bool
	}{
		{"nothing", "hands_on", "", true},
		{"an event is set", "hands_on", "def kick(ring):\n    ring.turns[1].set()\n", false},
		{"an event is given away", "hands_on", "def kick(ring, wire):\n    wire.hear(ring.turns)\n", false},
		{"an event of another class is set", "hands_on", "class Other:\n    def kick(self):\n        self.turns[1].set()\n", true},
		{"an event of a subclass is set", "hands_on", "from a import Ring\n\n\nclass Kicks(Ring):\n    def kick(self):\n        self.turns[1].set()\n", false},
		{"the number is set", "numbered", "def kick(ring):\n    ring.turn = 0\n", false},
		{"the number is read", "numbered", "def whose(ring):\n    return ring.turn\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := os.ReadFile("testdata/" + tt.fixture + "_safe.py")
			if err != nil {
				t.Fatal(err)
			}
			if n := findings(t, string(src), tt.text); (n == 0) != tt.right {
				t.Errorf("%d findings with\n%s", n, tt.text)
			}
		})
	}
}

// findings returns how many findings a program of some modules has.
func findings(t *testing.T, modules ...string) int {
	opt := checker.Options{Rules: []*rule.Rule{lostupdate.Rule}, NoWitness: true, NoPatches: true}
	dir := t.TempDir()
	for i, text := range modules {
		name := string(rune('a'+i)) + ".py"
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		opt.Files = append(opt.Files, checker.File{Name: name, Path: path})
	}
	run, err := checker.Run(context.Background(), opt)
	if err != nil || len(run.Errors) > 0 {
		t.Fatal(err, run.Errors)
	}
	return len(run.Findings)
}
