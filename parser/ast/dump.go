package ast

import (
	"strconv"
)

// DumpMode tells what [Dump] prints.
type DumpMode uint8

const (
	// Positions makes Dump print lineno, col_offset, end_lineno and
	// end_col_offset of each node that has them in CPython.
	Positions DumpMode = 1 << iota
)

// Dump returns the tree below m as ast.dump of CPython 3.13 prints it, with
// include_attributes=True if mode has Positions.
func Dump(m *Module, mode DumpMode) string {
	return string(AppendDump(nil, m, m, mode))
}

// AppendDump appends the dump of a node of m to b.
func AppendDump(b []byte, m *Module, n Node, mode DumpMode) []byte {
	d := dumper{b: b, m: m, mode: mode}
	d.node(n)
	return d.b
}

// dumper prints nodes. Like CPython, it leaves out fields that are None or
// empty lists.
type dumper struct {
	b     []byte
	m     *Module
	mode  DumpMode
	first bool // no field of the current node has been printed
}

func (d *dumper) open(class string) {
	d.b = append(d.b, class...)
	d.b = append(d.b, '(')
	d.first = true
}

// close prints the positions of n, unless it is nil, and ends the node.
func (d *dumper) close(n Node) {
	if n != nil && d.mode&Positions != 0 {
		line, col := d.m.Position(n.Pos())
		endLine, endCol := d.m.Position(n.End())
		d.number("lineno", line)
		d.number("col_offset", col-1)
		d.number("end_lineno", endLine)
		d.number("end_col_offset", endCol-1)
	}
	d.b = append(d.b, ')')
	d.first = false
}

func (d *dumper) field(name string) {
	if !d.first {
		d.b = append(d.b, ", "...)
	}
	d.first = false
	d.b = append(d.b, name...)
	d.b = append(d.b, '=')
}

func (d *dumper) number(name string, v int) {
	d.field(name)
	d.b = strconv.AppendInt(d.b, int64(v), 10)
}

// identifier prints a name unless it is empty.
func (d *dumper) identifier(name, id string) {
	if id != "" {
		d.field(name)
		d.b = appendStr(d.b, id)
	}
}

// class prints a field whose value is a node without fields.
func (d *dumper) class(name, class string) {
	d.field(name)
	d.b = append(d.b, class...)
	d.b = append(d.b, "()"...)
}

func (d *dumper) expr(name string, x Expr) {
	if x != nil {
		d.field(name)
		d.node(x)
		d.first = false
	}
}

func list[N Node](d *dumper, name string, nodes []N) {
	if len(nodes) == 0 {
		return
	}
	d.field(name)
	d.b = append(d.b, '[')
	for i, n := range nodes {
		if i > 0 {
			d.b = append(d.b, ", "...)
		}
		d.node(n)
	}
	d.b = append(d.b, ']')
	d.first = false
}

// optionalList prints a list whose elements may be None.
func (d *dumper) optionalList(name string, nodes []Expr) {
	if len(nodes) == 0 {
		return
	}
	d.field(name)
	d.b = append(d.b, '[')
	for i, n := range nodes {
		if i > 0 {
			d.b = append(d.b, ", "...)
		}
		if n == nil {
			d.b = append(d.b, "None"...)
			continue
		}
		d.node(n)
	}
	d.b = append(d.b, ']')
	d.first = false
}

func (d *dumper) identifiers(name string, ids []string) {
	if len(ids) == 0 {
		return
	}
	d.field(name)
	d.b = append(d.b, '[')
	for i, id := range ids {
		if i > 0 {
			d.b = append(d.b, ", "...)
		}
		d.b = appendStr(d.b, id)
	}
	d.b = append(d.b, ']')
}

// async returns the name of the class of a statement that has an async
// variant.
func async(is bool, class string) string {
	if is {
		return "Async" + class
	}
	return class
}

