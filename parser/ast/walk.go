package ast

import "fmt"

// Visitor is called by [Walk] for each node.
type Visitor interface {
	// Visit is called with a node. If the returned visitor w is not nil, Walk
	// visits the children of the node with w, and then calls w.Visit(nil).
	Visit(n Node) (w Visitor)
}

// Inspect calls f for n and, while f returns true, for the nodes below it in
// source order; after the children of a node it calls f(nil). It visits every
// node except Comments, and no nil ones.
func Inspect(n Node, f func(Node) bool) { Walk(inspector(f), n) }

type inspector func(Node) bool

func (f inspector) Visit(n Node) Visitor {
	if f(n) {
		return f
	}
	return nil
}

// Walk visits n and the nodes below it in source order, depth first. It starts
// with v.Visit(n); n must not be nil. The decorators come before the other
// children of a definition although they are outside its range.
func Walk(v Visitor, n Node) {
	if v = v.Visit(n); v == nil {
		return
	}
	switch n := n.(type) {
	case *Module:
		walkList(v, n.Body)
	case Stmt:
		walkStmt(v, n)
	case Expr:
		walkExpr(v, n)
	case Pattern:
		walkPattern(v, n)
	case TypeParam:
		walkTypeParam(v, n)
	default:
		walkPart(v, n)
	}
	v.Visit(nil)
}

func walkStmt(v Visitor, n Stmt) {
	switch n := n.(type) {
	case *FunctionDef:
		walkList(v, n.DecoratorList)
		walkList(v, n.TypeParams)
		Walk(v, n.Args)
		walkOptional(v, n.Returns)
		walkList(v, n.Body)
	case *ClassDef:
		walkList(v, n.DecoratorList)
		walkList(v, n.TypeParams)
		walkCallArgs(v, n.Bases, n.Keywords)
		walkList(v, n.Body)
	case *Return:
		walkOptional(v, n.Value)
	case *Delete:
		walkList(v, n.Targets)
	case *Assign:
		walkList(v, n.Targets)
		Walk(v, n.Value)
	case *TypeAlias:
		Walk(v, n.Name)
		walkList(v, n.TypeParams)
		Walk(v, n.Value)
	case *AugAssign:
		Walk(v, n.Target)
		Walk(v, n.Value)
	case *AnnAssign:
		Walk(v, n.Target)
		Walk(v, n.Annotation)
		walkOptional(v, n.Value)
	case *For:
		Walk(v, n.Target)
		Walk(v, n.Iter)
		walkList(v, n.Body)
		walkList(v, n.Orelse)
	case *While:
		Walk(v, n.Test)
		walkList(v, n.Body)
		walkList(v, n.Orelse)
	case *If:
		Walk(v, n.Test)
		walkList(v, n.Body)
		walkList(v, n.Orelse)
	case *With:
		walkList(v, n.Items)
		walkList(v, n.Body)
	case *Match:
		Walk(v, n.Subject)
		walkList(v, n.Cases)
	case *Raise:
		walkOptional(v, n.Exc)
		walkOptional(v, n.Cause)
	case *Try:
		walkList(v, n.Body)
		walkList(v, n.Handlers)
		walkList(v, n.Orelse)
		walkList(v, n.Finalbody)
	case *Assert:
		Walk(v, n.Test)
		walkOptional(v, n.Msg)
	case *Import:
		walkList(v, n.Names)
	case *ImportFrom:
		walkList(v, n.Names)
	case *ExprStmt:
		Walk(v, n.Value)
	case *Global, *Nonlocal, *Pass, *Break, *Continue:
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected statement %T", n))
	}
}

