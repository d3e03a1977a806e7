// Package threat turns what a rule suspects into problems for the witness
// search: which entrypoints run, on what state, and what would prove the rule
// right.
package threat

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
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
	rule.LosesNone: witness.NoPassage, rule.Avoids: witness.NoPassage,
}

// Problems returns the questions behind a threat, those with the strongest
// answer first. The handles of a component can be of several classes, of which a
// process uses one at a time, so there is one problem for each class that can
// matter. What a request has to do in the end may be saved by a deadline, so for
// that there is a second question: whether what the finding describes happens at
// all. The threat is real when one of the problems has a witness, and refuted
// when all of them are excluded.
func Problems(t *rule.Threat) []witness.Problem {
	out := problems(t, false)
	if t.Property == rule.StaysGone && slices.ContainsFunc(t.Steps, func(s rule.Step) bool { return ofOwnThread(s.Entry) }) {
		out = append(out, problems(t, true)...)
	}
	return out
}

// problems returns the questions of a threat. By any are those in which another thread
// than that of the finding, or another call in it, may do what it describes, in the code
// that they share, though perhaps for a reason of its own.
func problems(t *rule.Threat, byAny bool) []witness.Problem {
	var out, weak []witness.Problem
	for _, class := range handles(t.Status) {
		b := builder{t: t, st: t.Status, handle: class, byAny: byAny}
		p, ok := b.problem()
		if !ok {
			continue
		}
		var made [][]witness.Mark
		if p.Property == witness.NoRevival {
			made = b.made(p.Actors)
		}
		if len(made) > 0 {
			out = append(out, after(made, p))
		}
		if p.Property != witness.NoPin || b.ends(p) {
			out = append(out, p)
		}
		if t.Property == rule.Concludes && len(t.Steps) > 0 && !t.Forever || t.Property == rule.StaysGone {
			if q, ok := b.passage(p); ok {
				if len(made) > 0 {
					weak = append(weak, after(made, q))
				}
				weak = append(weak, q)
			}
		}
		if t.Property == rule.LeavesNone && !t.Forever { // another way out may still remove it
			p.Property, p.Watch = witness.NoPassage, nil
			weak = append(weak, p)
		}
		switch {
		case t.Property == rule.Survives && len(p.Path) > 1:
			weak = append(weak, b.byAnyRival(p, len(p.Path)-1, removes))
		case t.Property == rule.LosesNone && len(p.Path) == 3:
			weak = append(weak, b.byAnyRival(p, 1, writes))
		}
	}
	return append(out, weak...)
}

// after returns a problem of which the path begins with some places.
func after(begin [][]witness.Mark, p witness.Problem) witness.Problem {
	p.Path = slices.Concat(begin, p.Path)
	if p.Must > 0 {
		p.Must += len(begin)
	}
	return p
}

// made returns the places that make the entry which the finding says comes back, before it
// is removed. What changed code does with requests that nobody has made known shows nothing.
// Hooks and constructors make it or, where only the step does that lets it come back, that
// step, when the status of the request is known before.
func (b *builder) made(actors []witness.Actor) [][]witness.Mark {
	watched, steps := b.watched(), b.steps()
	if out := b.puts(actors, watched); len(out) > 0 {
		return [][]witness.Mark{out}
	}
	if len(b.st.Maps) == 0 || slices.Contains(watched, b.st.Maps[0]) {
		if out := b.puts(actors, b.track); len(out) > 0 {
			return [][]witness.Mark{out}
		}
		return nil
	}
	put := b.marks(steps[len(steps)-1:])
	if len(b.puts(actors, b.st.Maps[:1])) == 0 || len(put) == 0 {
		return nil
	}
	var turn []witness.Mark
	for i := range put {
		at := witness.Mark{Entry: put[i].Entry, Node: flow.StartNode, Loc: b.st.Maps[0], Present: true}
		if heads := at.Entry.Graph.LoopsAround(put[i].Node); len(heads) > 0 {
			at.Node = heads[0]
		}
		if !slices.Contains(turn, at) {
			turn = append(turn, at)
		}
		put[i].Loc, put[i].Present, put[i].Absent = b.st.Maps[0], true, false
	}
	return [][]witness.Mark{turn, put}
}