func (d *dumper) node(n Node) {
	switch n := n.(type) {
	case *Module:
		d.open("Module")
		list(d, "body", n.Body)
		d.close(nil)
	case Stmt:
		d.stmt(n)
	case Expr:
		d.expression(n)
	case Pattern:
		d.pattern(n)
	default:
		d.part(n)
	}
}

func (d *dumper) stmt(n Stmt) {
	switch n := n.(type) {
	case *FunctionDef:
		d.open(async(n.Async, "FunctionDef"))
		d.identifier("name", n.Name)
		d.field("args")
		d.node(n.Args)
		list(d, "body", n.Body)
		list(d, "decorator_list", n.DecoratorList)
		d.expr("returns", n.Returns)
		list(d, "type_params", n.TypeParams)
	case *ClassDef:
		d.open("ClassDef")
		d.identifier("name", n.Name)
		list(d, "bases", n.Bases)
		list(d, "keywords", n.Keywords)
		list(d, "body", n.Body)
		list(d, "decorator_list", n.DecoratorList)
		list(d, "type_params", n.TypeParams)
	case *Return:
		d.open("Return")
		d.expr("value", n.Value)
	case *Delete:
		d.open("Delete")
		list(d, "targets", n.Targets)
	case *Assign:
		d.open("Assign")
		list(d, "targets", n.Targets)
		d.expr("value", n.Value)
	case *TypeAlias:
		d.open("TypeAlias")
		d.expr("name", n.Name)
		list(d, "type_params", n.TypeParams)
		d.expr("value", n.Value)
	case *AugAssign:
		d.open("AugAssign")
		d.expr("target", n.Target)
		d.class("op", n.Op.String())
		d.expr("value", n.Value)
	case *AnnAssign:
		d.open("AnnAssign")
		d.expr("target", n.Target)
		d.expr("annotation", n.Annotation)
		d.expr("value", n.Value)
		d.number("simple", flag(n.Simple))
	case *For:
		d.open(async(n.Async, "For"))
		d.expr("target", n.Target)
		d.expr("iter", n.Iter)
		list(d, "body", n.Body)
		list(d, "orelse", n.Orelse)
	case *While:
		d.open("While")
		d.expr("test", n.Test)
		list(d, "body", n.Body)
		list(d, "orelse", n.Orelse)
	case *If:
		d.open("If")
		d.expr("test", n.Test)
		list(d, "body", n.Body)
		list(d, "orelse", n.Orelse)
	case *With:
		d.open(async(n.Async, "With"))
		list(d, "items", n.Items)
		list(d, "body", n.Body)
	case *Match:
		d.open("Match")
		d.expr("subject", n.Subject)
		list(d, "cases", n.Cases)
	case *Raise:
		d.open("Raise")
		d.expr("exc", n.Exc)
		d.expr("cause", n.Cause)
	case *Try:
		if n.Star {
			d.open("TryStar")
		} else {
			d.open("Try")
		}
		list(d, "body", n.Body)
		list(d, "handlers", n.Handlers)
		list(d, "orelse", n.Orelse)
		list(d, "finalbody", n.Finalbody)
	case *Assert:
		d.open("Assert")
		d.expr("test", n.Test)
		d.expr("msg", n.Msg)
	case *Import:
		d.open("Import")
		list(d, "names", n.Names)
	case *ImportFrom:
		d.open("ImportFrom")
		d.identifier("module", n.Module)
		list(d, "names", n.Names)
		d.number("level", int(n.Level))
	case *Global:
		d.open("Global")
		d.identifiers("names", n.Names)
	case *Nonlocal:
		d.open("Nonlocal")
		d.identifiers("names", n.Names)
	case *ExprStmt:
		d.open("Expr")
		d.expr("value", n.Value)
	case *Pass:
		d.open("Pass")
	case *Break:
		d.open("Break")
	case *Continue:
		d.open("Continue")
	}
	d.close(n)
}