func walkExpr(v Visitor, n Expr) {
	switch n := n.(type) {
	case *BoolOp:
		walkList(v, n.Values)
	case *NamedExpr:
		Walk(v, n.Target)
		Walk(v, n.Value)
	case *BinOp:
		Walk(v, n.Left)
		Walk(v, n.Right)
	case *UnaryOp:
		Walk(v, n.Operand)
	case *Lambda:
		Walk(v, n.Args)
		Walk(v, n.Body)
	case *IfExp:
		Walk(v, n.Body)
		Walk(v, n.Test)
		Walk(v, n.Orelse)
	case *Dict:
		for i, key := range n.Keys {
			walkOptional(v, key)
			Walk(v, n.Values[i])
		}
	case *Set:
		walkList(v, n.Elts)
	case *ListComp:
		Walk(v, n.Elt)
		walkList(v, n.Generators)
	case *SetComp:
		Walk(v, n.Elt)
		walkList(v, n.Generators)
	case *DictComp:
		Walk(v, n.Key)
		Walk(v, n.Value)
		walkList(v, n.Generators)
	case *GeneratorExp:
		Walk(v, n.Elt)
		walkList(v, n.Generators)
	case *Await:
		Walk(v, n.Value)
	case *Yield:
		walkOptional(v, n.Value)
	case *YieldFrom:
		Walk(v, n.Value)
	case *Compare:
		Walk(v, n.Left)
		walkList(v, n.Comparators)
	case *Call:
		Walk(v, n.Func)
		walkCallArgs(v, n.Args(), n.Keywords())
	case *FormattedValue:
		Walk(v, n.Value)
		walkOptional(v, n.FormatSpec)
	case *Interpolation:
		Walk(v, n.Value)
		walkOptional(v, n.FormatSpec)
	case *JoinedStr:
		walkList(v, n.Values)
	case *TemplateStr:
		walkList(v, n.Values)
	case *Attribute:
		Walk(v, n.Value)
	case *Subscript:
		Walk(v, n.Value)
		Walk(v, n.Slice)
	case *Starred:
		Walk(v, n.Value)
	case *List:
		walkList(v, n.Elts)
	case *Tuple:
		walkList(v, n.Elts)
	case *Slice:
		walkOptional(v, n.Lower)
		walkOptional(v, n.Upper)
		walkOptional(v, n.Step)
	case *Name, *Constant:
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected expression %T", n))
	}
}

func walkPattern(v Visitor, n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		Walk(v, n.Value)
	case *MatchSequence:
		walkList(v, n.Patterns)
	case *MatchMapping:
		for i, key := range n.Keys {
			Walk(v, key)
			Walk(v, n.Patterns[i])
		}
	case *MatchClass:
		Walk(v, n.Cls)
		walkList(v, n.Patterns)
		walkList(v, n.KwdPatterns)
	case *MatchAs:
		if n.Pattern != nil {
			Walk(v, n.Pattern)
		}
	case *MatchOr:
		walkList(v, n.Patterns)
	case *MatchSingleton, *MatchStar:
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected pattern %T", n))
	}
}

func walkTypeParam(v Visitor, n TypeParam) {
	switch n := n.(type) {
	case *TypeVar:
		walkOptional(v, n.Bound)
		walkOptional(v, n.DefaultValue)
	case *ParamSpec:
		walkOptional(v, n.DefaultValue)
	case *TypeVarTuple:
		walkOptional(v, n.DefaultValue)
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected type parameter %T", n))
	}
}

func walkPart(v Visitor, n Node) {
	switch n := n.(type) {
	case *Arguments:
		walkArguments(v, n)
	case *Arg:
		walkOptional(v, n.Annotation)
	case *Keyword:
		Walk(v, n.Value)
	case *WithItem:
		Walk(v, n.ContextExpr)
		walkOptional(v, n.OptionalVars)
	case *ExceptHandler:
		walkOptional(v, n.Type)
		walkList(v, n.Body)
	case *MatchCase:
		Walk(v, n.Pattern)
		walkOptional(v, n.Guard)
		walkList(v, n.Body)
	case *Comprehension:
		Walk(v, n.Target)
		Walk(v, n.Iter)
		walkList(v, n.Ifs)
	case *Alias:
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected node %T", n))
	}
}

// walkArguments visits each parameter before its default.
func walkArguments(v Visitor, n *Arguments) {
	first := len(n.PosOnlyArgs) + len(n.Args) - len(n.Defaults)
	positional := func(args []*Arg, index int) {
		for i, arg := range args {
			Walk(v, arg)
			if d := index + i - first; d >= 0 {
				Walk(v, n.Defaults[d])
			}
		}
	}
	positional(n.PosOnlyArgs, 0)
	positional(n.Args, len(n.PosOnlyArgs))
	if n.Vararg != nil {
		Walk(v, n.Vararg)
	}
	for i, arg := range n.KwOnlyArgs {
		Walk(v, arg)
		walkOptional(v, n.KwDefaults[i])
	}
	if n.Kwarg != nil {
		Walk(v, n.Kwarg)
	}
}

// walkCallArgs visits positional and keyword arguments, which may alternate,
// as in f(a=1, *b).
func walkCallArgs(v Visitor, args []Expr, keywords []*Keyword) {
	for _, arg := range args {
		for len(keywords) > 0 && keywords[0].Pos() < arg.Pos() {
			Walk(v, keywords[0])
			keywords = keywords[1:]
		}
		Walk(v, arg)
	}
	walkList(v, keywords)
}

func walkOptional(v Visitor, n Expr) {
	if n != nil {
		Walk(v, n)
	}
}

func walkList[N Node](v Visitor, list []N) {
	for _, n := range list {
		Walk(v, n)
	}
}
