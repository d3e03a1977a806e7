package replay

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

//go:embed runtime.py
var stage string

//go:embed prelude.py
var prelude string

//go:embed main.py
var entry string

// A Program is a reproducer: a Python program that needs nothing but Python.
type Program struct {
	// Source is the program, without the lines that a finding adds to its
	// header.
	Source string
	// Files are the files whose statements it contains, sorted.
	Files []string
	// Cut are the calls that it leaves out, Assumed the conditions whose
	// outcome it takes from the schedule.
	Cut, Assumed []string
	// Untaken is the number of branches left out, since the schedule does not
	// take them.
	Untaken int
	// Steps is the number of steps of the schedule.
	Steps int
}

// Original writes the program for the code as it is.
func (s *Script) Original(prog *flow.Program) (*Program, error) {
	s.sources = map[string][]byte{}
	for _, m := range prog.Index.Modules {
		s.sources[m.File] = m.AST.Source
	}
	return s.write(prog.Index, s.problem, false)
}

// Patched writes the program for a changed form of the code, of which prog has
// the same entrypoints. What the change adds in containers and flags is part of
// the slice. Original has to come first.
func (s *Script) Patched(prog *flow.Program) (*Program, error) {
	p, err := s.on(prog)
	if err != nil {
		return nil, err
	}
	t := *s
	t.marks = s.sighted(p)
	return t.write(prog.Index, p, true)
}

// sighted returns the marks, with those where the changed code looks at a flag that the
// problem is about.
func (s *Script) sighted(p witness.Problem) map[string][]mark {
	sight := s.problem.Sight
	if sight == nil || sight.Loc.Keyed() {
		return s.marks
	}
	out := maps.Clone(s.marks)
	for _, a := range p.Actors {
		if entryID(a.Entry) != entryID(sight.Entry) {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Loc == nil || n.Loc.ID != sight.Loc.ID || n.Fn == nil || n.Src == nil || len(n.Pred) == 0 {
				continue
			}
			at := "at " + s.sites.of(n.Fn, n.Src)
			out[at] = append(slices.Clone(out[at]), mark{role: "undo", op: n.Op, in: sight.Entry.Name(), fn: n.Fn.Qual, at: n.Loc.ID})
		}
	}
	return out
}

// on returns the problem in terms of another program.
func (s *Script) on(prog *flow.Program) (witness.Problem, error) {
	p := s.problem
	entries := map[string]*flow.Entry{}
	for _, e := range prog.Entries {
		entries[entryID(e)] = e
	}
	locs := map[string]*flow.Location{}
	for _, l := range prog.Locations {
		locs[l.ID] = l
	}
	p.Actors = nil
	for _, a := range s.problem.Actors {
		e := entries[entryID(a.Entry)]
		if e == nil {
			if s.runs(entryID(a.Entry)) {
				return p, Refusal("the patched code has no " + a.Entry.Name())
			}
			continue // it is called by another one now
		}
		p.Actors = append(p.Actors, witness.Actor{Entry: e, Hook: a.Hook, Drops: a.Drops, Instances: a.Instances, Task: a.Task})
	}
	moved := func(ls []*flow.Location) []*flow.Location {
		var out []*flow.Location
		for _, l := range ls {
			if m := locs[l.ID]; m != nil {
				out = append(out, m)
			}
		}
		return out
	}
	p.Track, p.Watch, p.Status = moved(p.Track), moved(p.Watch), moved(p.Status)
	for _, l := range s.asked(p.Actors) {
		if !slices.Contains(p.Track, l) {
			p.Track = append(p.Track, l)
		}
	}
	if len(p.Watch) < len(s.problem.Watch) || len(p.Status) < len(s.problem.Status) {
		return p, Refusal("the patched code has not all of the containers")
	}
	p.Concluded = nil
	for _, c := range s.problem.Concluded {
		if l := locs[c.Loc.ID]; l != nil {
			p.Concluded = append(p.Concluded, witness.Cond{Loc: l, Values: c.Values, Not: c.Not})
		}
	}
	if p.Victim != nil {
		p.Victim = entries[entryID(p.Victim)]
	}
	initial := map[*flow.Location]*flow.Value{}
	for l, v := range p.Initial {
		if m := locs[l.ID]; m != nil {
			initial[m] = v
		}
	}
	p.Initial = initial
	return p, nil
}

