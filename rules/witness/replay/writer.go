package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// writer writes the body of one function. Expressions become text; what they do
// to tracked state is written before the statement, each access after a yield.
type writer struct {
	e        *emitter
	f        *function
	fn       *program.Func
	mod      *program.Module
	locals   map[string]bool
	declared map[string]bool // global and nonlocal names
	selfName string

	lines  []line
	indent int
	at     string
	temps  int
	tries  []*ast.Try // around the statement, those whose body it is in
	errs   []string   // variables of the handlers around
	stop   bool       // the block has ended in a jump
	// decided are the outcomes of conditions that the graphs have decided.
	decided map[ast.Node]bool
	// A context manager is written where it is used: its variables have a prefix where
	// they would be taken for those around, and yielded writes what it manages.
	prefix  string
	me      string // the object of the function, "self" if empty
	yielded func(value string, k kinds)
	key7    string // key of the access whose place is passed
	// returned is the variable to set where a return leaves the body of a with statement whose
	// manager goes on then; see once.
	returned string
	inTurn   []turn // of loops over displays of containers
	// places are the variables that count along in a loop over a list, with the element
	// that is at that place.
	places map[string]string
}

func (w *writer) put(text string) {
	w.lines = append(w.lines, line{w.indent, text, w.at})
}

// captured runs f and returns the lines that it writes, one level deeper.
func (w *writer) captured(f func()) []line {
	saved, stop := w.lines, w.stop
	w.lines, w.stop = nil, false
	w.indent++
	f()
	w.indent--
	out := w.lines
	w.lines, w.stop = saved, stop
	return out
}

// local returns the variable that a name of the source is.
func (w *writer) local(name string) string { return local(w.prefix + name) }

// self returns the object of the function.
func (w *writer) self() string {
	if w.me != "" {
		return w.me
	}
	return "self"
}

func (w *writer) temp() string {
	w.temps++
	return "v" + strconv.Itoa(w.temps)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote is the inverse of quote.
func unquote(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "\""), "\"")
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

// site returns the name of a place.
func (w *writer) site(n ast.Node) string { return w.e.s.sites.of(w.fn, n) }

// assume writes a question that the schedule answers.
func (w *writer) assume(n ast.Node) string {
	if yes, ok := w.decided[n]; ok {
		if yes {
			return "True"
		}
		return "False"
	}
	if holds, known := w.mode(n); known {
		if holds {
			return "True"
		}
		return "False"
	}
	site := w.site(n)
	w.e.assumed[site] = true
	return "t.assume(" + quote(site) + ")"
}

// nodes returns the steps at a place. In a loop over a display of containers these are those
// of the turn that is written.
func (w *writer) nodes(n ast.Node) []*flow.Node {
	all := w.e.ops[w.f.key][n]
	for _, t := range w.inTurn {
		if slices.ContainsFunc(all, func(x *flow.Node) bool { return x.Loc != nil && x.Loc.ID == t.loc }) {
			all = slices.DeleteFunc(slices.Clone(all), t.others)
		}
	}
	return all
}

// step returns the step on tracked state with one of some operations at a
// place, or nil.
func (w *writer) step(n ast.Node, ops ...flow.Op) *flow.Node {
	for _, x := range w.nodes(n) {
		if x.Loc == nil || !w.e.tracked[x.Loc] {
			continue
		}
		for _, op := range ops {
			if x.Op == op {
				return x
			}
		}
	}
	return nil
}
