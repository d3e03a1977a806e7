package why

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
)

// A condition is what a rule needs before it looks at walks.
type condition struct {
	// anywhere reports that the rule also looks at code that no entrypoint of a
	// component gets to.
	anywhere  bool
	questions []question
	// rest lists what keeps the rule silent when all questions are answered with
	// yes: something about the walks, which only the rule itself can tell.
	rest string
}

// A question is one necessary condition of a finding that stands on the line.
type question func(*view) Step

// conditions are those of the rules, by ID. They err on the side of yes.
var conditions = map[string]condition{
	"KV101": {
		questions: []question{stepThat("removes an entry", removes), ends},
		rest:      "every walk from the removal concludes the request as well, or the test between the two fails only for requests that are over",
	},
	"KV102": {
		questions: []question{either(
			stepThat("asks for a flag of what stands in a list", func(s step) bool {
				return s.Op == flow.GetFlag && (s.Obj == nil || s.Obj.Kind != flow.Param)
			}),
			runThat("answers how a request stands", answers)), ends},
		rest: "on every walk to an answer that a request is alive, the poller has looked where the others conclude",
	},
	"KV103": {
		rest: "every way from taking a request to the next one concludes it or hands it on, or skips it for a reason that is right",
	},
	"KV104": {
		anywhere:  true,
		questions: []question{inFunction},
		rest:      "it stores no failure, or all who act on requests look at what it stores",
	},
	"KV105": {
		questions: []question{stepThat("stores a status", func(s step) bool {
			return s.Op == flow.Put && s.st.IsMap(s.Loc.Root()) || s.Op == flow.PutAll || s.Op == flow.SetFlag && s.st.IsFlag(s.Loc)
		}), ends},
		rest: "no walk, and no other thread, stores a status that ends the request before this one replaces it, or a test under a common lock keeps it from that",
	},
	"KV106": {
		questions: []question{stepThat("stores an entry", stores), otherThat("removes it", removes)},
		rest:      "the request is not known before, a test for it holds until the store, or whoever stores removes the entry again",
	},
	"KV107": {
		questions: []question{stepThat("removes an entry", removes), otherThat("reads it", func(s step) bool { return !changes(s.Node) })},
		rest:      "the request is concluded before the removal, or whoever reads the entry cannot come in between or copes with its absence",
	},
	"KV108": {
		anywhere:  true,
		questions: []question{either((*view).reached, waitsHere), either(deadline, waitsHere)},
		rest:      "something that runs by itself ends a request whose peer is silent, or what blocks has a limit",
	},
	"KV109": {
		anywhere:  true,
		questions: []question{inMethod},
		rest:      "requests do not move between three places of the object, or the method looks in all of them",
	},
	"KV110": {
		questions: []question{runThat("is a hook", func(r run) bool { return evidence.IsHook(r.entry) }), hookReads},
		rest:      "a missing entry reads as what it is, or a request whose entry is removed is over",
	},
	"KV111": {
		questions: []question{stepThat("stores an entry", stores), ends, otherThat("removes it", removes)},
		rest:      "the status is known before, or the handler that ends requests cannot run in between",
	},
	"KV201": {
		questions: []question{
			stepThat("fails when an entry is gone", func(s step) bool { return s.Mode&flow.Strict != 0 && s.Loc != nil }),
			escapes, removedAtAll, broken,
		},
		rest: "nothing finds the entry before, another check holds until the access, or the removal cannot come between the two",
	},
	"KV202": {
		questions: []question{
			stepThat("walks over a container itself", func(s step) bool { return s.Op == flow.Iter && s.Mode&flow.Live != 0 }), mutated,
		},
		rest: "the change comes after the loop, keeps the number of entries, or an exception is taken care of",
	},
	"KV203": {
		questions: []question{stepThat("changes a container", func(s step) bool { return s.Loc != nil && s.Loc.Root().Keyed() && changes(s.Node) }), lockedElsewhere},
		rest:      "the accesses under the lock are too few, need no more than single operations, or have a danger of their own name",
	},
	"KV204": {
		questions: []question{stepThat("writes back or empties what it has read", func(s step) bool {
			switch s.Op {
			case flow.Rebind, flow.Clear, flow.SetFlag, flow.Put, flow.DelAll:
				return true
			}
			return false
		}), rivalThat("writes it", func(s step) bool { return changes(s.Node) })},
		rest: "what is stored does not depend on what was read, or nothing can be written in between",
	},
	"KV205": {
		questions: []question{
			runThat("is a thread with a loop that is meant to run for ever", func(r run) bool { return r.entry.Role == flow.ThreadOf && evidence.ServiceLoop(r.entry.Graph) >= 0 }),
			stepThat("can raise by itself", func(s step) bool {
				return s.Op == flow.Raise || s.Op == flow.Assert || s.Mode&flow.Strict != 0 || slices.ContainsFunc(s.Succ, func(e flow.Edge) bool { return e.Kind == flow.Exc })
			}),
		},
		rest: "a handler in the loop takes the exception, or what is accessed is known to be there",
	},
	"KV206": {
		anywhere:  true,
		questions: []question{inFunction, siblings},
		rest:      "the classes of this backend mention every tag that is sent to it and that a sibling knows",
	},
	"KV301": {
		questions: []question{stepThat("stores or removes an entry, or may take something under a key", func(s step) bool { return stores(s) || removes(s) || taking(s) }), grouped},
		rest:      "what is left behind is removed by somebody later, or is no part of a request that ends here",
	},
	"KV302": {
		questions: []question{releasing},
		rest:      "what is taken is given back, or handed on, on every way out",
	},
	"KV303": {
		questions: []question{twice},
		rest:      "no walk gives the same thing back twice, or it is taken again in between",
	},
	"KV304": {
		questions: []question{counting},
		rest:      "every way out restores the count",
	},
}

