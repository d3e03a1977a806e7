package witness_test

import (
	"testing"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/witness"
)

// TestCourses searches for steps that many programs have in common: few states
// suffice, as one way along them is searched by itself.
func TestCourses(t *testing.T) {
	s := load(t, "courses_racy.py")
	locs := s.locs("parts", "a", "b", "c", "d")
	p := witness.Problem{Property: witness.NoPassage, Actors: s.actors(locs), Track: locs}
	var drops []witness.Mark
	for _, name := range []string{"Store.first", "Store.second", "Store.third", "Store.sweep"} {
		k := s.mark(name, flow.Del, "parts")
		k.Present = true
		drops = append(drops, k)
	}
	late := s.mark("Store.late", flow.Put, "parts")
	late.Absent = true
	p.Path = [][]witness.Mark{drops, {late}}
	r := witness.Search(p, witness.Bound{States: 3000})
	t.Log(format(r))
	if r.Verdict != witness.Found {
		t.Fatalf("got %s, want %s", r.Verdict, witness.Found)
	}
	if err := witness.Check(p, witness.Bound{}, r); err != nil {
		t.Error(err)
	}
	if r.States > 100 {
		t.Errorf("%d states, want at most 100", r.States)
	}
	for _, ev := range r.Trace {
		switch name := ev.Entry.Name(); name {
		case "Store.first", "Store.second", "Store.third":
			t.Fatalf("%s takes part", name)
		}
	}
}