// runs reports whether the schedule runs an entrypoint.
func (s *Script) runs(id string) bool {
	return slices.Contains(s.calls, call{id}) || slices.ContainsFunc(s.threads, func(t thread) bool { return t.entry == id })
}

// asked returns the containers and flags that changed functions look into or change where
// the code as it is does not: what they hold decides whether the change helps.
func (s *Script) asked(actors []witness.Actor) []*flow.Location {
	had := map[string]bool{}
	for _, a := range s.problem.Actors {
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; n.Loc != nil && n.Fn != nil && n.Src != nil {
				had[s.sites.of(n.Fn, n.Src)] = true
			}
		}
	}
	changed := map[*program.Func]bool{}
	var out []*flow.Location
	for _, a := range actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Loc == nil || n.Fn == nil || n.Src == nil || len(n.Pred) == 0 || had[s.sites.of(n.Fn, n.Src)] || slices.Contains(out, n.Loc) {
				continue
			}
			if _, known := changed[n.Fn]; !known {
				changed[n.Fn] = s.changed(n.Fn)
			}
			flag := n.Op == flow.GetFlag || n.Op == flow.SetFlag
			if changed[n.Fn] && (flag || n.Loc.Outer == nil && n.Loc.Keyed()) {
				out = append(out, n.Loc)
			}
		}
	}
	return out
}

// changed reports whether the code as it is does not have a function in this form.
func (s *Script) changed(f *program.Func) bool {
	return !bytes.Contains(s.sources[f.Module.File], f.Module.AST.Text(f.Node))
}

// involved returns the entrypoints that the program needs: those of the
// schedule, and all where it matters what happens in the end.
func (s *Script) involved(p witness.Problem) []witness.Actor {
	switch p.Property {
	case witness.NoPin, witness.NoRevival, witness.NoRemains:
		return p.Actors
	}
	in := map[string]bool{}
	for _, c := range s.calls {
		in[c.entry] = true
	}
	for _, t := range s.threads {
		in[t.entry] = true
	}
	var out []witness.Actor
	for _, a := range p.Actors {
		if in[entryID(a.Entry)] {
			out = append(out, a)
		}
	}
	return out
}

// missing returns a place that the property needs and that is not in the slice,
// if there is one. Of alternatives one is enough.
func (s *Script) missing(seen map[string]bool) string {
	type need struct {
		role  string
		phase int
	}
	met, first := map[need]bool{}, map[need]string{}
	for _, position := range sortedKeys(s.marks) {
		for _, m := range s.marks[position] {
			k := need{m.role, m.phase}
			if !strings.HasPrefix(position, "at ") || seen[position] || m.role == "undo" {
				met[k] = true
			} else if first[k] == "" {
				first[k] = strings.TrimPrefix(position, "at ")
			}
		}
	}
	var out []string
	for k, position := range first {
		if !met[k] {
			out = append(out, position)
		}
	}
	slices.Sort(out)
	if len(out) == 0 {
		return ""
	}
	return out[0]
}

// dissolved reports whether one of the steps that have to happen in order is not in
// the code any more: neither its text, nor a step that does the same to the same
// state in that function.
func (s *Script) dissolved(actors []witness.Actor) bool {
	left := map[int]bool{} // phases
	phases := 0
	for position, ms := range s.marks {
		for _, m := range ms {
			if m.role == "path" {
				phases = max(phases, m.phase+1)
				left[m.phase] = left[m.phase] || !strings.HasPrefix(position, "at ") || s.remains(m, siteAt(position), actors)
			}
		}
	}
	for i := range phases {
		if !left[i] {
			return true
		}
	}
	return false
}

