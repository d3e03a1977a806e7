package remedy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// Share returns the edits that put steps on one location under one lock, which no rule
// knows to be theirs yet: one that the class has and that nothing else holds, or a new
// one. In each function the lock is held from its first to its last use of the
// location, where nothing slow comes between, and else for each of the steps. It returns
// nil when there is no such place, and the name of the lock.
func Share(c *component.Component, steps []component.Access) (edits []patch.Edit, name string) {
	edits, name = ownLock(c, steps[0].Loc, "Lock")
	if name == "" {
		return nil, ""
	}
	return holdFor(edits, name, steps, map[ast.Stmt]bool{})
}

// ShareAround is [Share] where the lock is also held for statements of a function that do
// more: those that a walk over the container is part of. They may call what is not known,
// which may come back to the container, so that the lock is one that a thread can take
// again; they may not wait for anything.
func ShareAround(walk component.Access, object string, stmts []ast.Stmt, c *component.Component, steps []component.Access) (edits []patch.Edit, name string) {
	g, fn := walk.Entry.Graph, walk.Fn
	if fn.Async || suspends(stmts) || waits(g, fn, stmts) {
		return nil, ""
	}
	kind, done := "Lock", map[ast.Stmt]bool{}
	if busy(g, fn, stmts) {
		kind = "RLock"
	}
	for _, a := range steps {
		switch {
		case a.Fn == nil || a.Stmt == nil:
		case a.Fn == fn && ast.Covers(stmts, a.Stmt):
			done[a.Stmt] = true
		case a.Fn == fn && overlaps(span(a), stmts):
			return nil, ""
		default:
			if st := evidence.StatementIn(a.Node, fn); st != nil && ast.Covers(stmts, st) {
				kind = "RLock" // a function that is called in these statements and elsewhere
			}
		}
	}
	if edits, name = ownLock(c, walk.Loc, kind); name == "" {
		return nil, ""
	}
	held, err := patch.NewEditor(fn.Module.AST).WrapWith(object+"."+name, stmts...)
	if err != nil {
		return nil, ""
	}
	return holdFor(append(edits, held...), name, steps, done)
}

// overlaps reports whether two runs of statements of a function share one.
func overlaps(a, b []ast.Stmt) bool {
	return len(a) > 0 && a[0].Pos() < b[len(b)-1].End() && b[0].Pos() < a[len(a)-1].End()
}

// holdFor adds the edits that hold a lock for steps, those in some statements apart.
func holdFor(edits []patch.Edit, name string, steps []component.Access, done map[ast.Stmt]bool) ([]patch.Edit, string) {
	for _, a := range steps {
		if a.Fn != nil && a.Fn.Async {
			return nil, "" // the loop would wait for the lock
		}
		if a.Stmt == nil || a.Fn == nil || done[a.Stmt] {
			continue
		}
		done[a.Stmt] = true
		object := ObjectText(a.Node)
		if object == "" {
			return nil, ""
		}
		stmts := span(a)
		if stmts == nil {
			return nil, ""
		}
		more, err := patch.NewEditor(a.Mod.AST).WrapWith(object+"."+name, stmts...)
		if err != nil {
			return nil, ""
		}
		for _, e := range more {
			if !slices.Contains(edits, e) {
				edits = append(edits, e)
			}
		}
		for _, other := range steps { // under the same with
			if other.Fn == a.Fn && other.Stmt != nil && ast.Covers(stmts, other.Stmt) {
				done[other.Stmt] = true
			}
		}
	}
	patch.Sort(edits)
	return edits, name
}