func (d *dumper) expression(n Expr) {
	switch n := n.(type) {
	case *BoolOp:
		d.open("BoolOp")
		d.class("op", n.Op.String())
		list(d, "values", n.Values)
	case *NamedExpr:
		d.open("NamedExpr")
		d.expr("target", n.Target)
		d.expr("value", n.Value)
	case *BinOp:
		d.open("BinOp")
		d.expr("left", n.Left)
		d.class("op", n.Op.String())
		d.expr("right", n.Right)
	case *UnaryOp:
		d.open("UnaryOp")
		d.class("op", n.Op.String())
		d.expr("operand", n.Operand)
	case *Lambda:
		d.open("Lambda")
		d.field("args")
		d.node(n.Args)
		d.expr("body", n.Body)
	case *IfExp:
		d.open("IfExp")
		d.expr("test", n.Test)
		d.expr("body", n.Body)
		d.expr("orelse", n.Orelse)
	case *Dict:
		d.open("Dict")
		d.optionalList("keys", n.Keys)
		list(d, "values", n.Values)
	case *Set:
		d.open("Set")
		list(d, "elts", n.Elts)
	case *ListComp:
		d.open("ListComp")
		d.expr("elt", n.Elt)
		list(d, "generators", n.Generators)
	case *SetComp:
		d.open("SetComp")
		d.expr("elt", n.Elt)
		list(d, "generators", n.Generators)
	case *DictComp:
		d.open("DictComp")
		d.expr("key", n.Key)
		d.expr("value", n.Value)
		list(d, "generators", n.Generators)
	case *GeneratorExp:
		d.open("GeneratorExp")
		d.expr("elt", n.Elt)
		list(d, "generators", n.Generators)
	case *Await:
		d.open("Await")
		d.expr("value", n.Value)
	case *Yield:
		d.open("Yield")
		d.expr("value", n.Value)
	case *YieldFrom:
		d.open("YieldFrom")
		d.expr("value", n.Value)
	case *Compare:
		d.open("Compare")
		d.expr("left", n.Left)
		d.ops(n.Ops)
		list(d, "comparators", n.Comparators)
	case *Call:
		d.open("Call")
		d.expr("func", n.Func)
		list(d, "args", n.Args())
		list(d, "keywords", n.Keywords())
	case *FormattedValue:
		d.open("FormattedValue")
		d.expr("value", n.Value)
		d.number("conversion", int(n.Conversion))
		d.expr("format_spec", n.FormatSpec)
	case *Interpolation:
		d.open("Interpolation")
		d.expr("value", n.Value)
		d.field("str")
		d.b = appendStr(d.b, n.Str)
		d.number("conversion", int(n.Conversion))
		d.expr("format_spec", n.FormatSpec)
	case *JoinedStr:
		d.open("JoinedStr")
		list(d, "values", n.Values)
	case *TemplateStr:
		d.open("TemplateStr")
		list(d, "values", n.Values)
	case *Constant:
		d.open("Constant")
		d.field("value")
		d.b = appendConstant(d.b, n)
		if n.Unicode() {
			d.identifier("kind", "u")
		}
	case *Attribute:
		d.open("Attribute")
		d.expr("value", n.Value)
		d.identifier("attr", n.Attr())
		d.class("ctx", n.Ctx().String())
	case *Subscript:
		d.open("Subscript")
		d.expr("value", n.Value)
		d.expr("slice", n.Slice)
		d.class("ctx", n.Ctx.String())
	case *Starred:
		d.open("Starred")
		d.expr("value", n.Value)
		d.class("ctx", n.Ctx.String())
	case *Name:
		d.open("Name")
		d.identifier("id", n.Id())
		d.class("ctx", n.Ctx().String())
	case *List:
		d.open("List")
		list(d, "elts", n.Elts)
		d.class("ctx", n.Ctx.String())
	case *Tuple:
		d.open("Tuple")
		list(d, "elts", n.Elts)
		d.class("ctx", n.Ctx.String())
	case *Slice:
		d.open("Slice")
		d.expr("lower", n.Lower)
		d.expr("upper", n.Upper)
		d.expr("step", n.Step)
	}
	d.close(n)
}

