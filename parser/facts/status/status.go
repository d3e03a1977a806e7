// Package status finds out how the requests of a component end.
//
// A status map is a container whose values are a small set of constants. A
// carrier is anything a poller reads to learn that a request is over: an entry
// of a status map, or a flag of the handle. Which of the constants are terminal
// is inferred from what the program does with them; the words of a table
// ([Words]) count only as one more hint.
package status

import (
	"sort"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// Facts is what is known about the statuses of one component.
type Facts struct {
	Comp    *component.Component
	Maps    []*flow.Location // status maps, in the order of the component's groups
	Pollers []*flow.Entry    // hooks that answer with a status
	Values  []*Value         // the statuses, by number where they have one
	// Fields are the fields of single requests that hold their status, in a
	// component without status maps.
	Fields  []*flow.Location
	Drained []*flow.Location // containers that a hook empties and returns
	// Drainers are the hooks that do.
	Drainers []*flow.Entry

	isMap map[*flow.Location]bool
	flags map[*flow.Location]bool
	byID  map[string]*Value
	lore  *taught.Lore

	drained     map[*flow.Location]bool
	conclusions map[*flow.Location]bool
}

// A Value is one status.
type Value struct {
	ID       string // of the constant
	Const    *flow.Value
	Terminal bool
	// Score is the weight of the hints behind Terminal.
	Score int
	Hints []Hint
}

// Infer returns the facts of a component.
func Infer(c *component.Component, words Words) *Facts { return InferWith(c, words, nil) }

// InferWith is Infer with what people tell about the program, which may be nil.
func InferWith(c *component.Component, words Words, lore *taught.Lore) *Facts {
	f := &Facts{Comp: c, lore: lore, isMap: map[*flow.Location]bool{}, flags: map[*flow.Location]bool{}, byID: map[string]*Value{}, drained: map[*flow.Location]bool{}, conclusions: map[*flow.Location]bool{}}
	f.findMaps()
	if len(f.Maps) == 0 {
		f.findFields()
	}
	f.findPollers(words)
	f.findFlags()
	f.findDrained()
	f.judge(words)
	f.obey()
	f.findConclusions()
	sort.SliceStable(f.Values, func(i, j int) bool {
		a, b := f.Values[i].Const, f.Values[j].Const
		if a.HasInt && b.HasInt && a.Int != b.Int {
			return a.Int < b.Int
		}
		return f.Values[i].ID < f.Values[j].ID
	})
	return f
}

// findFields collects the fields of single requests that hold their status,
// where no map does: a hook returns the field, and what is stored in it are
// members of a class of constants or words.
func (f *Facts) findFields() {
	for _, e := range f.Comp.Entries {
		if !hook(e) {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Return || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				if leaf.Kind == flow.Result && leaf.Loc != nil && !leaf.Loc.Keyed() && leaf.Loc.Outer == nil && !f.flags[leaf.Loc] {
					f.addField(leaf.Loc)
				}
			}
		}
	}
}

// fieldStatuses is how many constants a field holds that is more than a flag.
const fieldStatuses = 3

func (f *Facts) addField(l *flow.Location) {
	consts := map[string]*flow.Value{}
	for _, a := range f.Comp.Accesses(l) {
		if a.Op != flow.SetFlag || a.Val == nil {
			continue
		}
		for _, leaf := range a.Val.Leaves() {
			if statusConst(leaf) && leaf.Lit != ast.Int {
				consts[leaf.ID()] = leaf
			}
		}
	}
	if len(consts) < fieldStatuses {
		return
	}
	f.Fields = append(f.Fields, l)
	f.flags[l] = true
	for _, c := range sortedConsts(consts) {
		f.add(c)
	}
}

// IsMap reports whether a location is a status map.
func (f *Facts) IsMap(l *flow.Location) bool { return f.isMap[l] }

// IsFlag reports whether a location is a flag that carries a status, or that a
// poller tests before it answers.
func (f *Facts) IsFlag(l *flow.Location) bool { return f.flags[l] }

// IsConclusion reports whether a flag holds the terminal status of its request, or
// None.
func (f *Facts) IsConclusion(l *flow.Location) bool { return f.conclusions[l] }

// Terminal reports whether a value is a status after which pollers let go of
// the request. A value with several alternatives is terminal when all are.
func (f *Facts) Terminal(v *flow.Value) bool {
	if v == nil {
		return false
	}
	leaves := v.Leaves()
	for _, l := range leaves {
		if !f.TerminalID(l.ID()) {
			return false
		}
	}
	return len(leaves) > 0
}

// MayBeTerminal reports whether one of the alternatives of a value is terminal.
func (f *Facts) MayBeTerminal(v *flow.Value) bool {
	if v == nil {
		return false
	}
	for _, l := range v.Leaves() {
		if f.TerminalID(l.ID()) {
			return true
		}
	}
	return false
}

// TerminalID reports whether the constant with an ID is terminal.
func (f *Facts) TerminalID(id string) bool {
	v := f.byID[id]
	return v != nil && v.Terminal
}

// Known reports whether the constant with an ID is a status.
func (f *Facts) Known(id string) bool { return f.byID[id] != nil }

