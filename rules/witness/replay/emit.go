package replay

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

// kinds is the set of what a value in the slice can be.
type kinds uint8

const (
	exact   kinds = 1 << iota // a constant, a number, a container, the key
	thing                     // an object of which no more is known
	unknown                   // nothing is known
)

// funcKey identifies a function on the objects of a class.
type funcKey struct {
	fn   *program.Func
	self *program.Class
	// What a decorator has put the function around, and on which class: each has its
	// own copy of the wrapper.
	wraps   *program.Func
	wrapped *program.Class
}

// emitter writes the slice of the entrypoints of a problem as Python. It does
// so again and again, until it knows which variables, parameters, entries and
// results hold something that the slice knows.
type emitter struct {
	s       *Script
	index   *program.Program
	tracked map[*flow.Location]bool
	byID    map[string]*flow.Location
	ops     map[funcKey]map[ast.Node][]*flow.Node
	callees map[funcKey]map[ast.Node][]funcKey
	roles   map[*program.Func]flow.Role
	objects []*object

	facts   map[string]kinds
	changed bool
	done    map[funcKey]*function
	busy    map[funcKey]bool
	order   []*function

	consts    map[string]map[string]string // class of constants: member: literal
	standins  map[string]string
	locks     map[string]bool // variable: whether it is reentrant
	boxes     map[*flow.Location]bool
	awaits    map[string]bool
	untaken   int // branches that are left out, since nobody takes them
	cut       map[string]bool
	cutOrder  []string
	assumed   map[string]bool
	files     map[string]bool
	seenMarks map[string]bool
	status    map[*flow.Location]bool // flags that hold a status which must not be replaced
	moved     map[ast.Node][]string   // places of marks that the patch has changed
	names     map[string]funcKey
}

// object is one of the objects that keep the state.
type object struct {
	name  string
	class *program.Class
}

// function is an emitted function.
type function struct {
	key    funcKey
	name   string
	params []string
	lines  []line
	words  map[string]int // how often each identifier is in lines, but as an attribute; see tidy
	yields bool
}

type line struct {
	indent int
	text   string
	at     string // file:line of the statement
}

func newEmitter(s *Script, index *program.Program, actors []witness.Actor, track []*flow.Location) *emitter {
	e := &emitter{
		s: s, index: index, tracked: map[*flow.Location]bool{}, byID: map[string]*flow.Location{},
		ops: map[funcKey]map[ast.Node][]*flow.Node{}, callees: map[funcKey]map[ast.Node][]funcKey{},
		roles: map[*program.Func]flow.Role{}, facts: map[string]kinds{},
		standins: map[string]string{}, names: map[string]funcKey{},
		moved: map[ast.Node][]string{}, status: map[*flow.Location]bool{},
		consts: map[string]map[string]string{}, boxes: map[*flow.Location]bool{}, // initial values have constants, too
	}
	for _, l := range track {
		e.tracked[l] = true
		e.byID[l.ID] = l
	}
	for _, a := range actors {
		e.roles[a.Entry.Func] = a.Entry.Role
		for i := range a.Entry.Graph.Nodes {
			e.note(&a.Entry.Graph.Nodes[i])
		}
		if a.Entry.Class != nil {
			e.objectFor(a.Entry.Class)
		}
	}
	e.findMoved(actors)
	return e
}

// keyOf returns the function that a frame runs.
func keyOf(fr *flow.Frame) funcKey {
	k := funcKey{fn: fr.Fn}
	if fr.Self != nil && fr.Fn.SelfFunc() != nil { // a function has none, whatever calls it
		k.self = fr.Self.Type.Class
	}
	k.wraps, k.wrapped = fr.Wraps()
	return k
}