func (d *dumper) ops(ops []CmpOp) {
	d.field("ops")
	d.b = append(d.b, '[')
	for i, op := range ops {
		if i > 0 {
			d.b = append(d.b, ", "...)
		}
		d.b = append(d.b, op.String()...)
		d.b = append(d.b, "()"...)
	}
	d.b = append(d.b, ']')
}

func (d *dumper) pattern(n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		d.open("MatchValue")
		d.expr("value", n.Value)
	case *MatchSingleton:
		d.open("MatchSingleton")
		d.field("value")
		d.b = append(d.b, n.Value.String()...)
	case *MatchSequence:
		d.open("MatchSequence")
		list(d, "patterns", n.Patterns)
	case *MatchMapping:
		d.open("MatchMapping")
		list(d, "keys", n.Keys)
		list(d, "patterns", n.Patterns)
		d.identifier("rest", n.Rest)
	case *MatchClass:
		d.open("MatchClass")
		d.expr("cls", n.Cls)
		list(d, "patterns", n.Patterns)
		d.identifiers("kwd_attrs", n.KwdAttrs)
		list(d, "kwd_patterns", n.KwdPatterns)
	case *MatchStar:
		d.open("MatchStar")
		d.identifier("name", n.Name)
	case *MatchAs:
		d.open("MatchAs")
		if n.Pattern != nil {
			d.field("pattern")
			d.node(n.Pattern)
		}
		d.identifier("name", n.Name)
	case *MatchOr:
		d.open("MatchOr")
		list(d, "patterns", n.Patterns)
	}
	d.close(n)
}

// part prints the nodes that are neither statements, expressions nor patterns.
func (d *dumper) part(n Node) {
	attributes := n
	switch n := n.(type) {
	case *Arguments:
		d.open("arguments")
		list(d, "posonlyargs", n.PosOnlyArgs)
		list(d, "args", n.Args)
		d.arg("vararg", n.Vararg)
		list(d, "kwonlyargs", n.KwOnlyArgs)
		d.optionalList("kw_defaults", n.KwDefaults)
		d.arg("kwarg", n.Kwarg)
		list(d, "defaults", n.Defaults)
		attributes = nil
	case *Arg:
		d.open("arg")
		d.identifier("arg", n.Arg())
		d.expr("annotation", n.Annotation)
	case *Keyword:
		d.open("keyword")
		d.identifier("arg", n.Arg())
		d.expr("value", n.Value)
	case *Alias:
		d.open("alias")
		d.identifier("name", n.Name)
		d.identifier("asname", n.AsName)
	case *WithItem:
		d.open("withitem")
		d.expr("context_expr", n.ContextExpr)
		d.expr("optional_vars", n.OptionalVars)
		attributes = nil
	case *ExceptHandler:
		d.open("ExceptHandler")
		d.expr("type", n.Type)
		d.identifier("name", n.Name)
		list(d, "body", n.Body)
	case *MatchCase:
		d.open("match_case")
		d.field("pattern")
		d.node(n.Pattern)
		d.expr("guard", n.Guard)
		list(d, "body", n.Body)
		attributes = nil
	case *Comprehension:
		d.open("comprehension")
		d.expr("target", n.Target)
		d.expr("iter", n.Iter)
		list(d, "ifs", n.Ifs)
		d.number("is_async", flag(n.IsAsync))
		attributes = nil
	case *TypeVar:
		d.open("TypeVar")
		d.identifier("name", n.Name)
		d.expr("bound", n.Bound)
		d.expr("default_value", n.DefaultValue)
	case *ParamSpec:
		d.open("ParamSpec")
		d.identifier("name", n.Name)
		d.expr("default_value", n.DefaultValue)
	case *TypeVarTuple:
		d.open("TypeVarTuple")
		d.identifier("name", n.Name)
		d.expr("default_value", n.DefaultValue)
	}
	d.close(attributes)
}

func (d *dumper) arg(name string, a *Arg) {
	if a != nil {
		d.field(name)
		d.node(a)
	}
}

// flag returns the number that CPython has for a boolean.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
