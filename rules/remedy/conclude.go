package remedy

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/rule"
)

// An Ending is a place where a request is to be concluded.
type Ending struct {
	Facts *status.Facts
	Func  *program.Func // the function of the place
	Key   string        // the request, as the function writes it
	Locks []*flow.Value // held there
	// In is the container to tell; nil for the first status map or, without
	// one, the first container that a hook drains.
	In *flow.Location
}

// Lines returns the lines that say that the request has failed, in words of the
// program: the call of a method that stores a status, or the store itself where
// the request is still pending, under the lock that others hold for it. It returns
// nil when the place cannot reach the container, or has no word for a failure.
func (e Ending) Lines() []string {
	l := e.carrier()
	if l == nil || e.Key == "" {
		return nil
	}
	object, ok := e.object(l)
	if !ok {
		return nil
	}
	if e.Facts.IsDrained(l) {
		return e.Locked(l, []string{object + l.Name + "." + adder(l) + "(" + e.Key + ")"})
	}
	failed := e.Failure()
	if failed == "" {
		return nil
	}
	if m := e.setter(l, object); m != "" {
		return []string{object + m + "(" + e.Key + ", " + failed + ")"}
	}
	pending := e.Pending()
	if pending == "" {
		return nil
	}
	return e.Locked(l, []string{
		"if " + object + l.Name + ".get(" + e.Key + ") " + pending + ":",
		"\t" + object + l.Name + "[" + e.Key + "] = " + failed,
	})
}

// Container returns a container as the place writes it, or "".
func (e Ending) Container(l *flow.Location) string {
	object, ok := e.object(l)
	if !ok {
		return ""
	}
	return object + l.Name
}

// carrier returns the container to tell.
func (e Ending) carrier() *flow.Location {
	switch st := e.Facts; {
	case e.In != nil:
		return e.In
	case len(st.Maps) > 0:
		return st.Maps[0]
	case len(st.Drained) > 0:
		return st.Drained[0]
	}
	return nil
}

// adder returns the method that puts an element into a container.
func adder(l *flow.Location) string {
	if l.Type.Kind == program.Set {
		return "add"
	}
	return "append"
}

// object returns what stands before the name of a location at the place: "self.",
// the way from a handle to its manager, or nothing for a module variable.
func (e Ending) object(l *flow.Location) (string, bool) {
	if l.Outer != nil {
		return "", false
	}
	if l.Owner == nil {
		return "", l.Mod == e.Func.Module
	}
	home := e.Func.SelfFunc()
	if home == nil || home.Class == nil || len(home.Params) == 0 {
		return "", false
	}
	self := home.Params[0].Name
	if k := home.Class; k.IsSubclass(l.Owner) || l.Owner.IsSubclass(k) {
		return self + ".", true
	}
	for _, a := range e.Facts.Comp.Accesses(l) {
		if text := wayTo(a.Node, home.Class, self); text != "" {
			return text + ".", true
		}
	}
	return "", false
}

// wayTo returns how methods of a class, or of one it is derived from, write the
// object whose container a step touches, if that is a path from the instance.
func wayTo(n *flow.Node, k *program.Class, self string) string {
	at := ast.Node(ContainerOf(n.Src))
	for fn, mod, fr := n.Fn, n.Mod, n.Frame; fn != nil; {
		if x, ok := at.(*ast.Attribute); ok && fn.Class != nil && k.IsSubclass(fn.Class) && fromSelf(x.Value, fn) {
			text := strings.Join(strings.Fields(string(mod.AST.Text(x.Value))), " ")
			if text != fn.Params[0].Name {
				return self + strings.TrimPrefix(text, fn.Params[0].Name)
			}
		}
		call, ok := frameCall(fr)
		if !ok || fr.Caller == nil {
			return ""
		}
		at, fn, mod, fr = call.Func, fr.Caller.Fn, fr.Mod, fr.Caller
	}
	return ""
}

func frameCall(fr *flow.Frame) (*ast.Call, bool) {
	if fr == nil {
		return nil, false
	}
	call, ok := fr.Call.(*ast.Call)
	return call, ok
}

// fromSelf reports whether an expression is the instance or a path of attributes
// from it.
func fromSelf(x ast.Expr, f *program.Func) bool {
	for {
		switch n := x.(type) {
		case *ast.Attribute:
			x = n.Value
		case *ast.Name:
			return f.SelfFunc() == f && len(f.Params) > 0 && n.Id() == f.Params[0].Name
		default:
			return false
		}
	}
}

