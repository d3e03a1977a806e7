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
	as := witness.Actors(s.prog, locs, hooks)
	for i := range as {
		if as[i].Entry.Role == flow.ThreadOf {
			as[i].Instances = 1
		}
	}
	return as
}

func format(r witness.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s after %d states %s\n", r.Verdict, r.States, r.Reason)
	for i, st := range r.Schedule {
		fmt.Fprintf(&b, "%2d t%d %-20s %3d %-40s %v\n", i+1, st.Thread, st.Entry.Name(), st.Node.Line(), st.Action, st.State)
	}
	for _, a := range r.Assumptions {
		fmt.Fprintf(&b, "assumed: %s\n", a)
	}
	return b.String()
}

func TestAbort(t *testing.T) {
	s := load(t, "abort_racy.py")
	locs := s.locs("peers", "status", "conclude", "jobs")
	r := witness.Search(witness.Problem{
		Property: witness.NoPin,
		Actors:   s.actors(locs),
		Track:    locs,
		Terminal: s.consts("Poll.Success", "Poll.Failed"),
		Trigger:  []witness.Mark{s.mark("Manager.listener", flow.Del, "peers")},
	}, witness.Bound{})
	t.Log(format(r))
}