// puts returns where hooks and constructors make entries in some containers, other than by
// the steps of the threat.
func (b *builder) puts(actors []witness.Actor, in []*flow.Location) []witness.Mark {
	var out []witness.Mark
	steps := b.steps()
	for _, a := range actors {
		if !hooked(a.Entry) {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op != flow.Put || len(n.Pred) == 0 || n.Key == nil || n.Mode&flow.Initial != 0 || !slices.Contains(in, n.Loc) {
				continue
			}
			if !slices.ContainsFunc(steps, func(s rule.Step) bool { return s.Entry.Graph.Nodes[s.ID].Src == n.Src }) {
				out = append(out, witness.Mark{Entry: a.Entry, Node: int32(i), Absent: true})
			}
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
	byAny  bool // see problems
	track  []*flow.Location
	has    map[*flow.Location]bool
	cast   []witness.Actor
}

func (b *builder) problem() (witness.Problem, bool) {
	b.has = map[*flow.Location]bool{}
	entries := b.entries()
	b.trackState(entries)
	p := witness.Problem{
		Property: properties[b.t.Property], Actors: b.actors(entries), Track: b.track,
		Status: append(b.st.Maps[:len(b.st.Maps):len(b.st.Maps)], b.st.Fields...), Terminal: b.terminal(),
		Drained: b.st.Drained, Tag: b.t.Tag, Beside: b.t.Beside,
	}
	p.Forgotten, p.Initial = b.forgotten(), b.initial()
	if len(b.t.Others) > 0 {
		p.OtherKey = func(e *flow.Entry, n *flow.Node) bool {
			return slices.ContainsFunc(b.t.Others, func(s rule.Step) bool { return s.Entry == e && &e.Graph.Nodes[s.ID] == n })
		}
	}
	b.cast = p.Actors
	for _, s := range b.steps() {
		if len(b.marks([]rule.Step{s})) == 0 {
			return p, false
		}
	}
	b.aim(&p)
	b.addConclusions(&p)
	return p, true
}

// forgotten returns the containers of futures of which some entrypoint of the component
// drops some for which nobody has waited.
func (b *builder) forgotten() []*flow.Location {
	var out []*flow.Location
	for _, e := range b.st.Comp.Entries {
		for _, w := range e.Graph.Barriers {
			if w.Kept == nil || slices.Contains(out, w.Kept) {
				continue
			}
			if slices.ContainsFunc(b.st.Comp.Entries, func(o *flow.Entry) bool { return o.Graph.Forgets(w.Kept) }) {
				out = append(out, w.Kept)
			}
		}
	}
	return out
}

// initial returns what flags hold in an object that has just been made, where its
// constructor stores a literal whatever happens: one that keeps no shared state is not
// among the actors.
func (b *builder) initial() map[*flow.Location]*flow.Value {
	out := map[*flow.Location]*flow.Value{}
	for _, l := range b.track {
		if l.Owner == nil || l.Keyed() || l.Owner.Attrs[l.Name] == nil {
			continue
		}
		if v := flow.Literal(firstValue(l.Owner.Attrs[l.Name])); v != nil {
			out[l] = v
		}
	}
	return out
}

// firstValue returns what an attribute of a new object is set to, whatever happens: by the
// constructor or, where that does not set it, by the class.
func firstValue(a *program.Attr) ast.Expr {
	var byClass ast.Expr
	var made []program.Def
	for _, d := range a.Defs {
		switch {
		case d.Func == nil:
			byClass = d.Value
		case d.Func.Name == "__init__":
			made = append(made, d)
		}
	}
	switch {
	case len(made) == 0:
		return byClass
	case len(made) == 1 && slices.ContainsFunc(made[0].Func.Body(), func(st ast.Stmt) bool { return ast.Node(st) == made[0].Node }):
		return made[0].Value
	}
	return nil
}

// ends reports whether the problem has something that ends a request: without
// that, it is pinned whatever happens.
func (b *builder) ends(p witness.Problem) bool {
	return len(p.Concluded) > 0 || slices.ContainsFunc(p.Actors, func(a witness.Actor) bool { return a.Hook == witness.PollHook })
}

// steps returns the steps that the threat names.
func (b *builder) steps() []rule.Step {
	return slices.Concat(b.t.Steps, b.t.Then)
}

// aim makes the steps of the finding part of the question.
func (b *builder) aim(p *witness.Problem) {
	switch p.Property {
	case witness.NoPin, witness.NoPassage:
		p.Path = b.path(b.t.Steps)
		if len(b.t.Steps) == 0 {
			if begin := b.begins(p.Actors); len(begin) > 0 {
				p.Path = [][]witness.Mark{begin}
			}
		}
		p.Ends = p.Property == witness.NoPin
		if p.Property == witness.NoPassage {
			if b.t.Through {
				p.Path = append(p.Path, b.done())
			}
			p.Path = append(p.Path, b.path(b.t.Then)...)
		}
	case witness.NoRevival:
		p.Path = b.path(b.t.Steps)
		p.Watch = b.watched()
		if b.t.Steps[0].Of == nil { // what another container holds then may be what a change mends
			p.Must = len(p.Path) - 1
		}
	case witness.NoRemains:
		p.Path = append(b.path(b.t.Steps), b.done())
		p.Watch = []*flow.Location{b.t.Left}
	case witness.NoThreadDeath:
		p.Path = b.path(b.t.Steps)
		p.Victims = b.marks(b.t.Then)
		for i := range p.Victims {
			p.Victims[i].Present = false // it raises when the entry is gone
		}
	case witness.NoOverwrite, witness.NoLostUpdate:
		p.Victims = b.everywhere(b.t.Steps[:1], p.Actors)
	case witness.NoDoubleRelease:
		p.Release = b.marks(b.t.Steps)
	}
	if len(b.t.Hears) > 0 {
		p.Granted, p.Must = b.marks(b.t.Hears), 1 // what is not heard shows nothing
	}
	p.Undo = b.marks(b.t.Undo)
	if s := b.t.Sight; s != nil {
		p.Sight = &witness.Sight{Entry: s.Entry, Loc: s.Loc}
		for i := range s.Entry.Graph.Nodes {
			if n := &s.Entry.Graph.Nodes[i]; n.Loc == s.Loc && len(n.Pred) > 0 {
				p.Undo = append(p.Undo, witness.Mark{Entry: s.Entry, Node: int32(i)})
			}
		}
	}
	if n := len(b.t.Steps); p.Property == witness.NoPassage && b.t.Through && len(b.t.Then) == 0 && b.t.Steps[0].Entry == b.t.Steps[n-1].Entry {
		for _, end := range b.done() { // the next turn is about something else
			end.Same = true
			p.Undo = append(p.Undo, end)
		}
	}
}

// byAnyRival is the question with every step of other threads that does as the rival
// does, where the finding names one: the step of the path at some place.
func (b *builder) byAnyRival(p witness.Problem, at int, does func(*flow.Node) (rival, present bool)) witness.Problem {
	s := b.t.Steps[at]
	loc := s.Entry.Graph.Nodes[s.ID].Loc
	p.Path = slices.Clone(p.Path)
	p.Path[at] = slices.Clone(p.Path[at])
	for _, a := range p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Loc != loc || len(n.Pred) == 0 || n.Mode&flow.Initial != 0 {
				continue
			}
			rival, present := does(n)
			k := witness.Mark{Entry: a.Entry, Node: int32(i), Present: present, Other: true}
			if rival && !slices.Contains(p.Path[at], k) {
				p.Path[at] = append(p.Path[at], k)
			}
		}
	}
	return p
}