// stepThat asks for a step on the line.
func stepThat(what string, fits func(step) bool) question {
	return func(v *view) Step {
		for _, s := range v.steps {
			if fits(s) {
				if s.Loc != nil {
					return yes("a step here %s: %s", what, evidence.Access(s.Node))
				}
				return yes("a step here %s", what)
			}
		}
		return no("no step on this line %s", what)
	}
}

// either asks one question, and another one when the answer is no.
func either(a, b question) question {
	return func(v *view) Step {
		if s := a(v); s.Holds {
			return s
		}
		return b(v)
	}
}

// runThat asks for an entrypoint that gets to the function of the line.
func runThat(what string, fits func(run) bool) question {
	return func(v *view) Step {
		for _, r := range v.runs {
			if fits(r) {
				return yes("%s %s", r.entry.Name(), what)
			}
		}
		return no("none of %s %s", v.entryNames(), what)
	}
}

// find returns a step of an entrypoint.
func find(st *status.Facts, e *flow.Entry, fits func(step) bool) *flow.Node {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if len(n.Pred) > 0 && n.Src != nil && fits(step{st: st, Access: component.Access{Entry: e, ID: int32(i), Node: n}}) {
			return n
		}
	}
	return nil
}

func lineOf(n *flow.Node) int {
	line, _ := n.Mod.AST.Position(n.Src.Pos())
	return line
}