// note indexes a step by its place.
func (e *emitter) note(n *flow.Node) {
	if n.Frame == nil || n.Src == nil || len(n.Pred) == 0 {
		return
	}
	k := keyOf(n.Frame)
	if e.ops[k] == nil {
		e.ops[k] = map[ast.Node][]*flow.Node{}
	}
	e.ops[k][n.Src] = append(e.ops[k][n.Src], n)
	for fr := n.Frame; fr.Caller != nil; fr = fr.Caller {
		caller, callee := keyOf(fr.Caller), keyOf(fr)
		if e.callees[caller] == nil {
			e.callees[caller] = map[ast.Node][]funcKey{}
		}
		known := false
		for _, c := range e.callees[caller][fr.Call] {
			known = known || c == callee
		}
		if !known {
			e.callees[caller][fr.Call] = append(e.callees[caller][fr.Call], callee)
		}
	}
}

// findMoved finds the places of marks that a patch has changed: where the same
// function does something to the same container.
func (e *emitter) findMoved(actors []witness.Actor) {
	for _, position := range sortedKeys(e.s.marks) { // of one text, the first place comes first
		site := siteAt(position)
		for _, m := range e.s.marks[position] {
			if m.at == "" {
				continue
			}
			var near []ast.Node
			for _, a := range actors {
				for i := range a.Entry.Graph.Nodes {
					n := &a.Entry.Graph.Nodes[i]
					if n.Loc == nil || n.Loc.ID != m.at || n.Fn == nil || n.Fn.Qual != m.fn || len(n.Pred) == 0 || m.blocks && !blocks(n) || m.op != n.Op && (m.op == flow.Rebind || m.op == flow.Next) {
						continue // nothing else takes the place of a loop that goes on
					}
					if e.s.sites.of(n.Fn, n.Src) == site {
						near = nil
						goto next
					}
					near = append(near, n.Src)
				}
			}
			for _, n := range near {
				if !slices.Contains(e.moved[n], site) {
					e.moved[n] = append(e.moved[n], site)
				}
			}
		next:
		}
	}
}

// objectFor returns the object of a class: classes of which one derives from
// the other share one.
func (e *emitter) objectFor(c *program.Class) *object {
	for _, o := range e.objects {
		if o.class.IsSubclass(c) {
			return o
		}
	}
	for _, o := range e.objects {
		if c.IsSubclass(o.class) {
			o.class = c
			return o
		}
	}
	o := &object{name: e.fresh(snake(c.Name)), class: c}
	e.objects = append(e.objects, o)
	return o
}

func (e *emitter) fresh(name string) string {
	taken := func(n string) bool {
		for _, o := range e.objects {
			if o.name == n {
				return true
			}
		}
		return false
	}
	out := name
	for i := 2; taken(out); i++ {
		out = name + strconv.Itoa(i)
	}
	return out
}

var upper = regexp.MustCompile(`([a-z0-9])([A-Z])`)

func snake(s string) string {
	return strings.ToLower(upper.ReplaceAllString(identifier(s), "${1}_${2}")) + "_"
}

// identifier returns a name for use in the program, the same for the same name
// and ASCII.
func identifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && isWord(byte(r)):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			b.WriteByte('_')
		default:
			b.WriteString("_u" + strconv.FormatInt(int64(r), 16))
		}
	}
	return b.String()
}

// owner returns the object that keeps a location.
func (e *emitter) owner(l *flow.Location) string {
	if c := l.Root().Owner; c != nil {
		return e.objectFor(c).name
	}
	return "shared"
}

// name returns the attribute in which a location is kept.
func attrName(l *flow.Location) string {
	n := identifier(l.Name)
	for o := l; o.Outer != nil; o = o.Outer {
		n += "_of_each"
	}
	return n
}

// functionName returns the Python name of a function.
func (e *emitter) functionName(k funcKey) string {
	name := identifier(strings.ReplaceAll(k.fn.Qual, "<lambda>", "lambda"))
	if k.self != nil {
		if home := k.fn.SelfFunc(); home != nil && home.Class != k.self {
			name = identifier(k.self.Name) + "__" + name
		}
	}
	for {
		if have, ok := e.names[name]; (!ok || have == k) && !reserved[name] {
			e.names[name] = k
			return name
		}
		name += "_"
	}
}

