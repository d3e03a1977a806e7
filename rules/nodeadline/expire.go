package nodeadline

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// expireFixes suggest how a poller that is given a request can fail one that has
// waited for long: with the sweep that others call, with the test that it makes for
// another status, or with a time that is kept beside the status.
func (c *check) expireFixes(p *flow.Entry, in *flow.Value) []rule.Fix {
	read := c.statusRead(p)
	if read == nil {
		return c.collectFix(p)
	}
	x := expiry{c: c, p: p, read: read, at: evidence.StatementIn(read, p.Func), ed: patch.NewEditor(p.Func.Module.AST)}
	x.key = remedy.KeyIn(p.Graph, p.Func, component.RootKey(read))
	if x.at == nil || x.key == "" {
		return nil
	}
	if in != nil {
		return x.widen(in)
	}
	if fix := x.sweep(); fix != nil {
		return fix
	}
	return x.expire()
}

// collectFix lets a hook that returns what is over take what has been registered too long
// ago as well, by the time that is known of that or that the fix adds.
func (c *check) collectFix(p *flow.Entry) []rule.Fix {
	if mentionsName(p.Func, "key") || mentionsName(p.Func, "since") || mentionsName(p.Func, "late_at") {
		return nil
	}
	for i := range p.Graph.Nodes {
		n := &p.Graph.Nodes[i]
		if n.Fn != p.Func || n.Loc == nil || !c.st.IsDrained(n.Loc) || n.Stmt == nil {
			continue
		}
		e := remedy.Ending{Facts: c.st, Func: p.Func, Key: "key", In: n.Loc, Locks: remedy.HeldAt(p.Graph, p.Func, n.Stmt)}
		at, lines, edits := n.Stmt, []string(nil), []patch.Edit(nil)
		if lines = c.collectKnown(e); lines == nil {
			at, lines, edits = c.collectTimed(e, n.Stmt)
		}
		if lines == nil {
			return nil
		}
		ed := patch.NewEditor(p.Func.Module.AST)
		more, err := ed.InsertBefore(at, lines...)
		if err != nil {
			return nil
		}
		edits = append(edits, more...)
		if edits, err = remedy.ImportClock(ed, p.Func.Module, edits); err != nil {
			return nil
		}
		patch.Sort(edits)
		return []rule.Fix{{Description: "give back what has waited for long", Safety: report.SafetyReview, Edits: edits}}
	}
	return nil
}

// collectKnown returns the lines that tell of the requests that have waited for long by the
// time at which they were registered, or nil.
func (c *check) collectKnown(e remedy.Ending) []string {
	told := e.Lines()
	late, from := c.registeredAt(e, e.In)
	if len(told) != 1 || late == "" {
		return nil
	}
	return []string{"for key, since in list(" + from + ".items()):", "\tif " + late + ":", "\t\tdel " + from + "[key]", "\t\t" + told[0]}
}

// collectTimed returns the lines that tell of the requests that have waited for long, the
// statement before which they go, and the edits that make the times known. Where the lock
// of the requests is not held, no other one is held either when it is taken.
func (c *check) collectTimed(e remedy.Ending, drain ast.Stmt) (at ast.Stmt, lines []string, edits []patch.Edit) {
	times := c.timed(e.Func.Module, e.In)
	if times == nil || e.Container(times.of) == "" {
		return nil, nil, nil
	}
	at = drain
	removal := []string{e.Container(times.of) + ".pop(key, None)"}
	removed := e.Locked(times.of, removal)
	if len(removed) != 1 && len(e.Locks) > 0 {
		if at = under(e, drain); at == nil {
			return nil, nil, nil
		}
		e.Locks = nil
		removed = e.Locked(times.of, removal)
	}
	told := e.Lines()
	if removed == nil || told == nil {
		return nil, nil, nil
	}
	from := times.as(e)
	lines = []string{
		"for key, late_at in list(" + from + ".items()):",
		"\tif " + remedy.MonotonicTime + " > late_at and " + from + ".pop(key, None) is not None:",
	}
	for _, l := range append(removed, told...) {
		lines = append(lines, "\t\t"+l)
	}
	return at, lines, times.edits
}

// under returns the with statement of the body of a function that takes all locks that are
// held at a statement, or nil.
func under(e remedy.Ending, st ast.Stmt) ast.Stmt {
	for _, with := range e.Func.Body() {
		if with, ok := with.(*ast.With); ok && ast.Encloses(with, st) && len(with.Items) == len(e.Locks) {
			return with
		}
	}
	return nil
}

