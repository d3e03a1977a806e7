package flow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// TestFactsEnd looks for walks on which a value is tested twice: with one outcome where
// it is the same, with both where the next message, or the next element, is another one.
func TestFactsEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "desk.py")
	err := os.WriteFile(name, []byte(`
import threading

from fleet import Kind


class Desk:
    def __init__(self, kind):
        self.first = {}
        self.second = {}
        self.third = {}
        self.fourth = {}
        self.kind = kind
        threading.Thread(target=self.listen).start()
        threading.Thread(target=self.sweep).start()

    def listen(self):
        while True:
            key, word = self.sock.recv()
            kind = int(word)
            if kind == 1:
                self.first.pop(key, None)
            if kind == 2:
                self.second.pop(key, None)
            if self.kind == Kind.SEND:
                self.third.pop(key, None)
            if self.kind == Kind.RECEIVE:
                self.fourth.pop(key, None)

    def sweep(self):
        for job in self.source.jobs():
            if job.old == 1:
                self.first.pop(job.key, None)
            if job.old == 2:
                self.second.pop(job.key, None)
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, name)
	walks := func(entry, from, to string, turns bool) bool {
		for _, e := range p.Entries {
			if e.Name() != entry {
				continue
			}
			at := map[string]int32{}
			var heads []int32
			for i := range e.Graph.Nodes {
				switch n := &e.Graph.Nodes[i]; n.Op {
				case flow.Del:
					at[n.Loc.Name] = int32(i)
				case flow.LoopHead:
					heads = append(heads, int32(i))
				}
			}
			s := flow.Search{
				// From the start, so that what the tests on the way to it show is known.
				Mark: func(id int32, _ *flow.Node) string {
					if id == at[from] {
						return "passed"
					}
					return ""
				},
				Goal: func(id int32, _ *flow.Node, f flow.Facts) bool { return id == at[to] && f.Passed("passed") },
			}
			if !turns {
				s.Stop = func(id int32) bool { return id == heads[0] }
				s.From, s.After = heads[:1], true
			}
			return e.Graph.Find(s) != nil
		}
		t.Fatalf("no entrypoint %s", entry)
		return false
	}
	for _, tt := range []struct {
		entry, from, to   string
		inTurn, inAnother bool
	}{
		{"Desk.listen", "first", "second", false, true},
		{"Desk.listen", "third", "fourth", false, false}, // nobody changes the kind of the desk
		{"Desk.listen", "first", "third", true, true},
		{"Desk.sweep", "first", "second", false, true},
	} {
		if got := walks(tt.entry, tt.from, tt.to, false); got != tt.inTurn {
			t.Errorf("%s: from %s to %s in one turn: %v", tt.entry, tt.from, tt.to, got)
		}
		if got := walks(tt.entry, tt.from, tt.to, true); got != tt.inAnother {
			t.Errorf("%s: from %s to %s: %v", tt.entry, tt.from, tt.to, got)
		}
	}
}