// ownLock returns a lock for a location that nothing holds yet, with the edits that make
// it if there is none, or "". Kind is the class of the lock: where that is RLock, a thread
// may take it again.
func ownLock(c *component.Component, l *flow.Location, kind string) (edits []patch.Edit, name string) {
	if l.Outer != nil || l.Owner == nil || l.DeclMod == nil {
		return nil, ""
	}
	decl := Declaration(l)
	if decl == nil {
		return nil, ""
	}
	if name = idleLock(c, l, kind); name != "" {
		return nil, name
	}
	if name = freshLock(l); name == "" {
		return nil, ""
	}
	ed := patch.NewEditor(l.DeclMod.AST)
	made, err := ed.InsertAfter(decl, SelfOf(l)+"."+name+" = threading."+kind+"()")
	if err != nil {
		return nil, ""
	}
	if slots := ownSlots(l.Owner); slots != nil {
		edit, ok := addSlot(ed, l.DeclMod, slots, name)
		if !ok {
			return nil, ""
		}
		made = append(made, edit)
	}
	imported, err := Import(ed, l.DeclMod, "threading")
	if err != nil {
		return nil, ""
	}
	return append(made, imported...), name
}

// Guard returns the edits that put all a function does with a location, from a check to
// the last read that rests on it, under a lock of its own, and the name of that. Nothing
// else may touch the location. What is stored there may be made under the lock; what is
// done with the entry that is read in the end comes after it. It returns nil for other
// forms.
func Guard(c *component.Component, check, read component.Access) (edits []patch.Edit, name string) {
	sub, ok := read.Src.(*ast.Subscript)
	object := ObjectText(read.Node)
	if !ok || object == "" || read.Fn != check.Fn || read.Fn.Async || sub.Ctx != ast.Load {
		return nil, ""
	}
	stmts := Block(check.Fn.Body(), check.Src, sub)
	entry := entryName(check.Fn)
	if len(stmts) < 2 || entry == "" || suspends(stmts) || !evaluated(stmts[len(stmts)-1], sub, nil) {
		return nil, ""
	}
	for _, a := range c.Accesses(read.Loc) {
		if a.Mode&flow.Initial == 0 && (a.Fn != check.Fn || a.Src == nil || !ast.Covers(stmts, a.Src)) {
			return nil, ""
		}
	}
	before, last := stmts[:len(stmts)-1], stmts[len(stmts)-1]
	if waits(check.Entry.Graph, check.Fn, before) || !onlyMakes(check, before) {
		return nil, ""
	}
	if edits, name = ownLock(c, read.Loc, "Lock"); name == "" {
		return nil, ""
	}
	ed := patch.NewEditor(read.Mod.AST)
	held, err := ed.WrapWith(object+"."+name, before...)
	if err != nil {
		return nil, ""
	}
	kept, err := ed.InsertBefore(last, "\t"+entry+" = "+rule.Text(read.Node, sub))
	if err != nil {
		return nil, ""
	}
	edits = append(edits, held...)
	edits = append(edits, kept...)
	edits = append(edits, ed.ReplaceExpr(sub, entry))
	patch.Sort(edits)
	return edits, name
}

// onlyMakes reports whether what statements call makes no more than what they store in the
// location of an access.
func onlyMakes(a component.Access, stmts []ast.Stmt) bool {
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if n.Op != flow.Call || n.Target == nil && builtin[n.Name] {
			continue
		}
		st := evidence.StatementIn(n, a.Fn)
		if st == nil || !ast.Covers(stmts, st) {
			continue
		}
		put, ok := st.(*ast.Assign)
		if !ok || len(put.Targets) != 1 {
			return false
		}
		item, ok := put.Targets[0].(*ast.Subscript)
		if !ok || rule.Text(n, item.Value) != rule.Text(a.Node, ContainerOf(a.Src)) {
			return false
		}
	}
	return true
}