// timed adds the times of the requests that a hook registers, and that others tell to be
// over in a drained container and remove.
func (c *check) timed(m *program.Module, drained *flow.Location) *times {
	g := c.st.Comp.Group(drained)
	if g == nil {
		return nil
	}
	for _, l := range g.Locs {
		if times := c.timesOf(l, m, drained); times != nil {
			return times
		}
	}
	return nil
}

// timesOf adds the times of the requests of one container, or returns nil. The time goes
// before a request is told to be over, so that it is not told twice.
func (c *check) timesOf(l *flow.Location, m *program.Module, drained *flow.Location) *times {
	if l == drained || l.Outer != nil || l.Type.Kind != program.Dict {
		return nil
	}
	var begun, removed []*flow.Node
	for _, a := range c.st.Comp.Accesses(l) {
		switch {
		case a.Key == nil || a.Mode&flow.Initial != 0:
		case a.Op == flow.Put && evidence.IsHook(a.Entry):
			begun = append(begun, a.Node)
		case a.Op == flow.Put:
			return nil // by what comes from outside
		case a.Op == flow.Del:
			removed = append(removed, a.Node)
		}
	}
	times := newTimes(l)
	if times == nil || len(begun) == 0 || len(removed) == 0 {
		return nil
	}
	for _, n := range begun {
		if n.Mod != m || !times.begin(n) {
			return nil
		}
	}
	told := map[*program.Func]bool{}
	for _, a := range c.st.Comp.Accesses(drained) {
		if a.Op == flow.Put && a.Key != nil && slices.ContainsFunc(removed, func(n *flow.Node) bool { return n.Fn == a.Fn }) {
			told[a.Fn] = true
			if !times.end(a.Node, false) {
				return nil
			}
		}
	}
	for _, n := range removed {
		if !told[n.Fn] && !times.end(n, true) {
			return nil
		}
	}
	if len(told) == 0 || !times.declare(m) {
		return nil
	}
	return times
}

// registeredAt returns a container of the key group of another one that keeps the time
// at which hooks have registered a request, and the condition under which that is too
// long ago.
func (c *check) registeredAt(e remedy.Ending, drained *flow.Location) (late, from string) {
	g := c.st.Comp.Group(drained)
	if g == nil {
		return "", ""
	}
	for _, l := range g.Locs {
		for _, a := range c.st.Comp.Accesses(l) {
			as, ok := a.Stmt.(*ast.Assign)
			if !ok || a.Op != flow.Put || l.Outer != nil || !evidence.IsHook(a.Entry) || !callsClock(as.Value) {
				continue
			}
			if sum, ok := as.Value.(*ast.BinOp); ok && sum.Op == ast.Add {
				return remedy.MonotonicTime + " > since", e.Container(l)
			}
			return remedy.MonotonicTime + " - since > " + requestLimit, e.Container(l)
		}
	}
	return "", ""
}

// statusRead returns the first look at the status by a poller, or nil.
func (c *check) statusRead(p *flow.Entry) *flow.Node {
	for i := range p.Graph.Nodes {
		n := &p.Graph.Nodes[i]
		if n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Loc.Outer == nil && n.Loc.Type.Kind == program.Dict {
			return n
		}
	}
	return nil
}

// expiry builds the fixes for one poller.
type expiry struct {
	c    *check
	p    *flow.Entry
	read *flow.Node // of the status
	at   ast.Stmt   // of the poller, which leads to it
	key  string
	ed   *patch.Editor
}

func (x expiry) ending() remedy.Ending {
	return remedy.Ending{
		Facts: x.c.st, Func: x.p.Func, Key: x.key, In: x.read.Loc,
		Locks: remedy.HeldAt(x.p.Graph, x.p.Func, x.at),
	}
}

// sweep calls the method of the class that fails what is late, which others call when
// something comes.
func (x expiry) sweep() []rule.Fix {
	k := x.p.Func.Class
	if k == nil || len(x.p.Func.Params) == 0 {
		return nil
	}
	for _, f := range k.MethodList() {
		if f == x.p.Func || len(f.Params) != 1 || f.Async || !readsClock(f) || !stores(f, x.read.Loc.Name) || x.ending().Blocks(f) {
			continue
		}
		edits, err := x.ed.InsertBefore(x.at, x.p.Func.Params[0].Name+"."+f.Name+"()")
		if err != nil {
			return nil
		}
		return []rule.Fix{{Description: "look for what is late here as well", Safety: report.SafetyReview, Edits: edits}}
	}
	return nil
}

