package replay

import (
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (w *writer) varFact(name string) string { return "var " + w.f.name + " " + name }

func (w *writer) name(x *ast.Name) (string, kinds) {
	if x.Id() == w.selfName {
		return w.self(), exact
	}
	if w.locals[x.Id()] {
		if l := w.localBox(x.Id()); l != nil {
			return w.ref(l), exact
		}
		k := w.e.facts[w.varFact(x.Id())]
		if k&^unknown == 0 {
			return "UNKNOWN", unknown
		}
		return w.local(x.Id()), k
	}
	return w.reference(x)
}

// localBox returns the location of a variable that nested functions share.
func (w *writer) localBox(name string) *flow.Location {
	for f := w.fn; f != nil; f = f.Outer {
		if l := w.e.byID[f.Module.Path+":"+f.Qual+"."+name]; l != nil {
			return l
		}
	}
	return nil
}

// reference returns what a global name or dotted name stands for.
func (w *writer) reference(x ast.Expr) (string, kinds) {
	if n, ok := x.(*ast.Name); ok {
		if l := w.localBox(n.Id()); l != nil {
			return w.ref(l), exact
		}
	}
	return w.e.resolved(w.e.index.Resolve(x, w.fn, w.mod), 0)
}

// resolved returns the text of a constant that a name refers to.
func (e *emitter) resolved(r program.Ref, depth int) (string, kinds) {
	switch {
	case depth > 3:
	case r.Member != nil:
		return e.member(r.Member)
	case r.Var != nil && r.VarScope != nil && r.VarScope.Func == nil:
		mod := e.index.ModuleOf(r.VarScope)
		if mod == nil {
			break
		}
		if l := e.byID[mod.Path+":"+r.Var.Name]; l != nil {
			e.box(l)
			return "shared." + attrName(l), exact
		}
		if len(r.Var.Defs) == 1 && !r.Var.Defs[0].Elem {
			return e.defined(r.Var.Defs[0], mod, depth)
		}
	}
	return "UNKNOWN", unknown
}

// defined returns the constant that a module variable is set to, alone or with
// others from a tuple or range.
func (e *emitter) defined(d program.Def, mod *program.Module, depth int) (string, kinds) {
	if d.Index < 0 {
		return e.literal(d.Value, mod, depth)
	}
	switch v := d.Value.(type) {
	case *ast.Tuple:
		if d.Index < len(v.Elts) {
			return e.literal(v.Elts[d.Index], mod, depth)
		}
	case *ast.Call:
		if fn, ok := v.Func.(*ast.Name); ok && fn.Id() == "range" && len(v.Args()) == 1 {
			return strconv.Itoa(d.Index), exact
		}
	}
	return "UNKNOWN", unknown
}

// literal returns a constant expression of a module.
func (e *emitter) literal(x ast.Expr, mod *program.Module, depth int) (string, kinds) {
	switch x := x.(type) {
	case *ast.Constant:
		w := writer{e: e}
		return w.constant(x)
	case *ast.Name, *ast.Attribute:
		return e.resolved(e.index.Resolve(x, nil, mod), depth+1)
	case *ast.Tuple:
		if len(x.Elts) == 0 {
			return "()", exact
		}
		var parts []string
		for _, el := range x.Elts {
			text, k := e.literal(el, mod, depth+1)
			if k != exact {
				return "UNKNOWN", unknown
			}
			parts = append(parts, text)
		}
		return "(" + strings.Join(parts, ", ") + ",)", exact
	}
	return "UNKNOWN", unknown
}

// member returns a member of a class of constants, and notes that the program
// needs it.
func (e *emitter) member(a *program.Attr) (string, kinds) {
	c := a.Class
	if l := e.byID[c.Module.Path+"."+c.Qual+"."+a.Name]; l != nil {
		e.box(l)
		return e.owner(l) + "." + attrName(l), exact
	}
	if len(a.Defs) == 0 {
		return "UNKNOWN", unknown
	}
	lit := ""
	plainEnum := c.HasExternalBase("enum.Enum", "enum.StrEnum")
	switch v := a.Defs[0].Value.(type) {
	case *ast.Constant:
		w := writer{e: e}
		lit, _ = w.constant(v)
	case *ast.UnaryOp:
		if op, ok := v.Operand.(*ast.Constant); ok && v.Op == ast.USub {
			lit = "-" + op.Value()
		}
	case *ast.Call:
		lit = autoNumber(a)
	}
	if lit == "" {
		return "UNKNOWN", unknown
	}
	if plainEnum {
		lit = quote(c.Name + "." + a.Name) // its members are true, whatever their value
	}
	name := identifier(c.Qual)
	if reserved[name] {
		name += "_"
	}
	if e.consts[name] == nil {
		e.consts[name] = map[string]string{}
	}
	member := identifier(a.Name)
	e.consts[name][member] = lit
	return name + "." + member, exact
}

// autoNumber returns the number that auto() gives to a member.
func autoNumber(a *program.Attr) string {
	n := 0
	for _, st := range a.Class.Node.Body {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		name, ok := as.Targets[0].(*ast.Name)
		if !ok {
			continue
		}
		n++
		if name.Id() == a.Name {
			return strconv.Itoa(n)
		}
	}
	return ""
}

// box notes that a location has to exist.
func (e *emitter) box(l *flow.Location) { e.boxes[l] = true }

// ref returns a location in words of the function.
func (w *writer) ref(l *flow.Location) string {
	w.e.box(l)
	o := w.e.owner(l)
	if w.selfName != "" && w.f.key.self != nil && o == w.e.objectFor(w.f.key.self).name {
		o = w.self()
	}
	return o + "." + attrName(l)
}

// classOf returns the class of an object that an expression yields, or nil.
func (w *writer) classOf(x ast.Expr) *program.Class {
	if n, ok := x.(*ast.Name); ok && n.Id() == w.selfName && w.f.key.self != nil {
		return w.f.key.self
	}
	env := program.Env{Module: w.mod, Func: w.fn, Self: w.f.key.self}
	t := w.e.index.TypeOf(x, env)
	if t.Class != nil {
		return t.Class
	}
	return nil
}

// located returns the tracked location that an attribute is.
func (w *writer) located(x *ast.Attribute) *flow.Location {
	_, l := w.spot(x)
	return l
}

// spot returns the name of the location of an attribute, or "", and the location where
// the slice has it.
func (w *writer) spot(x *ast.Attribute) (string, *flow.Location) {
	c := w.classOf(x.Value)
	if c == nil {
		return "", nil
	}
	o := c.AttrOwner(x.Attr())
	if o == nil {
		return "", nil
	}
	id := o.Module.Path + "." + o.Qual + "." + x.Attr()
	return id, w.e.byID[id]
}
