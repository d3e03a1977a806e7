// Package threat turns what a rule suspects into problems for the witness
// search: which entrypoints run, on what state, and what would prove the rule
// right.
package threat

import (
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/rule"
	"github.com/kvrace/kvrace/rules/witness"
)

// properties are the search's names of what a rule says is violated.
var properties = map[rule.Property]witness.Property{
	rule.Concludes: witness.NoPin, rule.StaysGone: witness.NoRevival, rule.Survives: witness.NoThreadDeath,
	rule.StaysEnded: witness.NoOverwrite, rule.LeavesNone: witness.NoRemains, rule.FreesOnce: witness.NoDoubleRelease,
}

// Problems returns the questions behind a threat. The handles of a component
// can be of several classes, of which a process uses one at a time, so there is
// one problem for each class that can matter. The threat is real when one of
// them has a witness, and refuted when all of them are excluded.
func Problems(t *rule.Threat) []witness.Problem {
	var out []witness.Problem
	for _, class := range handles(t.Status) {
		b := builder{t: t, st: t.Status, handle: class}
		if p, ok := b.problem(); ok {
			out = append(out, p)
		}
	}
	return out
}

// handles returns the classes beside that of the component whose hooks and
// constructors belong to it. When some are written for exactly this component,
// the others, which know it by a base class, belong to its siblings. A nil
// stands for the component alone.
func handles(st *status.Facts) []*program.Class {
	var own, inherited []*program.Class
	seen := map[*program.Class]bool{st.Comp.Class: true}
	for _, e := range st.Comp.Entries {
		if e.Class == nil || seen[e.Class] || e.Role != flow.Caller && e.Role != flow.Init {
			continue
		}
		seen[e.Class] = true
		if knows(st.Comp, e.Class) {
			own = append(own, e.Class)
		} else {
			inherited = append(inherited, e.Class)
		}
	}
	switch {
	case len(own) > 0:
		return own
	case len(inherited) > 0:
		return inherited
	}
	return []*program.Class{nil}
}

// knows reports whether an entrypoint of a class uses containers of the
// component as those of its very class.
func knows(c *component.Component, class *program.Class) bool {
	for _, e := range c.Entries {
		if e.Class != class {
			continue
		}
		for i := range e.Graph.Nodes {
			if e.Graph.Nodes[i].On == c.Class {
				return true
			}
		}
	}
	return false
}

// builder makes one problem.
type builder struct {
	t      *rule.Threat
	st     *status.Facts
	handle *program.Class
	track  []*flow.Location
	has    map[*flow.Location]bool
}

func (b *builder) problem() (witness.Problem, bool) {
	b.has = map[*flow.Location]bool{}
	entries := b.entries()
	b.trackState(entries)
	p := witness.Problem{
		Property: properties[b.t.Property], Actors: b.actors(entries), Track: b.track,
		Status: b.st.Maps, Terminal: b.terminal(),
	}
	inside := map[*flow.Entry]bool{}
	for _, a := range p.Actors {
		inside[a.Entry] = true
	}
	for _, s := range b.t.Steps {
		if !inside[s.Entry] {
			return p, false
		}
		b.addStep(&p, s)
	}
	b.addConclusions(&p)
	return p, true
}

// entries returns the entrypoints of the component and the handle class. Those
// of a base class run on other objects: what the component inherits from it is
// among its own.
func (b *builder) entries() []*flow.Entry {
	own := b.st.Comp.Class
	var out []*flow.Entry
	for _, e := range b.st.Comp.Entries {
		hook := e.Role == flow.Caller || e.Role == flow.Init
		based := e.Class != nil && e.Class != own && own.IsSubclass(e.Class)
		if !based && (!hook || e.Class == b.handle || e.Class == own) {
			out = append(out, e)
		}
	}
	return out
}

// add tracks a location once.
func (b *builder) add(l *flow.Location) {
	if l != nil && !b.has[l] {
		b.has[l] = true
		b.track = append(b.track, l)
	}
}