var definition = regexp.MustCompile(`(?m)^(?:class |def )?([A-Za-z_][A-Za-z_0-9]*)(?:\(|:| =)`)

// reserved are the names that every program defines.
var reserved = func() map[string]bool {
	m := map[string]bool{"shared": true}
	for _, text := range []string{prelude, stage, entry} {
		for _, d := range definition.FindAllStringSubmatch(text, -1) {
			m[d[1]] = true
		}
	}
	for _, name := range []string{"setup", "WATCH", "CONCLUDED", "PROPERTY", "TERMINAL", "STATUS", "VICTIM", "MARKED", "HELD", "LIMIT", "ROUNDS",
		"CALLS", "AGAIN", "HOOKS", "ACTORS", "SCHEDULE", "ASSUMED", "TAKEN", "INPUTS", "AWAITS", "t", "len", "max", "min", "int", "str",
		"isinstance", "hasattr", "next", "print"} {
		m[name] = true
	}
	return m
}()

var numbered = regexp.MustCompile(`^(v|err)[0-9]+_?$`)

// local returns the name of a variable, which must not hide what the program
// itself uses.
func local(name string) string {
	if reserved[name] || numbered.MatchString(name) || strings.HasSuffix(name, "_") || builtins[name] {
		return name + "_"
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			return "u_" + identifier(name)
		}
	}
	return name
}

// fact adds to what is known.
func (e *emitter) fact(name string, k kinds) {
	if e.facts[name]|k != e.facts[name] {
		e.facts[name] |= k
		e.changed = true
	}
}

// emit writes the functions of the entrypoints, to a fixed point.
func (e *emitter) emit(entries []funcKey) {
	for range 12 {
		e.changed = false
		e.done, e.busy, e.order = map[funcKey]*function{}, map[funcKey]bool{}, nil
		e.consts, e.locks, e.boxes = map[string]map[string]string{}, map[string]bool{}, map[*flow.Location]bool{}
		e.awaits, e.cut, e.assumed = map[string]bool{}, map[string]bool{}, map[string]bool{}
		e.untaken = 0
		e.cutOrder, e.files, e.seenMarks = nil, map[string]bool{}, map[string]bool{}
		for _, k := range entries {
			e.function(k)
		}
		if !e.changed {
			return
		}
	}
	refuse("the slice does not settle")
}

// maxLines is how many lines a function of a slice can have: many times what those of large
// programs have, and more than anybody reads.
const maxLines = 2000

// function writes a function once and returns it.
func (e *emitter) function(k funcKey) *function {
	if f := e.done[k]; f != nil {
		return f
	}
	if e.busy[k] {
		refuse("%s calls itself", k.fn.Qual)
	}
	e.busy[k] = true
	defer delete(e.busy, k)
	f := &function{key: k, name: e.functionName(k)}
	w := e.newWriter(f)
	if lam, ok := k.fn.Node.(*ast.Lambda); ok {
		text, kd := w.expr(lam.Body)
		w.put("t.ret = " + text)
		e.fact("ret "+f.name, kd)
	} else if manager, _, ok := decorated(e.callees[k][k.fn.Node]); ok {
		w.manage(manager, nil, func(string, kinds) { w.body() })
	} else {
		w.body()
	}
	f.lines = w.lines
	if len(f.lines) > maxLines {
		refuse("the slice of %s has %d lines", k.fn.Qual, len(f.lines))
	}
	f.tidy()
	for _, l := range f.lines {
		f.yields = f.yields || strings.Contains(l.text, "yield")
	}
	f.findParams()
	e.files[k.fn.Module.File] = true
	e.done[k] = f
	e.order = append(e.order, f)
	return f
}

// managed reports whether a function is written with the context manager that decorates
// it, since it is an entrypoint.
func (e *emitter) managed(k funcKey) bool {
	_, _, ok := decorated(e.callees[k][k.fn.Node])
	return ok
}

