package replay_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

// desk keeps requests; what listen does with one that it hears of is to be filled in.
const desk = `
import threading


class Desk:
    def __init__(self, inbox):
        self.inbox = inbox
        self.peers = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def begin(self, key):
        self.peers[key] = 1

    def drop(self, key):
        self.peers.pop(key, None)

    def listen(self):
        while True:
            key = self.inbox.hear()
`

func build(t *testing.T, listen string) *flow.Program {
	t.Helper()
	body := "            " + strings.ReplaceAll(listen, "\n", "\n            ") + "\n"
	m, err := parser.ParseFile("desk.py", []byte(desk+body), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return flow.Build(program.New([]*ast.Module{m}))
}

func location(p *flow.Program, name string) *flow.Location {
	for _, l := range p.Locations {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// place returns the step of an entrypoint that does something to a location.
func place(t *testing.T, p *flow.Program, entry string, op flow.Op, loc string) witness.Mark {
	t.Helper()
	for _, e := range p.Entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; e.Func.Name == entry && n.Op == op && n.Loc != nil && n.Loc.Name == loc && len(n.Pred) > 0 && n.Mode&flow.Initial == 0 {
				return witness.Mark{Entry: e, Node: int32(i), Present: op == flow.Del, Absent: op == flow.Put}
			}
		}
	}
	t.Fatalf("%s has no such step on %s", entry, loc)
	return witness.Mark{}
}

// A run of changed code in which what the finding begins with does not happen shows
// nothing: an entry that was never made does not come back.
func TestIdle(t *testing.T) {
	revival := func(t *testing.T, p *flow.Program, begin bool) witness.Problem {
		peers := location(p, "peers")
		q := witness.Problem{
			Property: witness.NoRevival, Watch: []*flow.Location{peers}, Track: []*flow.Location{peers}, Must: 1,
			Path: [][]witness.Mark{{place(t, p, "drop", flow.Del, "peers")}, {place(t, p, "listen", flow.Put, "peers")}},
		}
		if begin {
			q.Path, q.Must = append([][]witness.Mark{{place(t, p, "begin", flow.Put, "peers")}}, q.Path...), 2
		}
		return q
	}
	tests := []struct {
		name          string
		begin         bool
		before, after string
		want          string // of the run of the changed code
	}{
		{"nothing is known", false, "self.peers[key] = 2", "if key in self.peers:\n    self.peers[key] = 2", "shows nothing"},
		{"begun", true, "self.peers[key] = 2", "if key in self.peers:\n    self.peers[key] = 2", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := build(t, tt.before)
			q := revival(t, p, tt.begin)
			q.Actors = witness.Actors(p, q.Track, func(e *flow.Entry) witness.Hook {
				if e.Func.Name == "drop" {
					return witness.AbortHook
				}
				return witness.PlainHook
			})
			r := witness.Search(q, witness.Bound{})
			if r.Verdict != witness.Found {
				t.Fatalf("%s %s after %d states", r.Verdict, r.Reason, r.States)
			}
			if err := witness.Check(q, witness.Bound{}, r); err != nil {
				t.Error(err)
			}
			s, err := replay.NewScript(q, r)
			if err != nil {
				t.Fatal(err)
			}
			original, err := s.Original(p)
			if err != nil {
				t.Fatal(err)
			}
			if o := replay.Execute(original.Source); o.Err != "" || o.Wrong == "" {
				t.Errorf("the code as it is: %+v", o)
			}
			patched, err := s.Patched(build(t, tt.after))
			if err != nil {
				t.Fatal(err)
			}
			o := replay.Execute(patched.Source)
			if o.Err != "" || (tt.want == "") != (o.Wrong == "") || !strings.Contains(o.Wrong, tt.want) {
				t.Errorf("the changed code: %q %s, want %q\n%s", o.Wrong, o.Err, tt.want, strings.Join(o.Log, "\n"))
			}
		})
	}
}