// Pending returns the number of statuses that are not terminal.
func (f *Facts) Pending() int {
	n := 0
	for _, v := range f.Values {
		if !v.Terminal {
			n++
		}
	}
	return n
}

// Registers reports whether a value is only ever the first status of a request.
func (f *Facts) Registers(v *flow.Value) bool {
	for _, leaf := range v.Leaves() {
		known := f.byID[leaf.ID()]
		if known == nil {
			return false
		}
		initial := false
		for _, h := range known.Hints {
			initial = initial || h == InitialOne
		}
		if !initial {
			return false
		}
	}
	return true
}

// IsStatus reports whether a value is one of the statuses.
func (f *Facts) IsStatus(v *flow.Value) bool { return v != nil && f.byID[v.ID()] != nil }

// findMaps collects the status maps and their constants.
func (f *Facts) findMaps() {
	said := f.whatIsSaid()
	for _, g := range f.Comp.Groups {
		for _, l := range g.Locs {
			if l.Outer != nil {
				continue
			}
			switch l.Type.Kind {
			case program.Dict, program.DefaultDict:
			default:
				continue
			}
			if consts, judged := f.mapConstants(l, said[l]); len(consts) >= 2 && judged || f.told(l, consts) {
				f.Maps = append(f.Maps, l)
				f.isMap[l] = true
				for _, c := range consts {
					f.add(c)
				}
			}
		}
	}
}

func (f *Facts) add(c *flow.Value) *Value {
	if v := f.byID[c.ID()]; v != nil {
		return v
	}
	v := &Value{ID: c.ID(), Const: c}
	f.byID[c.ID()] = v
	f.Values = append(f.Values, v)
	return v
}

// sayings are what the entrypoints of a component make of what they read from a location.
type sayings struct {
	consts []*flow.Value // it is compared with these, or these stand for none
	judged bool          // somebody compares it with a status, or answers it
}

// whatIsSaid returns the sayings about each location that something is read from.
func (f *Facts) whatIsSaid() map[*flow.Location]sayings {
	out := map[*flow.Location]sayings{}
	say := func(l *flow.Location, c *flow.Value, judged bool) {
		s := out[l]
		if c != nil {
			s.consts = append(s.consts, c)
		}
		s.judged = s.judged || judged
		out[l] = s
	}
	for _, e := range f.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			switch {
			case n.Op == flow.Branch && n.Test == flow.TestEq && readFrom(n.Val) != nil && n.Want != nil:
				say(n.Val.Loc, n.Want, statusConst(n.Want))
			case n.Op == flow.Read && n.Def != nil:
				say(n.Loc, n.Def, false)
			case n.Op == flow.Return && e.Role != flow.Init && n.Val != nil:
				for _, leaf := range n.Val.Leaves() {
					if l := readFrom(leaf); l != nil {
						say(l, nil, true)
					}
				}
			}
		}
	}
	return out
}

// mapConstants returns the constants that are stored in l or that what is read
// from it is compared with, and whether anybody compares or answers what is
// stored; nil when something else is stored as well.
func (f *Facts) mapConstants(l *flow.Location, said sayings) (out []*flow.Value, judged bool) {
	seen := map[string]bool{}
	add := func(v *flow.Value) {
		if statusConst(v) && !seen[v.ID()] {
			seen[v.ID()] = true
			out = append(out, v)
		}
	}
	stored := 0
	for _, a := range f.Comp.Accesses(l) {
		if a.Op != flow.Put || a.Val == nil {
			continue
		}
		if a.Mode&flow.Counting != 0 {
			return nil, false
		}
		for _, leaf := range a.Val.Leaves() {
			switch {
			case leaf.Kind == flow.Const:
				if statusConst(leaf) {
					stored++
				}
				add(leaf)
			case leaf.Kind == flow.Derived && (leaf.Name == "max" || leaf.Name == "min"):
				for _, x := range leaf.Args {
					add(x)
				}
			case leaf.Kind == flow.Derived && (arithmetic[leaf.Name] || leaf.IsFormatted()):
				return nil, false
			case leaf.Kind == flow.Object || leaf.Kind == flow.Container || leaf.Kind == flow.Function:
				return nil, false
			}
		}
	}
	if stored == 0 {
		return nil, false
	}
	for _, c := range said.consts {
		add(c)
	}
	return out, said.judged
}

// readFrom returns the location that v was read from, or nil.
func readFrom(v *flow.Value) *flow.Location {
	if v == nil || v.Kind != flow.Result {
		return nil
	}
	return v.Loc
}

// readOf reports whether v is what a step read from l.
func readOf(v *flow.Value, l *flow.Location) bool {
	return v != nil && v.Kind == flow.Result && v.Loc == l
}

// arithmetic are the derivations that make a number from a number.
var arithmetic = map[string]bool{
	ast.Add.String(): true, ast.Sub.String(): true, ast.Mult.String(): true, ast.Div.String(): true,
	ast.FloorDiv.String(): true, "tuple": true,
}

