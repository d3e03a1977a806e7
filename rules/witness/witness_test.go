package witness_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

// subject is a lowered test program.
type subject struct {
	tb   testing.TB
	prog *flow.Program
}

func load(tb testing.TB, file string) subject {
	tb.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	m, err := parser.ParseFile(file, src, parser.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return subject{tb, flow.Build(program.New([]*ast.Module{m}))}
}

func (s subject) entry(name string) *flow.Entry {
	s.tb.Helper()
	for _, e := range s.prog.Entries {
		if e.Name() == name {
			return e
		}
	}
	s.tb.Fatalf("no entrypoint %s", name)
	return nil
}

// locs returns locations by name; a trailing [] stands for the values of one.
func (s subject) locs(names ...string) []*flow.Location {
	s.tb.Helper()
	var out []*flow.Location
	for _, name := range names {
		found := false
		for _, l := range s.prog.Locations {
			if l.String() == name {
				out = append(out, l)
				found = true
			}
		}
		if !found {
			s.tb.Fatalf("no location %s", name)
		}
	}
	return out
}

// consts returns constants that some step mentions, by their text.
func (s subject) consts(names ...string) []*flow.Value {
	s.tb.Helper()
	var out []*flow.Value
	for _, name := range names {
		v := s.constant(name)
		if v == nil {
			s.tb.Fatalf("no constant %s", name)
		}
		out = append(out, v)
	}
	return out
}

func (s subject) constant(name string) *flow.Value {
	for _, e := range s.prog.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			for _, v := range []*flow.Value{n.Val, n.Def, n.Want} {
				if v != nil && v.Kind == flow.Const && v.String() == name {
					return v
				}
			}
		}
	}
	return nil
}

// mark returns the first step of an entrypoint with an operation on a line.
func (s subject) mark(entry string, op flow.Op, loc string) witness.Mark {
	s.tb.Helper()
	e := s.entry(entry)
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Op == op && n.Loc != nil && n.Loc.String() == loc {
			return witness.Mark{Entry: e, Node: int32(i)}
		}
	}
	s.tb.Fatalf("no %s of %s in %s", op, loc, entry)
	return witness.Mark{}
}

// hooks classifies hooks by the names that the test programs use.
func hooks(e *flow.Entry) witness.Hook {
	switch e.Func.Name {
	case "poll":
		return witness.PollHook
	case "abort":
		return witness.AbortHook
	case "clear":
		return witness.ClearHook
	}
	return witness.PlainHook
}

func (s subject) actors(locs []*flow.Location) []witness.Actor {
	return witness.Actors(s.prog, locs, hooks)
}

func format(r witness.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s after %d states %s\n", r.Verdict, r.States, r.Reason)
	for i, st := range r.Schedule {
		fmt.Fprintf(&b, "%2d t%d %-20s %3d %-40s %v\n", i+1, st.Thread, st.Entry.Name(), st.Line, st.Action, st.State)
	}
	for _, a := range r.Assumptions {
		fmt.Fprintf(&b, "assumed: %s\n", a)
	}
	return b.String()
}

// question is one test program with the problem about it.
type question struct {
	file    string
	ask     func(s subject) witness.Problem
	bound   witness.Bound
	verdict witness.Verdict
}

func neverFails(names ...string) func(s subject) witness.Problem {
	return func(s subject) witness.Problem {
		locs := s.locs(names...)
		return witness.Problem{Property: witness.NoThreadDeath, Actors: s.actors(locs), Track: locs}
	}
}

func hookNeverFails(entry string, names ...string) func(s subject) witness.Problem {
	return func(s subject) witness.Problem {
		p := neverFails(names...)(s)
		p.Victim = s.entry(entry)
		return p
	}
}

func neverPinned(s subject) witness.Problem {
	locs := s.locs("peers", "status", "conclude", "jobs")
	trigger := s.mark("Manager.listener", flow.Del, "peers")
	trigger.Present = true
	return witness.Problem{
		Property: witness.NoPin, Actors: s.actors(locs), Track: locs,
		Terminal: s.consts("Poll.Success", "Poll.Failed"), Trigger: []witness.Mark{trigger},
	}
}

func staysGone(property witness.Property, names ...string) func(s subject) witness.Problem {
	return func(s subject) witness.Problem {
		locs := s.locs(names...)
		return witness.Problem{Property: property, Actors: s.actors(locs), Track: locs, Watch: locs[:1]}
	}
}

// revivedBy asks whether what an entrypoint stores brings an entry back for good.
func revivedBy(entry string) func(s subject) witness.Problem {
	return func(s subject) witness.Problem {
		p := staysGone(witness.NoRevival, "seen")(s)
		gone := s.mark("Handle.clear", flow.Del, "seen")
		gone.Present = true
		p.Path = [][]witness.Mark{{gone}, {s.mark(entry, flow.Put, "seen")}}
		return p
	}
}

func staysFailed(s subject) witness.Problem {
	locs := s.locs("status")
	return witness.Problem{
		Property: witness.NoOverwrite, Actors: s.actors(locs), Track: locs,
		Status: locs, Terminal: s.consts("State.FAILED"),
	}
}

func releasedOnce(s subject) witness.Problem {
	locs := s.locs("held")
	all := s.locs("held", "free")
	return witness.Problem{
		Property: witness.NoDoubleRelease, Actors: s.actors(locs), Track: all,
		Release: []witness.Mark{s.mark("Slots.reap", flow.Put, "free"), s.mark("Slots.finish", flow.Put, "free")},
		Reset:   []witness.Mark{s.mark("Slots.take", flow.Put, "held")},
	}
}