// otherThat asks for another step on the container of a step on the line.
func otherThat(what string, fits func(step) bool) question {
	return func(v *view) Step {
		var names []string
		for _, s := range v.steps {
			if s.Loc == nil {
				continue
			}
			for _, a := range s.st.Comp.Accesses(s.Loc) {
				if a.Src != nil && a.Src != s.Src && fits(step{st: s.st, Access: a}) {
					return yes("%s %s, at line %d", a.Entry.Name(), what, lineOf(a.Node))
				}
			}
			if name := s.Loc.String(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return no("nothing else %s (%s)", what, list(names))
	}
}

// rivalThat is otherThat for steps that can run at the same time. Where there are
// such steps and none can, it says why.
func rivalThat(what string, fits func(step) bool) question {
	return func(v *view) Step {
		var reasons []string
		for _, s := range v.steps {
			if s.Loc == nil {
				continue
			}
			for _, a := range s.st.Comp.Accesses(s.Loc) {
				if a.Src == nil || a.Mode&flow.Initial != 0 || !fits(step{st: s.st, Access: a}) {
					continue
				}
				if s.st.Comp.Meet(s.Entry, a) != component.Ordered || s.st.Comp.Meet(a.Entry, s.Access) != component.Ordered {
					return yes("%s %s, at line %d, and can run beside %s", a.Entry.Name(), what, lineOf(a.Node), s.Entry.Name())
				}
				r := fmt.Sprintf("%s at line %d (%s)", a.Entry.Name(), lineOf(a.Node), reason(s.st, s.Access, a))
				if a.Src != s.Src && !slices.Contains(reasons, r) {
					reasons = append(reasons, r)
				}
			}
		}
		if len(reasons) == 0 {
			return no("nothing else %s", what)
		}
		return no("nothing that can run at the same time %s: %s", what, list(reasons))
	}
}

// ends asks whether the facts know how a request of the component ends.
func ends(v *view) Step {
	for _, r := range v.runs {
		if len(r.st.Maps)+len(r.st.Fields)+len(r.st.Drained)+len(r.st.Pollers) > 0 {
			return yes("it is known how a request of %s ends", r.st.Comp.Class.Qual)
		}
		if find(r.st, r.entry, concludes) != nil {
			return yes("it is known how a request of %s ends", r.st.Comp.Class.Qual)
		}
	}
	var names []string
	for _, r := range v.runs {
		if q := r.st.Comp.Class.Qual; !slices.Contains(names, q) {
			names = append(names, q)
		}
	}
	return no("nothing in %s tells how a request ends: no status that a hook answers with, no container that one empties and returns", list(names))
}

func removes(s step) bool {
	switch s.Op {
	case flow.Del, flow.DelAll, flow.Clear, flow.Rebind:
		return true
	}
	return false
}

func stores(s step) bool {
	return s.Op == flow.Put || s.Op == flow.PutAll || s.Op == flow.Read && s.Mode&flow.Upsert != 0
}

func concludes(s step) bool { return s.st.MayConclude(s.Node) }

// answers reports whether an entrypoint is a poller or drains what has finished.
func answers(r run) bool {
	return slices.Contains(r.st.Pollers, r.entry) || slices.Contains(r.st.Drainers, r.entry)
}

func inFunction(v *view) Step {
	if v.fn == nil {
		return no("the line is in no function")
	}
	return yes("the line is in %s", v.fn.Qual)
}

func inMethod(v *view) Step {
	if v.fn == nil || v.fn.SelfFunc() == nil {
		return no("the line is in no method")
	}
	return yes("the line is in a method")
}

// waitsHere asks for a wait without a limit on the line, whatever component it is part of.
func waitsHere(v *view) Step {
	for _, e := range v.Flow.Entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.Wait && n.Mode&flow.Timeout == 0 && n.Fn == v.fn && v.on(n.Src) {
				return yes("a call here can block")
			}
		}
	}
	return no("no step on this line waits")
}

// deadline asks for a poller around the line, or for a blocking call on it.
func deadline(v *view) Step {
	for _, r := range v.runs {
		if answers(r) {
			return yes("%s answers how a request stands", r.entry.Name())
		}
	}
	for _, s := range v.steps {
		if s.Op == flow.Wait || s.Op == flow.Dequeue || s.Op == flow.Join || s.Op == flow.Call || s.Op == flow.Acquire {
			if s.Mode&flow.Timeout != 0 {
				return no("what blocks here gives up after a time")
			}
			return yes("a call here can block")
		}
	}
	return no("none of %s answers how a request stands, and no step on this line blocks", v.entryNames())
}

// hookReads asks for what a hook reads of a container that others remove from.
func hookReads(v *view) Step {
	for _, r := range v.runs {
		if at := find(r.st, r.entry, func(s step) bool {
			return (s.Op == flow.Read || s.Op == flow.Has) && s.Loc != nil && slices.ContainsFunc(s.st.Comp.Accesses(s.Loc), func(a component.Access) bool {
				return removes(step{st: s.st, Access: a}) && a.Mode&flow.Initial == 0
			})
		}); at != nil {
			return yes("%s reads %s, from which entries are removed", r.entry.Name(), evidence.Access(at))
		}
	}
	return no("none of %s reads a container from which entries are removed", v.entryNames())
}

// escapes asks whether the exception of a strict step leaves its entrypoint.
func escapes(v *view) Step {
	taken := false
	for _, s := range v.steps {
		if s.Mode&flow.Strict == 0 || s.Loc == nil {
			continue
		}
		if leaves(s) {
			return yes("the exception leaves %s", s.Entry.Name())
		}
		taken = true
	}
	if taken {
		return no("a handler takes the exception")
	}
	return no("no step here raises")
}

// leaves reports whether a way leads from the exception of a step out of its
// entrypoint.
func leaves(s step) bool {
	var from []int32
	for _, e := range s.Succ {
		if e.Kind == flow.Exc {
			from = append(from, e.To)
		}
	}
	if len(from) == 0 {
		return false
	}
	return s.Entry.Graph.Find(flow.Search{
		From: from, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.FailNode },
	}) != nil
}