// span returns the statements of a function from its first to its last use of the
// location of a step, or that of the step alone when something slow is among them.
func span(a component.Access) []ast.Stmt {
	first, last := ast.Node(a.Stmt), ast.Node(a.Stmt)
	for i := range a.Entry.Graph.Nodes {
		x := &a.Entry.Graph.Nodes[i]
		if x.Fn != a.Fn || x.Src == nil || x.Loc != a.Loc {
			continue
		}
		if x.Src.Pos() < first.Pos() {
			first = x.Src
		}
		if x.Src.End() > last.End() {
			last = x.Src
		}
	}
	for _, ends := range [][2]ast.Node{{first, last}, {a.Stmt, a.Stmt}} {
		stmts := Block(a.Fn.Body(), ends[0], ends[1])
		if stmts == nil || suspends(stmts) {
			continue
		}
		// What the step computes of values at hand is part of it.
		alone := len(stmts) == 1 && stmts[0] == a.Stmt && !waits(a.Entry.Graph, a.Fn, stmts) && !asksParts(a.Fn, a.Stmt)
		if alone || !busy(a.Entry.Graph, a.Fn, stmts) {
			return stmts
		}
	}
	return nil
}

// asksParts reports whether a statement calls a method of what the object keeps, as
// self.link.recv(): that may wait.
func asksParts(f *program.Func, st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok || found {
			return !found
		}
		for at, method := call.Func.(*ast.Attribute); method && !found; at, method = at.Value.(*ast.Attribute) {
			found = f.SelfAttr(at.Value) != ""
		}
		return !found
	})
	return found
}

// ObjectText returns the object that keeps the location of a step, as the source writes
// it, or "".
func ObjectText(n *flow.Node) string {
	if at, ok := ContainerOf(n.Src).(*ast.Attribute); ok {
		return rule.Text(n, at.Value)
	}
	return ""
}

// idleLock returns a lock that the class of a location makes and that nothing in the
// component holds, or "". One that a thread may take again serves as any other.
func idleLock(c *component.Component, l *flow.Location, kind string) string {
	f := l.Owner.Methods["__init__"]
	if f == nil {
		return ""
	}
	for _, st := range f.Body() {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		at, ok := as.Targets[0].(*ast.Attribute)
		call, made := as.Value.(*ast.Call)
		if !ok || !made || len(call.Args()) > 0 || !isLock(call.Func, kind) || held(c, at.Attr()) {
			continue
		}
		return at.Attr()
	}
	return ""
}

func isLock(x ast.Expr, kind string) bool {
	at, ok := x.(*ast.Attribute)
	if !ok {
		return false
	}
	mod, ok := at.Value.(*ast.Name)
	return ok && mod.Id() == "threading" && (at.Attr() == kind || at.Attr() == "RLock")
}

// held reports whether the component acquires a lock of that name.
func held(c *component.Component, name string) bool {
	for _, e := range c.Entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.Acquire && (n.Lock == nil || n.Lock.Loc == nil || n.Lock.Loc.Name == name) {
				return true
			}
		}
	}
	return false
}

// freshLock returns a name for the lock of a location that its class does not have, or "".
func freshLock(l *flow.Location) string {
	return freshAttr(l.Owner, l.Name+"_lock", l.Name+"_guard")
}

// ownSlots returns the statement of a class by which it names its attributes, or nil.
func ownSlots(c *program.Class) *ast.Assign {
	for _, st := range c.Node.Body {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		if name, ok := as.Targets[0].(*ast.Name); ok && name.Id() == "__slots__" {
			return as
		}
	}
	return nil
}

// addSlot returns the edit that adds a name to those of a class, which has to list them.
func addSlot(ed *patch.Editor, m *program.Module, slots *ast.Assign, name string) (patch.Edit, bool) {
	var names []ast.Expr
	switch x := slots.Value.(type) {
	case *ast.Tuple:
		names = x.Elts
	case *ast.List:
		names = x.Elts
	}
	if len(names) == 0 {
		return patch.Edit{}, false
	}
	last, ok := names[len(names)-1].(*ast.Constant)
	if !ok || last.Kind() != ast.Str {
		return patch.Edit{}, false
	}
	text := string(m.AST.Text(last))
	mark := text[len(text)-1:]
	return ed.ReplaceExpr(last, text+", "+mark+name+mark), true
}