// body writes all that a function does.
func (w *writer) body() {
	w.block(w.fn.Body())
	if !w.ended() {
		w.e.fact("ret "+w.f.name, exact)
		w.passValue(w.fn.Node, "None")
	}
}

// newWriter returns the writer of a function.
func (e *emitter) newWriter(f *function) *writer {
	k := f.key
	w := &writer{e: e, f: f, fn: k.fn, mod: k.fn.Module, locals: map[string]bool{}}
	for _, p := range k.fn.Params {
		w.locals[p.Name] = true
	}
	for _, st := range k.fn.Body() {
		collectLocals(st, w.locals)
	}
	w.declared = map[string]bool{}
	ast.Inspect(k.fn.Node, func(n ast.Node) bool {
		var names []string
		switch n := n.(type) {
		case *ast.Global:
			names = n.Names
		case *ast.Nonlocal:
			names = n.Names
		case *ast.FunctionDef:
			return ast.Node(n) == k.fn.Node
		}
		for _, name := range names {
			w.declared[name] = true
			delete(w.locals, name)
		}
		return true
	})
	w.selfName = selfName(k.fn)
	w.at = place(k.fn.Module, k.fn.Node)
	return w
}

// selfName returns the name of the parameter that holds the object; a nested
// function uses that of the function around it.
func selfName(f *program.Func) string {
	home := f.SelfFunc()
	if home == nil || len(home.Params) == 0 {
		return ""
	}
	return home.Params[0].Name
}

func collectLocals(root ast.Node, names map[string]bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			if n.Ctx() != ast.Load {
				names[n.Id()] = true
			}
		case *ast.FunctionDef:
			return false
		case *ast.ClassDef, *ast.Lambda:
			return false
		}
		return true
	})
}

// live reports whether the function does anything that the replay needs.
func (f *function) live() bool {
	return f.yields || len(f.lines) > 0
}

var temp = regexp.MustCompile(`^v[0-9]+_?$`)

// assignment splits a line that assigns to a variable.
func assignment(text string) (name, value string, ok bool) {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	if n == 0 || text[0] >= '0' && text[0] <= '9' || strings.IndexByte(text, '\n') >= 0 {
		return "", "", false
	}
	value, ok = strings.CutPrefix(text[n:], " = ")
	return text[:n], value, ok
}

// assignsPure reports whether a line assigns what can be left out.
func assignsPure(text string) bool {
	_, value, ok := assignment(text)
	return ok && pure(value)
}

// tidy removes assignments to variables that nobody reads, and puts a value
// that is used at once where it is used.
func (f *function) tidy() {
	f.words = map[string]int{}
	for _, l := range f.lines {
		f.count(l.text, 1)
	}
	for f.dropUnused() || f.inlineTemps() {
	}
}

// count adds the identifiers of a text to those of the function, n times.
func (f *function) count(text string, n int) {
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if end == i {
			i++
			continue
		}
		if (i == 0 || text[i-1] != '.') && !inString(text, i) {
			f.words[text[i:end]] += n
		}
		i = end
	}
}

// set replaces the text of a line.
func (f *function) set(i int, text string) {
	f.count(f.lines[i].text, -1)
	f.lines[i].text = text
	f.count(text, 1)
}

// remove takes a line out.
func (f *function) remove(i int) {
	f.count(f.lines[i].text, -1)
	f.lines = append(f.lines[:i:i], f.lines[i+1:]...)
}