// removedAtAll asks whether anything removes what a strict step needs.
func removedAtAll(v *view) Step {
	var names []string
	for _, s := range v.steps {
		if s.Mode&flow.Strict == 0 || s.Loc == nil {
			continue
		}
		for _, a := range s.st.Comp.Accesses(s.Loc) {
			if removes(step{st: s.st, Access: a}) && a.Mode&flow.Initial == 0 {
				return yes("%s removes entries, at line %d", a.Entry.Name(), lineOf(a.Node))
			}
		}
		for _, a := range s.st.Comp.Accesses(s.Loc.Root()) {
			if removes(step{st: s.st, Access: a}) && a.Mode&flow.Initial == 0 {
				return yes("%s removes entries, at line %d", a.Entry.Name(), lineOf(a.Node))
			}
		}
		names = append(names, s.Loc.String())
	}
	slices.Sort(names)
	return no("nothing ever removes an entry of %s", list(slices.Compact(names)))
}

// broken asks for a removal that can come before a strict step: by another thread,
// or by the entrypoint itself.
func broken(v *view) Step {
	var reasons []string
	for _, s := range v.steps {
		if s.Mode&flow.Strict == 0 || s.Loc == nil {
			continue
		}
		if s.Op == flow.Del && s.Key != nil {
			for i := range s.Entry.Graph.Nodes {
				if d := &s.Entry.Graph.Nodes[i]; d.Op == flow.Del && d.Mode&flow.Strict == 0 && d.Key.Same(s.Key) && d.Loc != s.Loc {
					return yes("%s copes with an absent entry of %s, at line %d", s.Entry.Name(), d.Loc, lineOf(d))
				}
			}
		}
		accesses := slices.Concat(s.st.Comp.Accesses(s.Loc), s.st.Comp.Accesses(s.Loc.Root()))
		for _, a := range accesses {
			if a.Src == nil || !removes(step{st: s.st, Access: a}) || a.Mode&flow.Initial != 0 {
				continue
			}
			how := reason(s.st, s.Access, a)
			switch {
			case a.Entry == s.Entry && a.ID != s.ID && a.Src != s.Src:
				return yes("%s itself removes an entry, at line %d", a.Entry.Name(), lineOf(a.Node))
			case s.st.Comp.Apart(s.Access, a):
			case s.st.Comp.Meet(s.Entry, a) != component.Ordered:
				// A common lock does not exclude a removal between check and access.
				return yes("%s removes the entry at line %d and can run beside %s", a.Entry.Name(), lineOf(a.Node), s.Entry.Name())
			}
			r := fmt.Sprintf("%s at line %d (%s)", a.Entry.Name(), lineOf(a.Node), how)
			if !slices.Contains(reasons, r) {
				reasons = append(reasons, r)
			}
		}
	}
	return no("no removal can come before: %s", list(reasons))
}

// mutated asks for what changes the number of entries of a container that a loop
// walks over.
func mutated(v *view) Step {
	var reasons []string
	for _, s := range v.steps {
		if s.Op != flow.Iter || s.Mode&flow.Live == 0 || s.Loc == nil {
			continue
		}
		for _, a := range s.st.Comp.Accesses(s.Loc) {
			if a.Src == nil || !changes(a.Node) || a.Mode&flow.Initial != 0 {
				continue
			}
			if a.Entry == s.Entry {
				return yes("%s itself changes it, at line %d", a.Entry.Name(), lineOf(a.Node))
			}
			how := reason(s.st, s.Access, a)
			if s.st.Comp.Meet(s.Entry, a) != component.Ordered {
				if component.CommonLock(s.Node, a.Node) == nil {
					return yes("%s changes it at line %d and can run beside the loop", a.Entry.Name(), lineOf(a.Node))
				}
			}
			if r := fmt.Sprintf("%s at line %d (%s)", a.Entry.Name(), lineOf(a.Node), how); !slices.Contains(reasons, r) {
				reasons = append(reasons, r)
			}
		}
	}
	if len(reasons) == 0 {
		return no("nothing changes the container after it is made")
	}
	return no("nothing changes it during the loop: %s", list(reasons))
}

// lockedElsewhere asks for accesses under a lock that the step on the line does
// not hold.
func lockedElsewhere(v *view) Step {
	held := map[string]bool{}
	for _, s := range v.steps {
		if s.Loc == nil || !changes(s.Node) {
			continue
		}
		for _, a := range s.st.Comp.Accesses(s.Loc) {
			for _, l := range a.Locks {
				if l.Loc == nil {
					continue
				}
				if !slices.ContainsFunc(s.Locks, func(x *flow.Value) bool { return x.Loc == l.Loc }) {
					return yes("%s holds %s at line %d, this step does not", a.Entry.Name(), l.Loc, lineOf(a.Node))
				}
				held[l.Loc.String()] = true
			}
		}
	}
	if len(held) == 0 {
		return no("no access of the container holds a lock")
	}
	var names []string
	for name := range held {
		names = append(names, name)
	}
	slices.Sort(names)
	return no("the step holds what the others hold: %s", list(names))
}