// stores reports whether a method stores entries of a container of its object.
func stores(f *program.Func, name string) bool {
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		if !ok {
			return !found
		}
		for _, t := range as.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				if at, ok := sub.Value.(*ast.Attribute); ok && at.Attr() == name {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// widen lets the test that the poller makes for another status before it looks at the
// clock accept a status as well.
func (x expiry) widen(in *flow.Value) []rule.Fix {
	name := remedy.Spelled(x.p.Func.Module, in)
	if name == "" {
		return nil
	}
	others := map[string]bool{}
	for _, v := range x.c.st.Values {
		if !v.Terminal && v.Const != in {
			others[remedy.Spelled(x.p.Func.Module, v.Const)] = true
		}
	}
	var fix []rule.Fix
	ast.Inspect(x.p.Func.Node, func(n ast.Node) bool {
		cond, ok := n.(*ast.If)
		if !ok || fix != nil {
			return fix == nil
		}
		ast.Inspect(cond.Test, func(n ast.Node) bool {
			cmp, ok := n.(*ast.Compare)
			if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Eq && cmp.Ops[0] != ast.Is {
				return true
			}
			text := func(e ast.Expr) string { return string(x.p.Func.Module.AST.Text(e)) }
			if have := text(cmp.Comparators[0]); others[have] && have != name {
				edit := x.ed.ReplaceExpr(cmp, text(cmp.Left)+" in ("+have+", "+name+")")
				fix = []rule.Fix{{Description: "look at the clock in this state as well", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
			}
			return fix == nil
		})
		return fix == nil
	})
	return fix
}

// expire fails a pending request that is late, by a time that the program keeps for it
// or that the fix adds.
func (x expiry) expire() []rule.Fix {
	e := x.ending()
	container, failed, pending := e.Container(x.read.Loc), e.Failure(), e.Pending()
	if container == "" || failed == "" || pending == "" {
		return nil
	}
	if unknown := x.unknown(); unknown != "" {
		pending = "== " + unknown // any other may be the last one that whoever polls waits for
	}
	late := x.lateByStamp(e)
	var edits []patch.Edit
	if late == "" {
		if late, edits = x.addStamp(e); late == "" {
			return nil
		}
	}
	lines := e.Locked(x.read.Loc, []string{
		"if " + container + ".get(" + strings.TrimSuffix(x.key+", "+x.unknown(), ", ") + ") " + pending + " and " + late + ":",
		"\t" + container + "[" + x.key + "] = " + failed,
	})
	more, err := x.ed.InsertBefore(x.at, lines...)
	if err != nil || lines == nil {
		return nil
	}
	edits = append(edits, more...)
	if edits, err = remedy.ImportClock(x.ed, x.p.Func.Module, edits); err != nil {
		return nil
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "fail what has waited for long", Safety: report.SafetyReview, Edits: edits}}
}

// lateByStamp returns the condition under which a request is late by a time that is
// stored where its status is; "" when there is none.
func (x expiry) lateByStamp(e remedy.Ending) string {
	for _, first := range x.beginnings() {
		for i := range first.Entry.Graph.Nodes {
			n := &first.Entry.Graph.Nodes[i]
			if n.Op != flow.Put || n.Loc == x.read.Loc || n.Loc.Outer != nil || !n.Key.Same(first.Key) {
				continue
			}
			as, ok := n.Stmt.(*ast.Assign)
			stamp := e.Container(n.Loc)
			if !ok || stamp == "" || !callsClock(as.Value) {
				continue
			}
			got := stamp + ".get(" + x.key + ", float(\"inf\"))"
			if sum, ok := as.Value.(*ast.BinOp); ok && sum.Op == ast.Add {
				return remedy.MonotonicTime + " > " + got
			}
			return remedy.MonotonicTime + " - " + got + " > " + requestLimit
		}
	}
	return ""
}

// callsClock reports whether an expression asks for the monotonic time.
func callsClock(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && call.Callee() == "monotonic" {
			found = true
		}
		return !found
	})
	return found
}

// beginnings returns the steps that store the first status of a request.
func (x expiry) beginnings() []component.Access {
	var out []component.Access
	for _, a := range x.c.st.Comp.Accesses(x.read.Loc) {
		if a.Op == flow.Put && a.Key != nil && evidence.Registers(x.c.st, a) {
			out = append(out, a)
		}
	}
	return out
}

// addStamp adds a container with the time at which each request is late: where its
// status is stored first, and where that is removed. It returns the condition under
// which a request is late.
func (x expiry) addStamp(e remedy.Ending) (late string, edits []patch.Edit) {
	l := x.read.Loc
	times := newTimes(l)
	if times == nil {
		return "", nil
	}
	begun, ends := x.beginnings(), x.removals(l)
	unseen := len(begun) == 0 && x.unknown() != "" // what begins has no status
	if unseen {
		begun = x.registered()
	}
	for _, a := range begun {
		if a.Mod != x.p.Func.Module || !times.begin(a.Node) {
			return "", nil
		}
	}
	for _, a := range ends {
		if !times.end(a.Node, true) {
			return "", nil
		}
	}
	if len(begun) == 0 && (!unseen || len(ends) > 0) || !times.declare(x.p.Func.Module) {
		return "", nil
	}
	kept, now := times.as(e), remedy.MonotonicTime
	switch {
	case !unseen:
		late = now + " > " + kept + ".get(" + x.key + ", float(\"inf\"))"
	case len(begun) > 0:
		late = x.key + " in " + kept + " and " + now + " > " + kept + "[" + x.key + "]"
	default: // from the first poll on
		late = now + " > " + kept + ".setdefault(" + x.key + ", " + now + " + " + requestLimit + ")"
	}
	return late, times.edits
}

// unknown returns the status that goes on for which the poller takes a request without
// any; "" when there is none.
func (x expiry) unknown() string {
	if x.read.Def == nil || x.read.Def.IsNone() || x.c.st.Terminal(x.read.Def) || !x.c.st.IsStatus(x.read.Def) {
		return ""
	}
	return remedy.Spelled(x.p.Func.Module, x.read.Def)
}

// removals returns the steps that remove the entry of a request.
func (x expiry) removals(l *flow.Location) []component.Access {
	var out []component.Access
	for _, a := range x.c.st.Comp.Accesses(l) {
		if a.Op == flow.Del && a.Key != nil {
			out = append(out, a)
		}
	}
	return out
}

// registered returns the steps by which hooks make a request known that has no status yet:
// in a container that is keyed by requests as well.
func (x expiry) registered() []component.Access {
	g := x.c.st.Comp.Group(x.read.Loc)
	if g == nil {
		return nil
	}
	for _, l := range g.Locs {
		if l.Outer != nil || l == x.read.Loc {
			continue
		}
		var out []component.Access
		for _, a := range x.c.st.Comp.Accesses(l) {
			if a.Op == flow.Put && a.Key != nil && a.Entry != x.p && evidence.IsHook(a.Entry) && evidence.Registers(x.c.st, a) {
				out = append(out, a)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// times is a container that a fix adds: the times at which the requests of another one
// are late.
type times struct {
	of    *flow.Location
	name  string
	edits []patch.Edit
	seen  map[ast.Stmt]bool // the statements that have been completed
}

// newTimes returns the times of the requests of a container, or nil where its class cannot
// have them.
func newTimes(of *flow.Location) *times {
	name := remedy.FreshAttr(of.Owner, "deadlines", "give_up_at", "fails_at")
	if name == "" || remedy.Declaration(of) == nil {
		return nil
	}
	return &times{of: of, name: name, seen: map[ast.Stmt]bool{}}
}

// as returns the container as a place writes it that can reach the one it is for.
func (t *times) as(e remedy.Ending) string {
	return strings.TrimSuffix(e.Container(t.of), t.of.Name) + t.name
}

// begin stores the time before a step that registers a request.
func (t *times) begin(n *flow.Node) bool {
	return t.add(n, "["+evidence.KeyArg(n)+"] = "+remedy.MonotonicTime+" + "+requestLimit, false)
}

// end removes the time before or after a step that ends a request.
func (t *times) end(n *flow.Node, after bool) bool {
	return t.add(n, ".pop("+evidence.KeyArg(n)+", None)", after)
}

func (t *times) add(n *flow.Node, what string, after bool) bool {
	if t.seen[n.Stmt] {
		return true
	}
	t.seen[n.Stmt] = true
	own := remedy.ObjectText(n)
	return own != "" && t.insert(n.Mod, n.Stmt, own+"."+t.name+what, after)
}

// declare creates the container where the other one is created. The module is that of the
// fix, for a location that does not tell its own.
func (t *times) declare(m *program.Module) bool {
	if t.of.DeclMod != nil {
		m = t.of.DeclMod
	}
	return t.insert(m, remedy.Declaration(t.of), remedy.SelfOf(t.of)+"."+t.name+" = {}", true)
}

func (t *times) insert(m *program.Module, st ast.Stmt, line string, after bool) bool {
	insert := patch.NewEditor(m.AST).InsertBefore
	if after {
		insert = patch.NewEditor(m.AST).InsertAfter
	}
	more, err := insert(st, line)
	t.edits = append(t.edits, more...)
	return err == nil
}
