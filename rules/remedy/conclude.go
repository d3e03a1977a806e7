package remedy

import (
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
		return e.locked(l, object, []string{object + l.Name + "." + adder(l) + "(" + e.Key + ")"})
	}
	failed := e.failure()
	if failed == "" {
		return nil
	}
	if m := e.setter(l, object); m != "" {
		return []string{object + m + "(" + e.Key + ", " + failed + ")"}
	}
	pending := e.pending()
	if pending == "" {
		return nil
	}
	return e.locked(l, object, []string{
		"if " + object + l.Name + ".get(" + e.Key + ") " + pending + ":",
		"\t" + object + l.Name + "[" + e.Key + "] = " + failed,
	})
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

// spelled returns a constant as the module of the place writes it, be it by a name
// that it imports from that of a base class.
func (e Ending) spelled(v *flow.Value) string {
	mod := e.Func.Module
	if text := Spelled(mod, v); text != "" || v.Kind != flow.Const || v.Cls != nil {
		return text
	}
	for _, k := range e.Facts.Comp.Class.MRO {
		if name := variableOf(k.Module, v); name != "" && k.Module != mod {
			return importedName(mod, name)
		}
	}
	return ""
}

// failure returns a status that tells of a failure, as the module of the place
// writes it; "" when it has no word for one.
func (e Ending) failure() string {
	for _, v := range e.Facts.Values {
		if !v.Terminal || !e.Facts.Failure(v.ID) {
			continue
		}
		if text := e.spelled(v.Const); text != "" {
			return text
		}
	}
	return ""
}

// pending returns the right side of the comparison that tells a request which is
// not over: with the one status of such requests, or against all others.
func (e Ending) pending() string {
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
	own := strings.Count(object, ".") == 1
	seen := map[string]bool{}
	for _, k := range append([]*program.Class{e.Facts.Comp.Class}, l.Owner.MRO...) {
		for _, home := range k.MRO {
			for _, f := range home.MethodList() {
				if seen[f.Name] || k.Method(f.Name) != f || f == e.Func || !own && !f.Public() || !k.IsSubclass(l.Owner) {
					continue
				}
				seen[f.Name] = true
				if f.Kind == program.PlainFunc && !f.Async && storesArgument(f, l.Name) && !e.blocks(f) {
					return f.Name
				}
			}
		}
	}
	return ""
}

// storesArgument reports whether a method takes a key and a status and stores one
// under the other.
func storesArgument(f *program.Func, name string) bool {
	if len(f.Params) != 3 || f.Params[1].Variadic != program.Single || f.Params[2].Variadic != program.Single {
		return false
	}
	stores := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			return true
		}
		sub, ok := as.Targets[0].(*ast.Subscript)
		if !ok {
			return true
		}
		at, ok := sub.Value.(*ast.Attribute)
		if ok && at.Attr() == name && isParam(at.Value, f, 0) && isParam(sub.Slice, f, 1) {
			ast.Inspect(as.Value, func(v ast.Node) bool {
				if x, ok := v.(ast.Expr); ok && isParam(x, f, 2) {
					stores = true
				}
				return true
			})
		}
		return true
	})
	return stores
}

func isParam(x ast.Expr, f *program.Func, i int) bool {
	n, ok := x.(*ast.Name)
	return ok && n.Id() == f.Params[i].Name
}

// blocks reports whether a method takes a lock that is held at the place and that
// one thread cannot take twice.
func (e Ending) blocks(f *program.Func) bool {
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

// locked puts lines under the lock that the stores into a location hold, unless
// the place holds it.
func (e Ending) locked(l *flow.Location, object string, lines []string) []string {
	lock := lockOf(e.Facts, l)
	if lock == nil {
		return lines
	}
	for _, held := range e.Locks {
		if held.Loc == lock {
			return lines
		}
	}
	head := "with "
	if strings.Contains(lock.Type.Name, "asyncio") {
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

// lockOf returns the lock of the same object under which a location is written, or
// nil.
func lockOf(st *status.Facts, l *flow.Location) *flow.Location {
	for _, a := range st.Comp.Accesses(l) {
		if a.Op != flow.Put && a.Op != flow.Rebind || a.Mode&flow.Initial != 0 {
			continue
		}
		for _, held := range a.Locks {
			if k := held.Loc; k != nil && k.Outer == nil && (k.Owner == l.Owner || k.Owner != nil && l.Owner != nil && (l.Owner.IsSubclass(k.Owner) || k.Owner.IsSubclass(l.Owner))) {
				return k
			}
		}
	}
	return nil
}

// Spelled returns a constant as a module writes it; "" when it does not, and has
// no name for it.
func Spelled(mod *program.Module, v *flow.Value) string {
	if v == nil || v.Kind != flow.Const {
		return ""
	}
	if v.Cls != nil {
		return spelledMember(mod, v)
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
	return variableOf(mod, v)
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

// variableOf returns the variable of a module that has a number, or "".
func variableOf(mod *program.Module, v *flow.Value) string {
	for _, st := range mod.AST.Body {
		if as, ok := st.(*ast.Assign); ok {
			if name := assignedTo(as, v); name != "" {
				return name
			}
		}
	}
	return ""
}

// importedName returns the name by which a module has imported another name, or "".
func importedName(mod *program.Module, name string) string {
	for _, st := range mod.AST.Body {
		from, ok := st.(*ast.ImportFrom)
		if !ok {
			continue
		}
		for _, a := range from.Names {
			switch {
			case a.Name != name:
			case a.AsName != "":
				return a.AsName
			default:
				return name
			}
		}
	}
	return ""
}

// assignedTo returns the variable to which an assignment gives a number.
func assignedTo(as *ast.Assign, v *flow.Value) string {
	if len(as.Targets) != 1 {
		return ""
	}
	t, ok := as.Targets[0].(*ast.Tuple)
	if !ok {
		if name, ok := as.Targets[0].(*ast.Name); ok && is(as.Value, v) {
			return name.Id()
		}
		return ""
	}
	values, _ := as.Value.(*ast.Tuple)
	call, _ := as.Value.(*ast.Call)
	for i, x := range t.Elts {
		name, ok := x.(*ast.Name)
		switch {
		case !ok:
		case values != nil && len(values.Elts) == len(t.Elts) && is(values.Elts[i], v):
			return name.Id()
		case call != nil && len(call.Args()) == 1 && rangeOf(call) && v.HasInt && v.Int == int64(i):
			return name.Id()
		}
	}
	return ""
}

func rangeOf(call *ast.Call) bool {
	name, ok := call.Func.(*ast.Name)
	return ok && name.Id() == "range"
}

func is(x ast.Expr, v *flow.Value) bool {
	k, ok := x.(*ast.Constant)
	return ok && k.Kind() == v.Lit && k.Value() == v.Name
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
				if v.Same(key) && j < len(call.Args()) {
					return string(fr.Mod.AST.Text(call.Args()[j]))
				}
			}
		}
	}
	if key.Kind == flow.Param && key.Fn == f {
		return key.Name
	}
	return ""
}

// keyExpr returns the expression of the key of an access.
func keyExpr(n *flow.Node) ast.Expr {
	switch src := n.Src.(type) {
	case *ast.Subscript:
		return src.Slice
	case *ast.Call:
		if len(src.Args()) > 0 {
			return src.Args()[0]
		}
	case *ast.Compare:
		return src.Left
	}
	return nil
}