// siblings asks for other classes with the same base.
func siblings(v *view) Step {
	for f := v.fn; f != nil; f = f.Outer {
		if f.Class == nil {
			continue
		}
		for _, c := range v.Index.Classes {
			if c.IsSubclass(f.Class) && len(evidence.Siblings(c)) > 0 {
				return yes("%s has siblings", c.Qual)
			}
		}
		for _, k := range f.Class.MRO {
			if len(evidence.Siblings(k)) > 0 {
				return yes("%s has siblings", k.Qual)
			}
		}
		return no("%s has no siblings, classes with the same base", f.Class.Qual)
	}
	return no("the line is in no class")
}

// grouped asks for other containers with the same key.
func grouped(v *view) Step {
	for _, s := range v.steps {
		if s.Loc == nil || !stores(s) && !removes(s) {
			continue
		}
		if g := s.st.Comp.Group(s.Loc); g != nil && len(g.Locs) > 1 {
			var names []string
			for _, l := range g.Locs {
				names = append(names, l.String())
			}
			return yes("its key group is %s", list(names))
		}
	}
	if slices.ContainsFunc(v.steps, taking) {
		return yes("a call here gets something, under which it may take what has to be given back")
	}
	for _, s := range v.steps {
		if s.Op == flow.Rebind && s.Loc.Type.Kind == program.List {
			return yes("requests may leave %s here, with what they hold", s.Loc)
		}
	}
	return no("no other container is indexed by the same key")
}

// taking reports whether a step is a call that gets something.
func taking(s step) bool { return s.Op == flow.Call && s.Val != nil }

// releasing asks for calls that take and give back.
func releasing(v *view) Step {
	for _, r := range v.runs {
		for _, rel := range evidence.Releases(r.entry.Graph) {
			return yes("%s gives something back, at line %d: %s", r.entry.Name(), lineOf(rel.Node), rel.Node.Name)
		}
	}
	for _, s := range v.steps {
		if s.Op == flow.Branch && s.Test == flow.TestEq && s.Want != nil && s.Want.Kind == flow.Const && status.SaysFailed(s.Want.Name) {
			return yes("a request that has failed is told apart here, and may hold something")
		}
	}
	return no("none of %s gives back what a call has taken; calls are known by their verbs, or by the table resources", v.entryNames())
}

// twice asks for a strict removal, a release or a report, and for another one before it.
func twice(v *view) Step {
	for _, s := range v.steps {
		if s.Op == flow.Put && s.st.IsDrained(s.Loc) {
			return yes("the end of a request is reported in %s", s.Loc)
		}
	}
	for _, r := range v.runs {
		if len(evidence.Releases(r.entry.Graph)) > 0 {
			return yes("%s gives something back", r.entry.Name())
		}
	}
	for _, s := range v.steps {
		if s.Op != flow.Del || s.Mode&flow.Strict == 0 {
			continue
		}
		if len(s.Entry.Graph.LoopsAround(s.ID)) > 1 {
			return yes("%s removes from %s in a loop within a loop", s.Entry.Name(), s.Loc)
		}
		if at := find(s.st, s.Entry, func(o step) bool { return o.Op == flow.Del && o.Loc == s.Loc && o.Src != s.Src }); at != nil {
			return yes("%s removes from %s at line %d as well", s.Entry.Name(), s.Loc, lineOf(at))
		}
	}
	return no("no call here gives something back, and no strict removal follows another one")
}

// counts reports whether a step stores a number that grows or shrinks.
func counts(n *flow.Node) bool {
	if n.Mode&(flow.Counting|flow.Update) != 0 {
		return true
	}
	return (n.Op == flow.Put || n.Op == flow.SetFlag) && n.Val != nil && n.Val.Kind == flow.Derived &&
		(n.Val.Name == ast.Add.String() || n.Val.Name == ast.Sub.String())
}

// counting asks for a counter that the function of the line changes.
func counting(v *view) Step {
	for _, r := range v.runs {
		for i := range r.entry.Graph.Nodes {
			n := &r.entry.Graph.Nodes[i]
			if len(n.Pred) > 0 && counts(n) {
				return yes("%s counts, at line %d", r.entry.Name(), lineOf(n))
			}
		}
	}
	return no("none of %s counts anything up or down", v.entryNames())
}