func losesNothing(s subject) witness.Problem {
	locs := s.locs("waiting")
	return witness.Problem{Property: witness.NoLostUpdate, Actors: s.actors(locs), Track: locs}
}

var questions = []question{
	{file: "abort_racy.py", ask: neverPinned, verdict: witness.Found},
	{file: "abort_safe.py", ask: neverPinned, verdict: witness.Excluded},
	{file: "check_racy.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Found},
	{file: "check_otherlock_racy.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Found},
	{file: "check_pop_safe.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Excluded},
	{file: "check_lock_safe.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Excluded},
	{file: "check_try_safe.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Excluded},
	{file: "refused_safe.py", ask: hookNeverFails("Table.finish", "jobs"), verdict: witness.Excluded},
	{file: "iterate_racy.py", ask: neverFails("jobs"), verdict: witness.Found},
	{file: "iterate_list_safe.py", ask: neverFails("jobs"), verdict: witness.Excluded},
	{file: "iterate_own_racy.py", ask: neverFails("jobs"), verdict: witness.Found},
	{file: "iterate_own_safe.py", ask: neverFails("jobs"), verdict: witness.Excluded},
	{file: "late_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_check_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_lock_safe.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Excluded},
	{file: "late_kind_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_kind_safe.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Excluded},
	{file: "late_turn_racy.py", ask: staysGone(witness.NoRevival, "seen", "armed"), verdict: witness.Found},
	{file: "late_mode_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_mode_safe.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Excluded},
	{file: "late_settled_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_settled_safe.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Excluded},
	{file: "late_pair_racy.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Found},
	{file: "late_pair_safe.py", ask: staysGone(witness.NoRevival, "seen"), verdict: witness.Excluded},
	{file: "late_other_safe.py", ask: revivedBy("Stats.tick"), verdict: witness.Found},
	{file: "late_other_safe.py", ask: revivedBy("Stats.listen"), verdict: witness.Excluded},
	{file: "overwrite_max_racy.py", ask: staysFailed, verdict: witness.Found},
	{file: "overwrite_check_racy.py", ask: staysFailed, verdict: witness.Found},
	{file: "overwrite_once_safe.py", ask: staysFailed, verdict: witness.Excluded},
	{file: "await_racy.py", ask: neverFails("tasks"), verdict: witness.Found},
	{file: "await_safe.py", ask: neverFails("tasks"), verdict: witness.Excluded},
	{file: "shard_racy.py", ask: neverFails("live", "queues[]"), verdict: witness.Found},
	{file: "shard_safe.py", ask: neverFails("live", "queues[]"), verdict: witness.Excluded},
	{file: "remains_racy.py", ask: staysGone(witness.NoRemains, "pages", "owners"), verdict: witness.Found},
	{file: "remains_safe.py", ask: staysGone(witness.NoRemains, "pages", "owners"), verdict: witness.Excluded},
	{file: "release_racy.py", ask: releasedOnce, verdict: witness.Found},
	{file: "release_safe.py", ask: releasedOnce, verdict: witness.Excluded},
	{file: "filter_racy.py", ask: losesNothing, verdict: witness.Found},
	{file: "filter_safe.py", ask: losesNothing, verdict: witness.Excluded},
}

func TestSearch(t *testing.T) {
	for _, q := range questions {
		t.Run(q.file, func(t *testing.T) {
			s := load(t, q.file)
			r := witness.Search(q.ask(s), q.bound)
			if r.Verdict != q.verdict {
				t.Errorf("got %s, want %s", r.Verdict, q.verdict)
			}
			if r.Verdict == witness.Found {
				if err := witness.Check(q.ask(s), q.bound, r); err != nil {
					t.Error(err)
				}
			}
			t.Log(format(r))
		})
	}
}

// TestOutcomes holds the words for the outcomes of comparisons against their sense: what is
// stored is stored where each of them is true.
func TestOutcomes(t *testing.T) {
	s := load(t, "late_compared_racy.py")
	r := witness.Search(staysGone(witness.NoRevival, "seen")(s), witness.Bound{})
	if r.Verdict != witness.Found {
		t.Fatal(r.Verdict)
	}
	asked := 0
	for _, step := range r.Schedule {
		if text, ok := strings.CutSuffix(step.Action, "? yes"); ok && strings.Contains(text, "size") {
			asked++
			if strings.Contains(text, "\n") {
				t.Errorf("%q is more than a line", text)
			}
		} else if strings.HasSuffix(step.Action, "? no") && strings.Contains(step.Action, "size") {
			t.Errorf("%s", step.Action)
		}
	}
	if asked != 5 {
		t.Errorf("%d comparisons are shown, want 5\n%s", asked, format(r))
	}
}

// TestBarrier searches where nobody waits for the jobs, and checks what is found where
// somebody does.
func TestBarrier(t *testing.T) {
	s := load(t, "barrier_safe.py")
	copies := s.entry("Copies.copy")
	ask := hookNeverFails("Copies.copy", "pages")
	if r := witness.Search(ask(s), witness.Bound{}); r.Verdict != witness.Excluded {
		t.Fatalf("past the wait the search is %s", r.Verdict)
	}
	barriers := copies.Graph.Barriers
	copies.Graph.Barriers = nil
	r := witness.Search(ask(s), witness.Bound{})
	if r.Verdict != witness.Found {
		t.Fatalf("without the wait the search is %s", r.Verdict)
	}
	if err := witness.Check(ask(s), witness.Bound{}, r); err != nil {
		t.Errorf("without the wait: %v", err)
	}
	copies.Graph.Barriers = barriers
	if err := witness.Check(ask(s), witness.Bound{}, r); err == nil || !strings.Contains(err.Error(), "for which it waits") {
		t.Errorf("the check of a schedule that passes the wait says %v", err)
	}
}