// remains reports whether a step that a mark is about is still in the code: under its
// text, or under one that the code as it is does not have, and does the same.
func (s *Script) remains(m mark, site string, actors []witness.Actor) bool {
	had := map[string]bool{}
	for _, a := range s.problem.Actors {
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; n.Op == m.op && n.Fn != nil && n.Src != nil && n.Fn.Qual == m.fn {
				had[s.sites.of(n.Fn, n.Src)] = true
			}
		}
	}
	for _, a := range actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Fn == nil || n.Src == nil || n.Fn.Qual != m.fn || len(n.Pred) == 0 || m.op == flow.Next && n.Op != m.op {
				continue
			}
			here := s.sites.of(n.Fn, n.Src)
			if onlyReads := n.Op == flow.Read && n.Mode&flow.Upsert == 0 && m.op == flow.Put; here == site && !onlyReads {
				return true
			}
			at := ""
			if n.Loc != nil {
				at = n.Loc.ID
			}
			if n.Op == m.op && at == m.at && !had[here] && (!m.blocks || blocks(n)) && (m.at != "" || m.blocks) {
				return true
			}
		}
	}
	return false
}

// siteAt returns the place of a position among the marks.
func siteAt(position string) string {
	position = strings.TrimPrefix(position, "at ")
	for _, end := range []string{" arrives", " raises", goesOn, testHolds, testFails} {
		position = strings.TrimSuffix(position, end)
	}
	return position
}

// rootKey returns the function of an entrypoint on its object.
func rootKey(e *flow.Entry) funcKey {
	for i := range e.Graph.Nodes {
		fr := e.Graph.Nodes[i].Frame
		if fr == nil {
			continue
		}
		for fr.Caller != nil {
			fr = fr.Caller
		}
		if fr.Fn == e.Func {
			return keyOf(fr)
		}
	}
	return funcKey{fn: e.Func, self: e.Class}
}

// maxSource bounds the size of a program.
const maxSource = 200_000

func (s *Script) write(index *program.Program, p witness.Problem, patched bool) (out *Program, err error) {
	defer catch(&err)
	if !patched {
		s.findModes(index)
	}
	p.Actors = s.involved(p)
	e := newEmitter(s, index, p.Actors, p.Track)
	e.initialFlags(p)
	for _, l := range p.Status {
		e.status[l] = p.Property == witness.NoOverwrite && !l.Keyed()
	}
	var roots []funcKey
	for _, a := range p.Actors {
		roots = append(roots, rootKey(a.Entry))
	}
	e.emit(roots)
	free := false
	if missing := s.missing(e.seenMarks); missing != "" {
		switch {
		case patched && p.Property == witness.NoThreadDeath:
			free = true // then no exception at all may leave a thread
		case patched && (p.Property == witness.NoPassage || p.Property == witness.NoRevival) && s.dissolved(p.Actors):
			// What cannot happen any more cannot happen in that order.
		default:
			refuse("%s is not in the slice", missing)
		}
	}
	a := assembler{free: free, patched: patched, e: e, s: s, p: p, entries: map[string]witness.Actor{}}
	for _, act := range p.Actors {
		a.entries[entryID(act.Entry)] = act
	}
	src := a.source()
	if len(src) > maxSource {
		refuse("the slice is too large")
	}
	return &Program{
		Source: src, Files: sortedKeys(e.files), Cut: e.cutOrder, Assumed: a.assumptions(), Untaken: e.untaken, Steps: len(s.steps),
	}, nil
}

// initialFlags notes what flags hold before anybody writes them.
func (e *emitter) initialFlags(p witness.Problem) {
	set := map[*flow.Location]bool{}
	for _, a := range p.Actors {
		if a.Entry.Role != flow.Init {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; n.Op == flow.SetFlag && len(n.Pred) > 0 {
				set[n.Loc] = true
			}
		}
	}
	for l := range e.tracked {
		if l.Keyed() || l.Type.Kind == program.Queue {
			continue
		}
		_, k := e.initial(l, p)
		if k != unknown || !set[l] {
			e.facts["loc "+l.ID] |= k
		}
	}
}

// initial returns what a flag holds at first.
func (e *emitter) initial(l *flow.Location, p witness.Problem) (string, kinds) {
	if v := p.Initial[l]; v != nil {
		return e.constText(v)
	}
	if l.Owner != nil {
		if a := l.Owner.Attrs[l.Name]; a != nil && a.ClassLevel {
			for _, d := range a.Defs {
				if d.Func == nil && d.Value != nil {
					return e.literal(d.Value, l.Owner.Module, 0)
				}
			}
		}
	}
	return "UNKNOWN", unknown
}