// trackState chooses the state that matters: the key groups of the steps, what
// tells that a request is over, the flags that are tested, and queues.
func (b *builder) trackState(entries []*flow.Entry) {
	for _, s := range b.t.Steps {
		n := &s.Entry.Graph.Nodes[s.ID]
		if n.Loc == nil {
			continue
		}
		b.add(n.Loc)
		if g := b.st.Comp.Group(n.Loc); g != nil {
			for _, l := range g.Locs {
				if l.Outer == nil {
					b.add(l)
				}
			}
		}
	}
	for _, l := range b.st.Maps {
		b.add(l)
	}
	for _, l := range b.st.Drained {
		b.add(l)
	}
	read, written := map[*flow.Location]bool{}, map[*flow.Location]bool{}
	for _, e := range entries {
		for i := range e.Graph.Nodes {
			switch n := &e.Graph.Nodes[i]; {
			case n.Op == flow.GetFlag:
				read[n.Loc] = true
			case n.Op == flow.SetFlag && n.Mode&flow.Initial == 0:
				written[n.Loc] = true
			}
		}
	}
	for _, e := range entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.GetFlag && (b.st.IsFlag(n.Loc) || read[n.Loc] && written[n.Loc]) {
				b.add(n.Loc)
			}
		}
	}
	for _, e := range b.st.Comp.Entries { // a queue that only siblings fill stays empty
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.Enqueue {
				b.add(n.Loc)
			}
		}
	}
}

// actors returns the entrypoints that touch the tracked state, with those that
// start them.
func (b *builder) actors(entries []*flow.Entry) []witness.Actor {
	chosen := map[*flow.Entry]bool{}
	for _, e := range entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Loc != nil && b.has[n.Loc] && len(n.Pred) > 0 {
				chosen[e] = true
				break
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range entries {
			if !chosen[e] {
				continue
			}
			for _, s := range e.Spawns {
				if s.By != nil && !chosen[s.By] && contains(entries, s.By) {
					chosen[s.By] = true
					changed = true
				}
			}
		}
	}
	var out []witness.Actor
	for _, first := range []bool{true, false} { // the component's constructor runs before that of a handle
		for _, e := range entries {
			if chosen[e] && (e.Role == flow.Init && e.Class == b.st.Comp.Class) == first {
				out = append(out, witness.Actor{Entry: e, Hook: b.kind(e)})
			}
		}
	}
	return out
}

func contains(entries []*flow.Entry, e *flow.Entry) bool {
	for _, x := range entries {
		if x == e {
			return true
		}
	}
	return false
}

// kind tells what a hook means to the request: it answers with the status, it
// drops the entry of a status map, or it stores a terminal status.
func (b *builder) kind(e *flow.Entry) witness.Hook {
	if e.Role != flow.Caller {
		return witness.PlainHook
	}
	if contains(b.st.Pollers, e) {
		return witness.PollHook
	}
	kind := witness.PlainHook
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		switch {
		case len(n.Pred) == 0:
		case n.Op == flow.Del && b.st.IsMap(n.Loc):
			return witness.ClearHook
		case b.st.MayConclude(n):
			kind = witness.AbortHook
		}
	}
	return kind
}

// terminal returns the terminal statuses.
func (b *builder) terminal() []*flow.Value {
	var out []*flow.Value
	for _, v := range b.st.Values {
		if v.Terminal {
			out = append(out, v.Const)
		}
	}
	return out
}

// addStep makes a step of the finding part of the question.
func (b *builder) addStep(p *witness.Problem, s rule.Step) {
	n := &s.Entry.Graph.Nodes[s.ID]
	mark := witness.Mark{Entry: s.Entry, Node: s.ID, Present: n.Op == flow.Del}
	switch p.Property {
	case witness.NoPin:
		p.Trigger = append(p.Trigger, mark)
	case witness.NoRevival, witness.NoRemains:
		p.Watch = append(p.Watch, n.Loc)
	case witness.NoThreadDeath:
		p.Victim = s.Entry
	case witness.NoDoubleRelease:
		p.Release = append(p.Release, mark)
	}
}

// addConclusions adds what ends a request beside a poll. Without a poll, a
// terminal status in a map ends it.
func (b *builder) addConclusions(p *witness.Problem) {
	for _, l := range b.st.Drained {
		p.Concluded = append(p.Concluded, witness.Cond{Loc: l})
	}
	for _, a := range p.Actors {
		if a.Hook == witness.PollHook {
			return
		}
	}
	for _, l := range b.st.Maps {
		p.Concluded = append(p.Concluded, witness.Cond{Loc: l, Values: p.Terminal})
	}
}