// spelled returns a constant as the module of the place writes it.
func (e Ending) spelled(v *flow.Value) string { return Spelled(e.Func.Module, v) }

// Failure returns a status that tells of a failure, as the module of the place
// writes it; "" when it has no word for one. What an exception handler stores is
// one, what is called so, and what is answered for a request that is not known.
func (e Ending) Failure() string {
	best, text := 0, ""
	for _, v := range e.Facts.Values {
		if !v.Terminal || !e.Facts.Failure(v.ID) {
			continue
		}
		name := e.spelled(v.Const)
		if name == "" {
			continue
		}
		weight := 0
		if slices.Contains(v.Hints, status.OnFailure) {
			weight += 2
		}
		if status.FailureWord(name) {
			weight += 2
		}
		if e.answeredForUnknown(v) {
			weight++
		}
		if weight > best {
			best, text = weight, name
		}
	}
	return text
}

// answeredForUnknown reports whether a status is the default of a look-up.
func (e Ending) answeredForUnknown(v *status.Value) bool {
	for _, l := range e.Facts.Maps {
		for _, a := range e.Facts.Comp.Accesses(l) {
			if a.Op == flow.Read && a.Def != nil && a.Def.ID() == v.ID {
				return true
			}
		}
	}
	return false
}

// Pending returns the right side of the comparison that tells a request which is
// not over: with the one status of such requests, or against all others.
func (e Ending) Pending() string {
	var live, over []string
	for _, v := range e.Facts.Values {
		text := e.spelled(v.Const)
		switch {
		case v.Const.IsNone():
		case text == "":
			return ""
		case v.Terminal:
			over = append(over, text)
		default:
			live = append(live, text)
		}
	}
	if len(live) == 1 {
		return "== " + live[0]
	}
	return "not in (" + strings.Join(append([]string{"None"}, over...), ", ") + ")"
}

// setter returns a method that stores a status of a request in a location, which
// the place can call under the locks that it holds; "" when there is none.
func (e Ending) setter(l *flow.Location, object string) string {
	if l.Owner == nil {
		return "" // a variable of a module
	}
	own := strings.Count(object, ".") == 1
	seen := map[string]bool{}
	for _, k := range append([]*program.Class{e.Facts.Comp.Class}, l.Owner.MRO...) {
		for _, home := range k.MRO {
			for _, f := range home.MethodList() {
				if seen[f.Name] || k.Method(f.Name) != f || f == e.Func || !own && !f.Public() || !k.IsSubclass(l.Owner) {
					continue
				}
				seen[f.Name] = true
				if f.Kind == program.PlainFunc && !f.Async && storesArgument(k, f, l.Name) && !e.Blocks(f) {
					return f.Name
				}
			}
		}
	}
	return ""
}

// storesArgument reports whether a method of a class takes a key and a status and
// stores one under the other, be it in the method of a base class that it extends.
func storesArgument(k *program.Class, f *program.Func, name string) bool {
	if len(f.Params) != 3 || f.Params[1].Variadic != program.Single || f.Params[2].Variadic != program.Single {
		return false
	}
	stores := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && extends(call, f) {
			up := k.MethodAfter(f.Class, f.Name)
			stores = stores || up != nil && storesArgument(k, up, name)
		}
		as, ok := n.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			return true
		}
		sub, ok := as.Targets[0].(*ast.Subscript)
		if !ok {
			return true
		}
		at, ok := sub.Value.(*ast.Attribute)
		if ok && at.Attr() == name && f.IsParam(at.Value, 0) && f.IsParam(sub.Slice, 1) {
			ast.Inspect(as.Value, func(v ast.Node) bool {
				if x, ok := v.(ast.Expr); ok && f.IsParam(x, 2) {
					stores = true
				}
				return true
			})
		}
		return true
	})
	return stores
}

// extends reports whether a call hands the arguments of a method to that of the base
// class.
func extends(call *ast.Call, f *program.Func) bool {
	at, ok := call.Func.(*ast.Attribute)
	return ok && at.Attr() == f.Name && program.IsSuper(at.Value) && len(call.Args()) == 2 && f.IsParam(call.Args()[0], 1) && f.IsParam(call.Args()[1], 2)
}

