package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

// pause writes the yield before an access, and what the place means to the
// property.
func (w *writer) pause(n ast.Node, step *flow.Node) { w.pauseOn(n, step, "") }

// pauseOn is pause for a step on the container of that text.
func (w *writer) pauseOn(n ast.Node, step *flow.Node, container string) {
	w.pauseFor(n, step, container, "7")
}

// pauseFor is pauseOn for a step on the entry of that key.
func (w *writer) pauseFor(n ast.Node, step *flow.Node, container, key string) {
	w.pass(n, " arrives", step, container)
	w.put("yield " + quote(w.site(n)))
	w.key7 = key
	w.pass(n, "", step, container)
	w.key7 = "7"
}

// positions returns the names of a place among the marks.
func (w *writer) positions(n ast.Node) []string {
	out := []string{"at " + w.site(n)}
	for _, was := range w.e.moved[n] {
		out = append(out, "at "+was)
	}
	if again := w.undoneElsewhere(out[0]); again != "" {
		out = append(out, again)
	}
	return out
}

// undoneElsewhere returns the position of a step outside of the slice after which the path
// begins anew, if a place does the same by its text: a patch does it once more.
func (w *writer) undoneElsewhere(position string) string {
	at := strings.LastIndex(position, " (")
	if at < 0 || !strings.HasSuffix(position, ")") || len(w.e.s.marks[position]) > 0 {
		return ""
	}
	first, number := position[:at], position[at+len(" ("):len(position)-1]
	if _, err := strconv.Atoi(number); err != nil {
		return ""
	}
	for _, m := range w.e.s.marks[first] {
		if m.role != "undo" || m.at != "" {
			return ""
		}
	}
	return first
}

// side writes what the outcome of a condition or pattern means to the property.
func (w *writer) side(x ast.Node, holds bool) {
	if holds {
		w.pass(x, testHolds, nil, "")
	} else {
		w.pass(x, testFails, nil, "")
	}
}

// left writes that a loop ends where the property speaks of its head.
func (w *writer) left(head ast.Node) {
	for _, p := range w.positions(head) {
		if slices.ContainsFunc(w.e.s.marks[p], func(m mark) bool { return m.takes }) {
			return
		}
	}
	w.pass(head, "", nil, "")
}

// pass writes what a place means to the property, if anything.
func (w *writer) pass(n ast.Node, suffix string, step *flow.Node, container string) {
	for i, position := range w.positions(n) {
		w.passAt(position+suffix, step, container, i > 0)
	}
}

// takes writes what it means to the property that a loop over something unknown takes an
// element, which a variable holds.
func (w *writer) takes(src ast.Node, element string) {
	for _, position := range w.positions(src) {
		asks := func(m mark) bool { return m.needs == takesKey || m.needs == takesOther }
		if element == "" || !slices.ContainsFunc(w.e.s.marks[position], asks) {
			w.pass(src, "", nil, "")
			return
		}
	}
	w.passValue(src, w.local(element))
}

// passAt writes that the step is at a position; moved says that it was another
// step which the finding names.
func (w *writer) passAt(position string, step *flow.Node, container string, moved bool) {
	ms := w.e.s.marks[position]
	if step != nil {
		ms = slices.DeleteFunc(slices.Clone(ms), func(m mark) bool {
			if moved && m.role == "victim" && w.e.s.problem.Property == witness.NoThreadDeath && step.Mode&flow.Strict == 0 {
				return true // what stands there now cannot fail
			}
			return m.at != "" && (step.Loc == nil || step.Loc.ID != m.at || step.Op != m.op && !moved)
		})
	}
	if len(ms) == 0 {
		return
	}
	w.e.seenMarks[position] = true
	box := "None"
	if step != nil && step.Loc != nil && w.e.tracked[step.Loc] {
		switch {
		case step.Loc.Type.Kind == program.Queue:
			box = w.ref(step.Loc)
		case !step.Loc.Keyed():
			box = "Box(" + quote(step.Loc.Name) + ", \"flag\")"
		case step.Loc.Outer == nil:
			box = w.ref(step.Loc)
		case container != "":
			box = container
		default:
			for _, m := range ms {
				if m.needs != "" && m.loc == "" {
					refuse("a step of the finding depends on what is inside of an entry, %s", w.at)
				}
			}
		}
	}
	switch w.key7 {
	case "7", "":
		w.put("at(t, " + quote(position) + ", " + box + ")")
	case "OTHER": // what happens to another request does not count
	default:
		w.put("if " + w.key7 + " == 7:")
		w.indent++
		w.put("at(t, " + quote(position) + ", " + box + ")")
		w.indent--
	}
}

// passValue writes what the return of a value means to the property.
func (w *writer) passValue(n ast.Node, value string) {
	for _, position := range w.positions(n) {
		if len(w.e.s.marks[position]) > 0 {
			w.e.seenMarks[position] = true
			w.put("at(t, " + quote(position) + ", None, " + value + ")")
		}
	}
}

// before writes that a thread comes to a step outside of tracked state.
func (w *writer) before(x ast.Node) {
	if len(w.e.s.marks) == 0 {
		return
	}
	for _, n := range w.nodes(x) {
		if !w.pauses(n) {
			w.pass(x, " arrives", n, "")
			return
		}
	}
}

// pauses reports whether a step is an access before which the program yields.
func (w *writer) pauses(n *flow.Node) bool { return n.Loc != nil && w.e.tracked[n.Loc] }

// after writes what a step does beside its value: it starts a thread, or
// raises in the schedule.
func (w *writer) after(x ast.Node) {
	nodes := w.nodes(x)
	if len(nodes) == 0 {
		return
	}
	site := w.site(x)
	for _, n := range nodes {
		if n.Op == flow.Spawn && n.Entry != nil {
			w.put("t.spawn(" + quote(n.Entry.Name()) + ")")
			break
		}
	}
	if !slices.ContainsFunc(nodes, w.pauses) {
		w.pass(x, "", nodes[0], "")
	}
	exc, ok := w.e.s.raises[site]
	if !ok {
		return
	}
	class := w.thrown(exc)
	for _, n := range nodes {
		if n.Op != flow.Branch && assumesRaise(n) && (n.Loc == nil || !w.e.tracked[n.Loc]) {
			site += " raises"
			w.e.assumed[site] = true
			w.put("if t.assume(" + quote(site) + "):")
			w.indent++
			w.pass(x, " raises", n, "")
			w.put("raise " + class + "(" + quote("assumed") + ")")
			w.indent--
			return
		}
	}
}

// marked returns a further argument that names the place of a step, if it is one
// that the property speaks of.
func (w *writer) marked(n ast.Node, step *flow.Node) string {
	for _, p := range w.positions(n) {
		if step.Op == flow.Next {
			p += goesOn
		}
		for _, m := range w.e.s.marks[p] {
			if m.op == step.Op && (m.at == "" || step.Loc != nil && m.at == step.Loc.ID) {
				w.e.seenMarks[p] = true
				return ", " + quote(p)
			}
		}
	}
	return ""
}