// constText returns a constant of a graph.
func (e *emitter) constText(v *flow.Value) (string, kinds) {
	switch {
	case v == nil || v.Kind != flow.Const:
		return "UNKNOWN", unknown
	case v.Cls != nil:
		if a := v.Cls.Attrs[v.Name]; a != nil {
			if e.consts == nil {
				e.consts = map[string]map[string]string{}
			}
			return e.member(a)
		}
	case v.HasInt:
		return fmt.Sprint(v.Int), exact
	case v.Lit == ast.None || v.Lit == ast.True || v.Lit == ast.False:
		return v.Lit.String(), exact
	case v.Lit == ast.Str: // the name can be that of a variable
		return quote(strings.TrimPrefix(v.ID(), `c"`)), exact
	}
	return "UNKNOWN", unknown
}

// assembler puts the parts of a program together.
type assembler struct {
	e       *emitter
	s       *Script
	p       witness.Problem
	entries map[string]witness.Actor
	free    bool // the places of the finding do not matter
	patched bool
	b       strings.Builder
}

func (a *assembler) printf(format string, args ...any) { fmt.Fprintf(&a.b, format, args...) }

func (a *assembler) source() string {
	body := a.functions()
	setup := a.setup()
	tables := a.tables()
	a.constants()
	a.b.WriteString(prelude)
	a.printf("shared = Object()\n")
	for _, o := range a.e.objects {
		a.printf("%s = Object()  # the one object of %s\n", o.name, o.class.Qual)
	}
	a.printf("\n\n")
	a.b.WriteString(body)
	a.b.WriteString(setup)
	a.b.WriteString(tables)
	a.b.WriteString("\n")
	a.b.WriteString(stage)
	a.b.WriteString(entry)
	return a.b.String()
}

func (a *assembler) constants() {
	for _, class := range sortedKeys(a.e.consts) {
		a.printf("class %s:\n", class)
		for _, m := range sortedKeys(a.e.consts[class]) {
			a.printf("    %s = %s\n", m, a.e.consts[class][m])
		}
		a.printf("\n\n")
	}
	for _, name := range sortedKeys(a.e.standins) {
		a.printf("# %s stands for %s.\n", a.e.standins[name], name)
	}
}

func (a *assembler) functions() string {
	var b strings.Builder
	for _, f := range a.e.order {
		if f.live() || a.isRoot(f) {
			f.text(&b)
		}
	}
	return b.String()
}

func (a *assembler) isRoot(f *function) bool {
	for _, act := range a.p.Actors {
		if rootKey(act.Entry) == f.key {
			return true
		}
	}
	return false
}

// setup writes the state before anything runs.
func (a *assembler) setup() string {
	var b strings.Builder
	b.WriteString("def setup():\n    \"\"\"Makes the containers, flags, queues and locks, as they are at first.\"\"\"\n")
	need := map[*flow.Location]bool{}
	for l := range a.e.boxes {
		need[l] = true
	}
	for _, ls := range [][]*flow.Location{a.p.Watch, a.p.Status} {
		for _, l := range ls {
			need[l] = true
		}
	}
	for _, c := range a.p.Concluded {
		need[c.Loc] = true
	}
	for _, ms := range a.s.marks {
		for _, m := range ms {
			if l := a.e.byID[m.loc]; l != nil {
				need[l] = true
			}
		}
	}
	for _, l := range a.p.Track {
		if !need[l] || l.Outer != nil && l.Keyed() {
			continue
		}
		at := ""
		if l.Decl != nil && l.DeclMod != nil {
			at = "  # " + place(l.DeclMod, l.Decl)
		}
		name := a.e.owner(l) + "." + attrName(l)
		switch {
		case l.Type.Kind == program.Queue:
			fmt.Fprintf(&b, "    %s = Queue(%s)%s\n", name, quote(l.String()), at)
		case l.Keyed():
			fmt.Fprintf(&b, "    %s = Box(%s, %s%s)%s\n", name, quote(l.String()), quote(l.Type.Kind.String()), factoryOf(l.Type), at)
			if a.s.present[l.ID] {
				fmt.Fprintf(&b, "    %s.keys_.append(7)  # by whoever fills it: assumed\n    %s.values_.append(THING)\n", name, name)
			}
			switch {
			case a.s.behind[l.ID] && !a.s.present[l.ID]:
				fmt.Fprintf(&b, "    %s.behind = True\n", name)
			case a.s.seeds[l.ID]:
				fmt.Fprintf(&b, "    %s.keys_.append(OTHER)\n    %s.values_.append(THING)\n", name, name)
			}
		default:
			text, _ := a.e.initial(l, a.p)
			fmt.Fprintf(&b, "    %s = %s%s\n", name, text, at)
		}
	}
	for _, l := range sortedKeys(a.e.locks) {
		re := "False"
		if a.e.locks[l] {
			re = "True"
		}
		fmt.Fprintf(&b, "    shared.%s = Lock(%s, %s)\n", l, quote(l), re)
	}
	b.WriteString("\n\n")
	return b.String()
}