// statusConst reports whether a constant can be a status: a member of a class
// of constants, a named or plain number, or a string.
func statusConst(v *flow.Value) bool {
	if v == nil || v.Kind != flow.Const {
		return false
	}
	return v.Cls != nil || v.Lit == ast.Int || v.Lit == ast.Str
}

// findPollers collects the hooks that answer with a status: with what they read
// from a status map, or with one of several members of one class of constants.
func (f *Facts) findPollers(words Words) {
	for _, e := range f.Comp.Entries {
		if !hook(e) {
			continue
		}
		reads, consts := false, map[string]*flow.Value{}
		var remembered []*flow.Location // the flags that it answers with
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Return || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				switch {
				case leaf.Kind == flow.Result && leaf.Loc != nil && f.isMap[leaf.Loc]:
					reads = true
				case leaf.Kind == flow.Result && leaf.Loc != nil && !leaf.Loc.Keyed():
					remembered = append(remembered, leaf.Loc)
				case statusConst(leaf):
					consts[leaf.ID()] = leaf
				}
			}
		}
		if len(consts) > 0 || reads {
			f.addStored(consts, remembered)
		}
		if !reads && !f.answers(consts) && !speaking(consts, words) && !f.lore.Polls(e.Func.Name) {
			continue
		}
		f.Pollers = append(f.Pollers, e)
		for _, c := range sortedConsts(consts) {
			f.add(c)
		}
	}
}

// addStored adds what is stored in some flags: the answers of a hook that
// remembers what it has once answered.
func (f *Facts) addStored(consts map[string]*flow.Value, flags []*flow.Location) {
	for _, l := range flags {
		for _, a := range f.Comp.Accesses(l) {
			if a.Op != flow.SetFlag || a.Val == nil {
				continue
			}
			for _, leaf := range a.Val.Leaves() {
				if statusConst(leaf) && leaf.Cls != nil {
					consts[leaf.ID()] = leaf
				}
			}
		}
	}
}

// answers reports whether constants are the answers of a poller: two of one
// class, one of them a status if any are known.
func (f *Facts) answers(consts map[string]*flow.Value) bool {
	byClass := map[*program.Class]int{}
	known := false
	for id, c := range consts {
		byClass[c.Cls]++
		known = known || f.byID[id] != nil
	}
	for c, n := range byClass {
		if n >= 2 && (c != nil || known) && (known || len(f.Values) == 0) {
			return true
		}
	}
	return false
}

// speaking reports whether constants are the answers of a poller by their words:
// one that says that a request is over, and one that says that it is not.
func speaking(consts map[string]*flow.Value, words Words) bool {
	over, alive := false, false
	for _, c := range consts {
		name := strings.ToLower(c.Name)
		isOver := matches(name, words.Terminal)
		over = over || isOver
		alive = alive || !isOver && matches(name, words.Pending)
	}
	return over && alive
}

func sortedConsts(m map[string]*flow.Value) []*flow.Value {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	out := make([]*flow.Value, len(ids))
	for i, id := range ids {
		out[i] = m[id]
	}
	return out
}

// findFlags collects the flags that carry a status, and those that decide what
// a poller answers.
func (f *Facts) findFlags() {
	for _, e := range f.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.SetFlag && n.Val != nil {
				for _, leaf := range n.Val.Leaves() {
					if f.byID[leaf.ID()] != nil && leaf.Cls != nil || leaf.Kind == flow.Result && leaf.Loc != nil && f.isMap[leaf.Loc] {
						f.flags[n.Loc] = true
					}
				}
			}
		}
	}
	for _, e := range f.Pollers {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.Branch && n.Val != nil && n.Val.Kind == flow.Result && n.Val.Loc != nil && !n.Val.Loc.Keyed() && answersAtOnce(e.Graph, n) {
				f.flags[n.Val.Loc] = true
			}
			if n.Op == flow.Return && n.Val != nil {
				for _, leaf := range n.Val.Leaves() {
					if leaf.Kind == flow.Result && leaf.Loc != nil && !leaf.Loc.Keyed() {
						f.flags[leaf.Loc] = true
					}
				}
			}
		}
	}
}

// findConclusions collects the flags that take nothing but terminal statuses.
func (f *Facts) findConclusions() {
	other := map[*flow.Location]bool{}
	for _, e := range f.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.SetFlag || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				switch {
				case f.TerminalID(leaf.ID()):
					f.conclusions[n.Loc] = true
				case leaf.IsNone(), leaf.Kind == flow.Result && leaf.Loc != nil && f.isMap[leaf.Loc]:
				default:
					other[n.Loc] = true
				}
			}
		}
	}
	for l := range other {
		delete(f.conclusions, l)
	}
}

// answersAtOnce reports whether one side of a branch returns without doing
// anything else.
func answersAtOnce(g *flow.Graph, n *flow.Node) bool {
	for _, e := range n.Succ {
		to := e.To
		for steps := 0; steps < 4; steps++ {
			m := &g.Nodes[to]
			if m.Op == flow.Return {
				return true
			}
			if m.Op != flow.GetFlag && m.Op != flow.Move || len(m.Succ) != 1 {
				break
			}
			to = m.Succ[0].To
		}
	}
	return false
}