// removes reports whether a step removes an entry, which has to be there.
func removes(n *flow.Node) (rival, present bool) { return n.Op == flow.Del, true }

// writes reports whether a step changes a container or flag.
func writes(n *flow.Node) (rival, present bool) {
	switch n.Op {
	case flow.Put, flow.PutAll, flow.SetFlag, flow.DelAll:
		return true, false
	case flow.Rebind:
		return n.Mode&flow.Filter != 0, false
	case flow.Del:
		return true, true
	}
	return false, false
}

// watched returns the locations of the steps.
func (b *builder) watched() []*flow.Location {
	var out []*flow.Location
	for _, s := range b.t.Steps {
		if l := s.Entry.Graph.Nodes[s.ID].Loc; l != nil && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// path returns steps as places to pass in this order.
func (b *builder) path(steps []rule.Step) [][]witness.Mark {
	var out [][]witness.Mark
	for _, s := range steps {
		out = append(out, b.marks([]rule.Step{s}))
	}
	return out
}

// marks returns the places of steps, with what must be the case there. A step of
// a helper that the entrypoint calls from several places has a place for each.
func (b *builder) marks(steps []rule.Step) []witness.Mark {
	var out []witness.Mark
	for _, s := range steps {
		switch {
		case b.t.Property == rule.StaysGone:
			if ofOwnThread(s.Entry) && !b.byAny {
				out = append(out, mark(s, s.Entry, s.ID))
				break
			}
			out = append(out, b.everywhere([]rule.Step{s}, b.doers(s))...)
		case !slices.ContainsFunc(b.cast, func(a witness.Actor) bool { return a.Entry == s.Entry }):
			if s.By == rule.Another { // a sibling does the same, in the code that they share
				out = append(out, b.everywhere([]rule.Step{s}, b.cast)...)
			}
		case b.t.Property == rule.Survives:
			out = append(out, mark(s, s.Entry, s.ID)) // a check and the use after it
		default:
			for _, id := range alike(s, s.Entry) {
				out = append(out, mark(s, s.Entry, id))
			}
		}
	}
	return out
}

// ofOwnThread reports whether an entrypoint runs beside those who call hooks, and not as a
// task among tasks.
func ofOwnThread(e *flow.Entry) bool { return e.Role != flow.Caller && e.Role != flow.LoopTask }

// doers returns who may take a step of [rule.StaysGone]: another handle does the same in
// the code that it shares, and so may other threads, but nobody who calls hooks and knows
// what is over stands for a thread.
func (b *builder) doers(s rule.Step) []witness.Actor {
	if !ofOwnThread(s.Entry) {
		return b.cast
	}
	return slices.DeleteFunc(slices.Clone(b.cast), func(a witness.Actor) bool { return a.Entry.Role == flow.Caller })
}

// everywhere is marks for the steps of whatever entrypoint.
func (b *builder) everywhere(steps []rule.Step, actors []witness.Actor) []witness.Mark {
	var out []witness.Mark
	for _, s := range steps {
		for _, a := range actors {
			for _, id := range alike(s, a.Entry) {
				out = append(out, mark(s, a.Entry, id))
			}
		}
	}
	return out
}

// alike returns the steps of an entrypoint for the same source as a step.
func alike(s rule.Step, e *flow.Entry) []int32 {
	n := &s.Entry.Graph.Nodes[s.ID]
	var out []int32
	for i := range e.Graph.Nodes {
		x := &e.Graph.Nodes[i]
		if e == s.Entry && int32(i) == s.ID || x.Src != nil && x.Src == n.Src && x.Op == n.Op && x.Loc == n.Loc && len(x.Pred) > 0 {
			out = append(out, int32(i))
		}
	}
	return out
}

func mark(s rule.Step, e *flow.Entry, id int32) witness.Mark {
	n := &e.Graph.Nodes[id]
	k := witness.Mark{Entry: e, Node: id, Loc: s.Of, Same: s.By == rule.TheFirst, Other: s.By == rule.Another}
	switch s.When {
	case rule.Raises:
		k.Raises = true
	case rule.Takes:
		k.Takes = witness.AnyElement
	case rule.TakesKey:
		k.Takes = witness.KeyElement
	case rule.TakesOther:
		k.Takes = witness.OtherElement
	case rule.Anyhow:
	case rule.Present:
		k.Present = true
	case rule.Absent:
		k.Absent = true
	case rule.Pending:
		k.Pending = true
	case rule.Arrives:
		k.Arrives = true
	case rule.Holds:
		k.To = side(n, flow.True)
	case rule.Fails:
		k.To = side(n, flow.False)
	default:
		k.Present = n.Op == flow.Del && n.Mode&flow.AnyKey == 0
	}
	return k
}

// side returns where an edge of a branch leads.
func side(n *flow.Node, kind flow.EdgeKind) int32 {
	for _, e := range n.Succ {
		if e.Kind == kind {
			return e.To
		}
	}
	return 0
}

// passage is the question whether what the finding describes happens, be it that
// a deadline saves the request in the end.
func (b *builder) passage(p witness.Problem) (witness.Problem, bool) {
	p.Property = witness.NoPassage
	p.Watch, p.Concluded = nil, nil
	p.Path = b.path(b.t.Steps)
	if b.t.Property == rule.StaysGone {
		return p, true
	}
	p.Must = 1 // what follows may find another state in changed code, as it should
	p.Path = append(p.Path, ends(b.t.Steps[len(b.t.Steps)-1]))
	if len(b.t.Then) > 0 {
		p.Path = append(p.Path, b.path(b.t.Then)...)
		return p, true
	}
	begin, answer := b.answers(p.Actors)
	if len(answer) > 0 {
		p.Path = append(p.Path, begin, answer)
		return p, true
	}
	// Nobody polls: what counts is what the map says when the step is over.
	last := p.Path[len(p.Path)-1]
	for i := range last {
		if len(b.st.Maps) > 0 {
			last[i].Loc, last[i].Pending = b.st.Maps[0], true
		}
	}
	return p, len(b.st.Maps) > 0
}

// begins returns where a request comes in: the first entries that hooks and
// constructors make for it.
func (b *builder) begins(actors []witness.Actor) []witness.Mark {
	var out []witness.Mark
	for _, a := range actors {
		if !hooked(a.Entry) || a.Hook == witness.PollHook {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op == flow.Put && len(n.Pred) > 0 && n.Key != nil && b.has[n.Loc] && !b.st.MayConclude(n) {
				out = append(out, witness.Mark{Entry: a.Entry, Node: int32(i)})
			}
		}
	}
	if len(out) == 0 {
		out = b.known(actors)
	}
	return out
}

// known returns where a request is first known that no hook makes an entry for: its handle
// has been made, or a poll has answered for it.
func (b *builder) known(actors []witness.Actor) []witness.Mark {
	var made, answered []witness.Mark
	for _, a := range actors {
		switch {
		case a.Entry.Role == flow.Init && b.handle != nil && a.Entry.Class == b.handle:
			made = append(made, witness.Mark{Entry: a.Entry, Node: flow.ExitNode})
		case a.Hook == witness.PollHook:
			answered = append(answered, witness.Mark{Entry: a.Entry, Node: flow.ExitNode})
		}
	}
	if len(made) > 0 {
		return made
	}
	return answered
}

// hooked reports whether an entrypoint is a hook, a coroutine that somebody
// awaits included, or a constructor.
func hooked(e *flow.Entry) bool {
	return e.Role == flow.Caller || e.Role == flow.Init || e.Role == flow.LoopTask && len(e.Spawns) == 0
}

// ends returns where the entrypoint of a step is done with the request: the head
// of the outermost loop around the step, or the end.
func ends(s rule.Step) []witness.Mark {
	if heads := s.Entry.Graph.LoopsAround(s.ID); len(heads) > 0 {
		return []witness.Mark{{Entry: s.Entry, Node: heads[0]}}
	}
	return []witness.Mark{{Entry: s.Entry, Node: flow.ExitNode}, {Entry: s.Entry, Node: flow.FailNode}}
}

// done returns where the entrypoint of the last step is done with the request, while the
// container that the threat is about still has the key, if it is about one.
func (b *builder) done() []witness.Mark {
	out := ends(b.t.Steps[len(b.t.Steps)-1])
	for i := range out {
		out[i].Loc, out[i].Present = b.t.Left, b.t.Left != nil
		out[i].Same = len(b.t.Steps) == 1
	}
	return out
}

// answers returns where polls begin, and where they answer that the request is
// alive.
func (b *builder) answers(actors []witness.Actor) (begin, answer []witness.Mark) {
	for _, a := range actors {
		e := a.Entry
		drains := slices.Contains(b.st.Drainers, e)
		if a.Hook != witness.PollHook && !drains {
			continue
		}
		found := false
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			switch {
			case len(n.Pred) == 0:
			case a.Hook == witness.PollHook && n.Op == flow.Return && !drains:
				answer = append(answer, witness.Mark{Entry: e, Node: int32(i), Pending: true})
				found = true
			case drains && n.Op == flow.Exit:
				answer = append(answer, witness.Mark{Entry: e, Node: int32(i), Pending: true})
				found = true
			}
		}
		if found {
			begin = append(begin, witness.Mark{Entry: e, Node: flow.StartNode})
		}
	}
	return begin, answer
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
		foreign := b.names(e) && !slices.Contains(handles(b.st), e.Class) // of an object that uses handles
		if !based && (!hook || e.Class == b.handle || e.Class == own || foreign) {
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
	for _, s := range b.steps() {
		l := s.Of
		if l == nil {
			l = s.Entry.Graph.Nodes[s.ID].Loc
		}
		if l == nil {
			continue
		}
		b.add(l)
		if g := b.st.Comp.Group(l); g != nil {
			for _, l := range g.Locs {
				if l.Outer == nil {
					b.add(l)
				}
			}
		}
	}
	b.add(b.t.Left)
	for _, l := range slices.Concat(b.t.Beside, b.st.Maps) {
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
	for _, s := range b.steps() {
		chosen[s.Entry] = slices.Contains(entries, s.Entry)
	}
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
				if s.By != nil && !chosen[s.By] && slices.Contains(entries, s.By) {
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
				a := witness.Actor{Entry: e, Hook: b.kind(e), Drops: b.drops(e), Task: b.isTask(e), OnLoop: b.onLoop(e, entries)}
				if e.Role == flow.LoopTask && len(e.Spawns) == 0 && b.names(e) {
					a.Instances = 2 // a hook, which is called more than once
				}
				if b.t.Property == rule.Survives && e.Many && !e.Sharded && b.aloneFills(e, entries) {
					a.Instances = 3 // one fills what the second finds and the third removes
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// aloneFills reports whether an entrypoint has all steps of the threat, and alone puts
// entries where they are about.
func (b *builder) aloneFills(e *flow.Entry, entries []*flow.Entry) bool {
	locs := map[*flow.Location]bool{}
	for _, s := range b.steps() {
		if s.Entry != e {
			return false
		}
		locs[e.Graph.Nodes[s.ID].Loc] = true
	}
	for _, o := range entries {
		for i := range o.Graph.Nodes {
			n := &o.Graph.Nodes[i]
			if o != e && n.Op == flow.Put && n.Mode&flow.Initial == 0 && len(n.Pred) > 0 && locs[n.Loc] {
				return false
			}
		}
	}
	return true
}

// kind tells what a hook means to the request: it answers with the status, it
// drops the entry of a status map, or it stores a terminal status.
func (b *builder) kind(e *flow.Entry) witness.Hook {
	if e.Role != flow.Caller {
		return witness.PlainHook
	}
	if slices.Contains(b.st.Pollers, e) && b.tells(e) {
		return witness.PollHook
	}
	if b.t.Property != rule.Survives && slices.ContainsFunc(b.t.Steps, func(s rule.Step) bool { return s.Entry == e }) {
		return witness.AbortHook // whether it may be called then is what the finding is about
	}
	kind := witness.PlainHook
	if slices.Contains(b.st.Drainers, e) {
		return kind
	}
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		switch {
		case len(n.Pred) == 0:
		case n.Op == flow.Del && b.st.IsMap(n.Loc):
			return witness.ClearHook
		case b.st.MayConclude(n) && !sweeps(n):
			kind = witness.AbortHook
		}
	}
	return kind
}

// drops reports whether a hook drops the request: it removes its status.
func (b *builder) drops(e *flow.Entry) bool {
	return e.Role == flow.Caller && slices.ContainsFunc(e.Graph.Nodes, func(n flow.Node) bool {
		return n.Op == flow.Del && len(n.Pred) > 0 && b.st.IsMap(n.Loc)
	})
}

// tells reports whether a poller answers with statuses, or with what it finds,
// rather than with words of its own, of which nobody knows which end a request.
func (b *builder) tells(e *flow.Entry) bool {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op != flow.Return || n.Val == nil || len(n.Pred) == 0 {
			continue
		}
		for _, leaf := range n.Val.Leaves() {
			if leaf.Kind != flow.Const || slices.ContainsFunc(b.st.Values, func(v *status.Value) bool { return v.ID == leaf.ID() }) {
				return true
			}
		}
	}
	return false
}

// sweeps reports whether a step is about a request that a loop around it has
// taken, rather than one that the hook is called for.
func sweeps(n *flow.Node) bool {
	v := n.Key
	for v != nil && v.Kind != flow.Element {
		if v.Kind == flow.Derived && len(v.Args) > 0 {
			v = v.Args[0]
			continue
		}
		v = v.Base
	}
	return v != nil
}

// terminal returns the terminal statuses.
func (b *builder) terminal() []*flow.Value {
	var out []*flow.Value
	for _, v := range b.st.Values {
		if v.Terminal || status.FailureWord(v.Const.Name) {
			out = append(out, v.Const)
		}
	}
	return out
}

// onLoop reports whether an entrypoint shares the event loop with a coroutine.
func (b *builder) onLoop(e *flow.Entry, entries []*flow.Entry) bool {
	return slices.ContainsFunc(entries, func(o *flow.Entry) bool {
		return o.Role == flow.LoopTask && b.st.Comp.Concurrent(e, o) == component.AtAwait
	})
}

// names reports whether a step of the threat is in an entrypoint.
func (b *builder) names(e *flow.Entry) bool {
	return slices.ContainsFunc(b.steps(), func(s rule.Step) bool { return s.Entry == e })
}

// isTask reports whether a hook is a coroutine that lets other hooks run.
func (b *builder) isTask(e *flow.Entry) bool {
	if e.Role != flow.Caller || slices.Contains(b.st.Pollers, e) {
		return false
	}
	awaits := false
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		awaits = awaits || len(n.Pred) > 0 && (n.Op == flow.Await || n.Mode&flow.Async != 0 && n.Op == flow.Acquire)
	}
	return awaits
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