// countWord counts the occurrences of an identifier that is not an attribute.
func countWord(text, name string) int {
	n := 0
	for i := 0; ; {
		k := strings.Index(text[i:], name)
		if k < 0 {
			return n
		}
		k += i
		end := k + len(name)
		if (k == 0 || !isWord(text[k-1]) && text[k-1] != '.') && (end == len(text) || !isWord(text[end])) && !inString(text, k) {
			n++
		}
		i = end
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// inString reports whether a position is within a string literal, which here
// always has double quotes.
func inString(text string, at int) bool {
	in := false
	for i := 0; i < at; i++ {
		switch {
		case in && text[i] == '\\':
			i++
		case text[i] == '"':
			in = !in
		}
	}
	return in
}

func (f *function) dropUnused() bool {
	for i, l := range f.lines {
		name, value, ok := assignment(l.text)
		if !ok || countWord(value, name) > 0 || f.words[name] > 1 {
			continue
		}
		if pure(value) {
			if f.alone(i) {
				f.set(i, "pass")
			} else {
				f.remove(i)
			}
		} else {
			f.set(i, value)
		}
		return true
	}
	return false
}

// alone reports whether a line is the only one of its block.
func (f *function) alone(i int) bool {
	in := f.lines[i].indent
	first := i == 0 || f.lines[i-1].indent < in
	last := i == len(f.lines)-1 || f.lines[i+1].indent < in
	return first && last && in > 0
}

// pure reports whether an expression can be left out.
func pure(text string) bool {
	return !strings.ContainsAny(text, "([") || strings.HasPrefix(text, "Box(") || strings.HasPrefix(text, "filled(Box(")
}

func (f *function) inlineTemps() bool {
	for i := 0; i+1 < len(f.lines); i++ {
		l, next := f.lines[i], &f.lines[i+1]
		name, value, ok := assignment(l.text)
		if !ok || next.indent != l.indent || strings.HasPrefix(next.text, "while ") || !temp.MatchString(name) || countWord(next.text, name) != 1 || f.words[name] != 2 {
			continue
		}
		if strings.Contains(value, " ") && !strings.HasSuffix(value, ")") && !strings.HasSuffix(next.text, " "+name) && !strings.HasSuffix(next.text, " "+name+":") {
			value = "(" + value + ")"
		} else if strings.Contains(next.text, "not "+name) || strings.Contains(value, " ") && strings.Contains(next.text, name+" ") {
			value = "(" + value + ")"
		}
		f.set(i+1, replaceWord(next.text, name, value))
		if next.at == "" {
			next.at = l.at
		}
		f.remove(i)
		return true
	}
	return false
}

func replaceWord(text, name, with string) string {
	for i := 0; ; {
		k := strings.Index(text[i:], name)
		if k < 0 {
			return text
		}
		k += i
		end := k + len(name)
		if (k == 0 || !isWord(text[k-1]) && text[k-1] != '.') && (end == len(text) || !isWord(text[end])) && !inString(text, k) {
			return text[:k] + with + text[end:]
		}
		i = end
	}
}

// findParams keeps the parameters that the slice reads.
func (f *function) findParams() {
	f.params = nil
	home := f.key.fn.SelfFunc()
	self := ""
	if home != nil && len(home.Params) > 0 {
		self = home.Params[0].Name
	}
	for _, p := range f.key.fn.Params {
		if p.Name != self && f.words[local(p.Name)] > 0 {
			f.params = append(f.params, p.Name)
		}
	}
	if home != nil && home != f.key.fn {
		return
	}
}

// text returns the Python of a function.
func (f *function) text(b *strings.Builder) {
	b.WriteString("def " + f.name + "(t, self")
	for _, p := range f.params {
		b.WriteString(", " + local(p) + "=UNKNOWN")
	}
	b.WriteString("):  # " + place(f.key.fn.Module, f.key.fn.Node) + "\n")
	last := ""
	for _, l := range f.lines {
		text := strings.Repeat("    ", l.indent+1) + l.text
		b.WriteString(text)
		if l.at != "" && l.at != last && !strings.HasPrefix(l.text, "yield ") {
			b.WriteString("  # " + l.at)
			last = l.at
		}
		b.WriteByte('\n')
	}
	if len(f.lines) == 0 {
		b.WriteString("    pass\n")
	}
	if !f.yields {
		b.WriteString("    if False:\n        yield\n")
	}
	b.WriteString("\n\n")
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