func (a *assembler) list(ls []*flow.Location) string {
	var parts []string
	for _, l := range ls {
		if l.Keyed() && l.Outer == nil {
			parts = append(parts, a.e.owner(l)+"."+attrName(l))
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (a *assembler) concluded() string {
	var parts []string
	for _, c := range a.p.Concluded {
		if !c.Loc.Keyed() || c.Loc.Outer != nil || c.Not {
			continue
		}
		box := a.e.owner(c.Loc) + "." + attrName(c.Loc)
		has := box + ".find(7) >= 0"
		if len(c.Values) > 0 {
			var vals []string
			for _, v := range c.Values {
				if text, k := a.e.constText(v); k == exact {
					vals = append(vals, text)
				}
			}
			has = "(" + has + " and " + box + ".values_[" + box + ".find(7)] in [" + strings.Join(vals, ", ") + "])"
		}
		parts = append(parts, has)
	}
	if len(parts) == 0 {
		return "False"
	}
	return strings.Join(parts, " or ")
}

func boolean(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func answers(list []bool) string {
	parts := make([]string, len(list))
	for i, b := range list {
		parts[i] = boolean(b)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// tables writes the schedule and what belongs to it.
func (a *assembler) tables() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	put("def WATCH():\n    \"\"\"The containers that must not have the key in the end.\"\"\"\n    return %s\n\n\n", a.list(a.p.Watch))
	put("def CONCLUDED():\n    \"\"\"What else than the answer of a poll ends the request.\"\"\"\n    return %s\n\n\n", a.concluded())
	put("PROPERTY = %s\n", quote(a.p.Property.String()))
	var terminal []string
	for _, v := range a.p.Terminal {
		if text, k := a.e.constText(v); k == exact {
			terminal = append(terminal, text)
		}
	}
	put("TERMINAL = [%s]\n", strings.Join(terminal, ", "))
	var status []string
	for _, l := range a.p.Status {
		status = append(status, quote(l.String()))
	}
	put("STATUS = [%s]\n", strings.Join(status, ", "))
	victim := ""
	if a.p.Victim != nil {
		victim = a.p.Victim.Name()
	}
	put("VICTIM = %s\n", quote(victim))
	held := 1
	if len(a.p.Reset) > 0 {
		held = 0
	}
	put("HELD = %d\nLIMIT = %d\nROUNDS = %d\n\n", held, 20000, a.rounds())
	must := 0
	if a.patched {
		must = a.p.Must
	}
	put("# What a run of changed code has to show: how many of the places it passes, and whether\n# the request has to end, which then is enough. It must not keep a lock.\nMUST = %d\nENDS = %s\nCHANGED = %s\n\n", must, boolean(a.patched && a.p.Ends), boolean(a.patched))
	a.sight(&b)
	a.marks(&b)
	a.calls(&b)
	a.actors(&b)
	put("# Who does what, in this order: the next step of the thread is the access named.\nSCHEDULE = [\n")
	for _, st := range a.s.steps {
		if st.lock && !a.yields(st.site) {
			continue
		}
		put("    (%s, %s),\n", quote(st.thread), quote(st.site))
	}
	put("]\n\n# Outcomes of conditions that the slice cannot decide, in the order in which the\n# thread asks: assumed.\nASSUMED = {\n")
	outcomes, taken := a.repeated(a.s.answers), a.repeated(a.s.taken)
	for _, k := range sortedKeys(outcomes) {
		if a.e.assumed[siteOf(k)] {
			put("    %s: %s,\n", quote(k), answers(outcomes[k]))
		}
	}
	put("}\n\n# Whether a loop over something unknown takes key 7, or another: assumed.\nTAKEN = {\n")
	for _, k := range sortedKeys(taken) {
		if a.e.assumed[siteOf(k)] {
			put("    %s: %s,\n", quote(k), answers(taken[k]))
		}
	}
	put("}\n\n# Where threads wait for what comes from outside.\nINPUTS = %s\n", texts(a.s.inputs))
	put("AWAITS = %s\n", texts(a.e.awaits))
	return b.String()
}

// yields reports whether a function of the slice yields at a place.
func (a *assembler) yields(site string) bool {
	want := "yield " + quote(site)
	for _, f := range a.e.order {
		for _, l := range f.lines {
			if l.text == want {
				return true
			}
		}
	}
	return false
}

// marks writes the places that the property speaks of.
func (a *assembler) marks(b *strings.Builder) {
	put := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	locs := map[string]*flow.Location{}
	for _, l := range a.p.Track {
		locs[l.ID] = l
	}
	path := len(a.p.Path)
	if len(a.p.Trigger) > 0 {
		path = 1
	}
	victims := len(a.p.Victims) > 0
	if a.free {
		path, victims = 0, false
	}
	put("# The places that the property speaks of: how many have to be passed in order, and\n# for each what it is, its number among these, what its container must be like, which\n# thread counts, and of which entrypoint.\nPATH = %d\nVICTIMS = %s\nMARKS = {\n", path, boolean(victims))
	for _, position := range sortedKeys(a.s.marks) {
		put("    %s: [", quote(position))
		for i, m := range a.s.marks[position] {
			if i > 0 {
				put(", ")
			}
			box := "None"
			if m.loc != "" {
				l := locs[m.loc]
				if l == nil || l.Outer != nil {
					refuse("a step of the finding depends on %s", m.loc)
				}
				box = "lambda: " + a.e.owner(l) + "." + attrName(l)
				if !l.Keyed() && l.Type.Kind != program.Queue {
					box = "lambda: slot(" + a.e.owner(l) + "." + attrName(l) + ")"
				}
			}
			put("(%s, %d, %s, %s, %s, %s)", quote(m.role), m.phase, quote(m.needs), quote(m.who), box, quote(m.in))
		}
		put("],\n")
	}
	put("}\n\n")
}

// sight writes which entrypoint must not have looked into which container.
func (a *assembler) sight(b *strings.Builder) {
	name, box := "", "None"
	if s := a.s.problem.Sight; s != nil {
		for _, l := range a.p.Track {
			if l.ID == s.Loc.ID && l.Outer == nil && (l.Keyed() || l.Type.Kind == program.Queue) {
				name, box = s.Entry.Name(), a.e.owner(l)+"."+attrName(l)
			}
		}
	}
	fmt.Fprintf(b, "# Whoever looks into this container has seen the request.\nLOOKS = %s\n\n\ndef SEEN():\n    return %s\n\n\n", quote(name), box)
}

// siteOf strips the thread from the key of an answer.
func siteOf(key string) string {
	if i := strings.Index(key, ": "); i >= 0 {
		return key[i+2:]
	}
	return key
}

func texts(set map[string]bool) string {
	var parts []string
	for _, k := range sortedKeys(set) {
		parts = append(parts, quote(k))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// rounds is how often everything runs on after the schedule. To conclude a
// request can take a condition that has one outcome of many.
func (a *assembler) rounds() int {
	if a.p.Property == witness.NoPin {
		return 100
	}
	return 30
}

func (a *assembler) hookName(h witness.Hook, e *flow.Entry) string {
	switch {
	case e.Role == flow.Init:
		return "constructor"
	case h == witness.PlainHook && a.s.feeding[entryID(e)]:
		return "feed"
	}
	return [...]string{"plain", "poll", "abort", "clear"}[h]
}

func (a *assembler) calls(b *strings.Builder) {
	one := func(act witness.Actor) string {
		k := rootKey(act.Entry)
		obj := "None"
		if k.self != nil {
			obj = a.e.objectFor(k.self).name
		}
		return fmt.Sprintf("    (%s, %s, %s, %s),\n", quote("call "+act.Entry.Name()), quote(a.hookName(act.Hook, act.Entry)), a.e.functionName(k), obj)
	}
	b.WriteString("CALLS = [\n")
	for _, c := range a.s.calls {
		act, ok := a.entries[c.entry]
		if !ok {
			refuse("the patched code has no %s", c.entry)
		}
		b.WriteString(one(act))
	}
	b.WriteString("]\n\n# What the caller goes on calling afterwards.\nAGAIN = [\n")
	if a.p.Property == witness.NoPin {
		for _, act := range a.p.Actors {
			if act.Entry.Role == flow.Caller && (act.Hook == witness.PollHook || act.Hook == witness.PlainHook) {
				b.WriteString(one(act))
			}
		}
	}
	var drops []string
	for _, act := range a.p.Actors {
		if act.Drops {
			drops = append(drops, quote("call "+act.Entry.Name()))
		}
	}
	b.WriteString("]\n\n# What drops the request: nothing brings it in again.\nDROPS = [" + strings.Join(drops, ", ") + "]\n\nHOOKS = [call[0] for call in CALLS] + [call[0] for call in AGAIN]\n\n")
}

func (a *assembler) actors(b *strings.Builder) {
	spawned := map[string]bool{}
	for _, act := range a.p.Actors {
		for i := range act.Entry.Graph.Nodes {
			if n := &act.Entry.Graph.Nodes[i]; a.s.problem.Begins(act.Entry, n) {
				spawned[entryID(n.Entry)] = true
			}
		}
	}
	b.WriteString("# The threads: name, body, object, whether it runs from the start, and whether it\n# is a coroutine.\nACTORS = [\n    (\"client\", None, None, True, False),\n")
	one := func(name string, e *flow.Entry) {
		k := rootKey(e)
		obj := "None"
		if k.self != nil {
			obj = a.e.objectFor(k.self).name
		}
		fmt.Fprintf(b, "    (%s, %s, %s, %s, %s),\n", quote(name), a.e.functionName(k), obj, boolean(!spawned[entryID(e)] && !a.onDemand(e)), boolean(e.Role == flow.LoopTask || a.entries[entryID(e)].Task))
	}
	have := map[string]bool{}
	for _, th := range a.s.threads {
		act, ok := a.entries[th.entry]
		if !ok {
			refuse("the patched code has no %s", th.entry)
		}
		have[th.entry] = true
		one(th.name, act.Entry)
	}
	for _, act := range a.p.Actors {
		if r := act.Entry.Role; r != flow.Caller && r != flow.Init && !have[entryID(act.Entry)] {
			one(act.Entry.Name(), act.Entry)
		}
	}
	b.WriteString("]\n\n")
}

// repeated returns the outcomes of a schedule with those of the loops that a patch has
// written once more: they take the same elements.
func (a *assembler) repeated(outcomes map[string][]bool) map[string][]bool {
	if !a.patched {
		return outcomes
	}
	out := maps.Clone(outcomes)
	for site := range a.e.assumed {
		at := strings.LastIndex(site, " (")
		if at < 0 || !a.s.once[site[:at]] {
			continue
		}
		base := site[:at]
		for k, list := range outcomes {
			if thread, same := strings.CutSuffix(k, base); same && strings.HasSuffix(thread, ": ") && siteOf(k) == base {
				out[thread+site] = list
			}
		}
	}
	return out
}

// onDemand reports whether a coroutine runs because somebody outside wants to
// end the request.
func (a *assembler) onDemand(e *flow.Entry) bool {
	h := a.entries[entryID(e)].Hook
	return h == witness.AbortHook || h == witness.ClearHook
}

// assumptions returns the conditions whose outcome the schedule says.
func (a *assembler) assumptions() []string {
	seen := map[string]bool{}
	for k := range a.s.answers {
		if site := siteOf(k); a.e.assumed[site] {
			seen[site] = true
		}
	}
	out := sortedKeys(seen)
	if tag := a.s.problem.Tag; tag != "" {
		out = append(out, "the message that arrives begins with "+quote(tag))
	}
	return out
}