// FreshAttr returns the first of some names that an attribute can be given in objects of
// a class, which has nothing of that name yet, or "".
func FreshAttr(c *program.Class, names ...string) string {
	if c == nil || c.AttrOwner("__slots__") != nil { // objects have room for what these name
		return ""
	}
	return freshAttr(c, names...)
}

// freshAttr is FreshAttr for a class that may name its attributes.
func freshAttr(c *program.Class, names ...string) string {
	for _, name := range names {
		if c.AttrOwner(name) == nil && c.Method(name) == nil {
			return name
		}
	}
	return ""
}

// Import returns the edit that imports a module in its place among the imports of another
// one, if that does not import it already. It is an error if the name means something
// else there.
func Import(ed *patch.Editor, m *program.Module, name string) ([]patch.Edit, error) {
	if !stands(m, name, program.Import{Module: name}) {
		return nil, fmt.Errorf("%s is something else there", name)
	}
	var first, before, last ast.Stmt
	grouped := true // in the first group of imports: others come from elsewhere
	for _, st := range m.AST.Body {
		if last != nil && before != nil && parted(m, last, st) {
			grouped = false
		}
		last = st
		switch st := st.(type) {
		case *ast.Import:
			for _, a := range st.Names {
				if a.Name == name && a.AsName == "" {
					return nil, nil
				}
			}
			if first == nil {
				first = st
			}
			if grouped && len(st.Names) == 1 && st.Names[0].Name < name {
				before = st
			}
		case *ast.ImportFrom:
			if first == nil && st.Module != "__future__" {
				first = st
			}
		}
	}
	switch {
	case before != nil:
		return ed.InsertAfter(before, "import "+name)
	case first != nil:
		return ed.InsertBefore(first, "import "+name)
	}
	return nil, errors.New("there is no import")
}

// parted reports whether an empty line stands between two statements.
func parted(m *program.Module, a, b ast.Stmt) bool {
	between := string(m.AST.Source[a.End():b.Pos()])
	return strings.Contains(between, "\n\n") || strings.Contains(between, "\n\r\n")
}

// stands reports whether a name of a module is free, or what is imported.
func stands(m *program.Module, name string, imported program.Import) bool {
	b := m.Scope.Own(name)
	return b == nil || b.Import != nil && *b.Import == imported && b.Class == nil && b.Func == nil && len(b.Defs) == 0
}

// Hidden reports whether a name of the module means something else within a function:
// a parameter or variable of it, or of one around it.
func Hidden(f *program.Func, name string) bool {
	b, home := f.Scope.Lookup(name)
	return b != nil && home.Func != nil
}

// MonotonicTime is what fixes call to ask for the time.
const MonotonicTime = "time.monotonic()"

// ImportClock imports what edits of a module need that call [MonotonicTime], and returns
// them with the import. Where time is something else, as after "from time import time",
// they call the function by itself.
func ImportClock(ed *patch.Editor, m *program.Module, edits []patch.Edit) ([]patch.Edit, error) {
	more, err := Import(ed, m, "time")
	if err == nil {
		return append(edits, more...), nil
	}
	if !stands(m, "monotonic", program.Import{Module: "time", Name: "monotonic"}) {
		return nil, err
	}
	for i := range edits {
		edits[i].New = strings.ReplaceAll(edits[i].New, MonotonicTime, strings.TrimPrefix(MonotonicTime, "time."))
	}
	if m.Scope.Own("monotonic") != nil {
		return edits, nil
	}
	for _, st := range m.AST.Body {
		if from, ok := st.(*ast.ImportFrom); ok && from.Module == "time" {
			more, err := ed.InsertBefore(st, "from time import monotonic")
			return append(edits, more...), err
		}
	}
	return nil, err
}