// Blocks reports whether a method takes a lock that is held at the place and that
// one thread cannot take twice.
func (e Ending) Blocks(f *program.Func) bool {
	for _, held := range e.Locks {
		if held.Loc == nil || strings.HasSuffix(held.Type.Name, "RLock") || held.Type.Kind == program.Condition {
			continue
		}
		found := false
		ast.Inspect(f.Node, func(n ast.Node) bool {
			if at, ok := n.(*ast.Attribute); ok && at.Attr() == held.Loc.Name {
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// Locked puts lines under the lock that the stores into a location hold, unless
// the place holds it.
func (e Ending) Locked(l *flow.Location, lines []string) []string {
	lock := lockOf(e.Facts, l)
	if lock == nil {
		return lines
	}
	object, ok := e.object(l)
	if !ok {
		return nil
	}
	for _, held := range e.Locks {
		if held.Loc == lock {
			return lines
		}
	}
	if e.inverts(lock) {
		return nil
	}
	head := "with "
	if lock.Type.Kind == program.AsyncLock {
		if !e.Func.Async {
			return nil
		}
		head = "async with "
	}
	out := []string{head + object + lock.Name + ":"}
	for _, line := range lines {
		out = append(out, "\t"+line)
	}
	return out
}

// inverts reports whether something takes a lock that the place holds while it holds
// another one: for the place to take that one could block both for ever.
func (e Ending) inverts(lock *flow.Location) bool {
	is := func(l *flow.Location) func(*flow.Value) bool { return func(v *flow.Value) bool { return v.Loc == l } }
	for _, in := range e.Facts.Comp.Entries {
		for i := range in.Graph.Nodes {
			n := &in.Graph.Nodes[i]
			if n.Op == flow.Acquire && n.Lock.Loc != nil && slices.ContainsFunc(e.Locks, is(n.Lock.Loc)) && slices.ContainsFunc(n.Locks, is(lock)) {
				return true
			}
		}
	}
	return false
}

// lockOf returns the lock of the same object under which a location is written, or
// nil; the one that most accesses hold if there are several.
func lockOf(st *status.Facts, l *flow.Location) *flow.Location {
	of := func(k *flow.Location) bool {
		return k != nil && k.Outer == nil && (k.Owner == l.Owner || k.Owner != nil && l.Owner != nil && (l.Owner.IsSubclass(k.Owner) || k.Owner.IsSubclass(l.Owner)))
	}
	var locks []*flow.Location // held by some write
	held := map[*flow.Location]int{}
	for _, a := range st.Comp.Accesses(l) {
		if a.Mode&flow.Initial != 0 {
			continue
		}
		for _, lock := range a.Locks {
			if !of(lock.Loc) {
				continue
			}
			held[lock.Loc]++
			if (a.Op == flow.Put || a.Op == flow.Rebind) && !slices.Contains(locks, lock.Loc) {
				locks = append(locks, lock.Loc)
			}
		}
	}
	var most *flow.Location
	for _, k := range locks {
		if most == nil || held[k] > held[most] {
			most = k
		}
	}
	return most
}

// Spelled returns a constant as a module writes it; "" when it does not, and has
// no name for it.
func Spelled(mod *program.Module, v *flow.Value) string {
	if v == nil || v.Kind != flow.Const {
		return ""
	}
	switch {
	case v.Cls != nil:
		return spelledMember(mod, v)
	case v.ID() != `c"`+v.Name && knowsName(mod, v.Name): // it has the name of its variable
		return v.Name
	}
	switch v.Lit {
	case ast.None, ast.True, ast.False:
		return v.Lit.String()
	case ast.Str:
		text := ""
		ast.Inspect(mod.AST, func(n ast.Node) bool {
			if k, ok := n.(*ast.Constant); ok && text == "" && k.Kind() == ast.Str && k.Value() == v.Name {
				text = string(mod.AST.Text(k))
			}
			return text == ""
		})
		if strings.ContainsAny(text, "\n\\") {
			return ""
		}
		return text
	}
	return ""
}

// spelledMember returns a member of a class of constants as a module writes it, or
// as it would by the name that it has for the class.
func spelledMember(mod *program.Module, v *flow.Value) string {
	text, class := "", ""
	ast.Inspect(mod.AST, func(n ast.Node) bool {
		at, ok := n.(*ast.Attribute)
		if !ok || text != "" {
			return text == ""
		}
		base := string(mod.AST.Text(at.Value))
		if base != v.Cls.Name && !strings.HasSuffix(base, "."+v.Cls.Name) {
			return true
		}
		class = base
		if at.Attr() == v.Name {
			text = base + "." + v.Name
		}
		return true
	})
	if text == "" && class != "" {
		text = class + "." + v.Name
	}
	return text
}

// knowsName reports whether a module assigns or imports a name at its top level.
func knowsName(mod *program.Module, name string) bool {
	for _, st := range mod.AST.Body {
		switch st := st.(type) {
		case *ast.Assign:
			for _, t := range st.Targets {
				if assignsName(t, name) {
					return true
				}
			}
		case *ast.AnnAssign:
			if assignsName(st.Target, name) {
				return true
			}
		case *ast.ImportFrom:
			for _, a := range st.Names {
				if a.Name == name && a.AsName == "" {
					return true
				}
			}
		}
	}
	return false
}

func assignsName(t ast.Expr, name string) bool {
	switch t := t.(type) {
	case *ast.Name:
		return t.Id() == name
	case *ast.Tuple:
		return slices.ContainsFunc(t.Elts, func(x ast.Expr) bool { return assignsName(x, name) })
	}
	return false
}

// KeyIn returns how a function writes the value of a key: as the key of one of its
// accesses, or as what it hands to a function that uses it.
func KeyIn(g *flow.Graph, f *program.Func, key *flow.Value) string {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Fn == f && n.Key != nil && n.Key.Same(key) {
			if x := keyExpr(n); x != nil {
				return rule.Text(n, x)
			}
		}
		for fr := n.Frame; fr != nil && fr.Caller != nil; fr = fr.Caller {
			call, ok := fr.Call.(*ast.Call)
			if !ok || fr.Caller.Fn != f {
				continue
			}
			for j, v := range fr.Args {
				if j >= len(call.Args()) {
					break
				}
				if path, ok := pathFrom(key, v); ok {
					return string(fr.Mod.AST.Text(call.Args()[j])) + path
				}
			}
		}
	}
	if key.Kind == flow.Param && key.Fn == f {
		return key.Name
	}
	return ""
}

// pathFrom returns the attributes that lead from one value to another.
func pathFrom(v, base *flow.Value) (string, bool) {
	switch {
	case v == nil:
		return "", false
	case v.Same(base):
		return "", true
	case v.Kind != flow.Attribute:
		return "", false
	}
	path, ok := pathFrom(v.Base, base)
	return path + "." + v.Name, ok
}

// keyExpr returns the expression of the key of an access.
func keyExpr(n *flow.Node) ast.Expr {
	switch src := n.Src.(type) {
	case *ast.Subscript:
		return src.Slice
	case *ast.Call:
		if args := src.Args(); len(args) > 0 && args[0].Pos() >= src.Func.End() { // not those of a callback
			return args[0]
		}
	case *ast.Compare:
		return src.Left
	}
	return nil
}

// HeldAt returns the locks that the with statements around a statement of a function
// hold there.
func HeldAt(g *flow.Graph, f *program.Func, at ast.Stmt) []*flow.Value {
	var out []*flow.Value
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Acquire || n.Fn != f || n.Stmt == nil || n.Stmt == at || !ast.Encloses(n.Stmt, at) {
			continue
		}
		if _, ok := n.Stmt.(*ast.With); ok {
			out = append(out, n.Lock)
		}
	}
	return out
}

// Declaration returns the statement of a constructor that creates a container as
// self.name = ..., or nil.
func Declaration(l *flow.Location) ast.Stmt {
	if l.Owner == nil {
		return nil
	}
	f := l.Owner.Methods["__init__"]
	if f == nil || len(f.Params) == 0 {
		return nil
	}
	for _, st := range f.Body() {
		var target ast.Expr
		switch st := st.(type) {
		case *ast.Assign:
			if len(st.Targets) == 1 {
				target = st.Targets[0]
			}
		case *ast.AnnAssign:
			target = st.Target
		}
		if at, ok := target.(*ast.Attribute); ok && at.Attr() == l.Name {
			if x, ok := at.Value.(*ast.Name); ok && x.Id() == f.Params[0].Name {
				return st
			}
		}
	}
	return nil
}

// SelfOf returns what the constructor of the class that keeps a location calls the
// instance.
func SelfOf(l *flow.Location) string {
	if l.Owner == nil {
		return ""
	}
	if f := l.Owner.Methods["__init__"]; f != nil && len(f.Params) > 0 {
		return f.Params[0].Name
	}
	return ""
}
