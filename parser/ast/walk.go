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

// Blocks returns the blocks of a compound statement.
func Blocks(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *If:
		return [][]Stmt{s.Body, s.Orelse}
	case *For:
		return [][]Stmt{s.Body, s.Orelse}
	case *While:
		return [][]Stmt{s.Body, s.Orelse}
	case *With:
		return [][]Stmt{s.Body}
	case *Try:
		out := [][]Stmt{s.Body, s.Orelse, s.Finalbody}
		for _, h := range s.Handlers {
			out = append(out, h.Body)
		}
		return out
	case *Match:
		var out [][]Stmt
		for _, c := range s.Cases {
			out = append(out, c.Body)
		}
		return out
	}
	return nil
}

// EachInScope calls visit for the nodes of statements of one scope in source order:
// without the functions and classes that stand in them, and what is in these.
func EachInScope(body []Stmt, visit func(Node)) {
	for _, st := range body {
		Inspect(st, func(n Node) bool {
			switch n.(type) {
			case nil, *FunctionDef, *Lambda, *ClassDef:
				return false
			}
			visit(n)
			return true
		})
	}
}

// Yields reports whether statements of one scope have a yield, yield from apart.
func Yields(body ...Stmt) bool {
	found := false
	EachInScope(body, func(n Node) {
		_, ok := n.(*Yield)
		found = found || ok
	})
	return found
}

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
	switch n := n.(type) {
	case Expr:
		walkExpr(v, n)
	case Stmt:
		walkStmt(v, n)
	case Pattern:
		walkPattern(v, n)
	case TypeParam:
		walkTypeParam(v, n)
	case *Module:
		if v = v.Visit(n); v != nil {
			walkStmts(v, n.Body)
			v.Visit(nil)
		}
	case *Arguments:
		walkArguments(v, n)
	case *Arg:
		walkArg(v, n)
	case *Keyword:
		walkKeyword(v, n)
	default:
		walkPart(v, n)
	}
}

// The functions below call Visit where the concrete type of a node is known: to
// make a Node of another interface takes longer than all the rest.

func walkStmt(v Visitor, n Stmt) {
	switch n := n.(type) {
	case *FunctionDef:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.DecoratorList)
		walkList(v, n.TypeParams)
		walkArguments(v, n.Args)
		walkOptional(v, n.Returns)
		walkStmts(v, n.Body)
	case *ClassDef:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.DecoratorList)
		walkList(v, n.TypeParams)
		walkCallArgs(v, n.Bases, n.Keywords)
		walkStmts(v, n.Body)
	case *Return:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Value)
	case *Delete:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Targets)
	case *Assign:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Targets)
		walkExpr(v, n.Value)
	case *TypeAlias:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Name)
		walkList(v, n.TypeParams)
		walkExpr(v, n.Value)
	case *AugAssign:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Target)
		walkExpr(v, n.Value)
	case *AnnAssign:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Target)
		walkExpr(v, n.Annotation)
		walkOptional(v, n.Value)
	case *For:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Target)
		walkExpr(v, n.Iter)
		walkStmts(v, n.Body)
		walkStmts(v, n.Orelse)
	case *While:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Test)
		walkStmts(v, n.Body)
		walkStmts(v, n.Orelse)
	case *If:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Test)
		walkStmts(v, n.Body)
		walkStmts(v, n.Orelse)
	case *With:
		if v = v.Visit(n); v == nil {
			return
		}
		walkList(v, n.Items)
		walkStmts(v, n.Body)
	case *Match:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Subject)
		walkList(v, n.Cases)
	case *Raise:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Exc)
		walkOptional(v, n.Cause)
	case *Try:
		if v = v.Visit(n); v == nil {
			return
		}
		walkStmts(v, n.Body)
		walkList(v, n.Handlers)
		walkStmts(v, n.Orelse)
		walkStmts(v, n.Finalbody)
	case *Assert:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Test)
		walkOptional(v, n.Msg)
	case *Import:
		if v = v.Visit(n); v == nil {
			return
		}
		walkList(v, n.Names)
	case *ImportFrom:
		if v = v.Visit(n); v == nil {
			return
		}
		walkList(v, n.Names)
	case *ExprStmt:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *Global, *Nonlocal, *Pass, *Break, *Continue:
		if v = v.Visit(n); v == nil {
			return
		}
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected statement %T", n))
	}
	v.Visit(nil)
}

func walkExpr(v Visitor, n Expr) {
	switch n := n.(type) {
	case *BoolOp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Values)
	case *NamedExpr:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Target)
		walkExpr(v, n.Value)
	case *BinOp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Left)
		walkExpr(v, n.Right)
	case *UnaryOp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Operand)
	case *Lambda:
		if v = v.Visit(n); v == nil {
			return
		}
		walkArguments(v, n.Args)
		walkExpr(v, n.Body)
	case *IfExp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Body)
		walkExpr(v, n.Test)
		walkExpr(v, n.Orelse)
	case *Dict:
		if v = v.Visit(n); v == nil {
			return
		}
		for i, key := range n.Keys {
			walkOptional(v, key)
			walkExpr(v, n.Values[i])
		}
	case *Set:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Elts)
	case *ListComp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Elt)
		walkList(v, n.Generators)
	case *SetComp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Elt)
		walkList(v, n.Generators)
	case *DictComp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Key)
		walkExpr(v, n.Value)
		walkList(v, n.Generators)
	case *GeneratorExp:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Elt)
		walkList(v, n.Generators)
	case *Await:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *Yield:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Value)
	case *YieldFrom:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *Compare:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Left)
		walkExprs(v, n.Comparators)
	case *Call:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Func)
		walkCallArgs(v, n.Args(), n.Keywords())
	case *FormattedValue:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
		walkOptional(v, n.FormatSpec)
	case *Interpolation:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
		walkOptional(v, n.FormatSpec)
	case *JoinedStr:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Values)
	case *TemplateStr:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Values)
	case *Attribute:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *Subscript:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
		walkExpr(v, n.Slice)
	case *Starred:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *List:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Elts)
	case *Tuple:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExprs(v, n.Elts)
	case *Slice:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Lower)
		walkOptional(v, n.Upper)
		walkOptional(v, n.Step)
	case *Name:
		if v = v.Visit(n); v == nil {
			return
		}
	case *Constant:
		if v = v.Visit(n); v == nil {
			return
		}
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected expression %T", n))
	}
	v.Visit(nil)
}

func walkPattern(v Visitor, n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Value)
	case *MatchSequence:
		if v = v.Visit(n); v == nil {
			return
		}
		walkList(v, n.Patterns)
	case *MatchMapping:
		if v = v.Visit(n); v == nil {
			return
		}
		for i, key := range n.Keys {
			walkExpr(v, key)
			walkPattern(v, n.Patterns[i])
		}
	case *MatchClass:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Cls)
		walkList(v, n.Patterns)
		walkList(v, n.KwdPatterns)
	case *MatchAs:
		if v = v.Visit(n); v == nil {
			return
		}
		if n.Pattern != nil {
			walkPattern(v, n.Pattern)
		}
	case *MatchOr:
		if v = v.Visit(n); v == nil {
			return
		}
		walkList(v, n.Patterns)
	case *MatchSingleton, *MatchStar:
		if v = v.Visit(n); v == nil {
			return
		}
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected pattern %T", n))
	}
	v.Visit(nil)
}

func walkTypeParam(v Visitor, n TypeParam) {
	switch n := n.(type) {
	case *TypeVar:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Bound)
		walkOptional(v, n.DefaultValue)
	case *ParamSpec:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.DefaultValue)
	case *TypeVarTuple:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.DefaultValue)
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected type parameter %T", n))
	}
	v.Visit(nil)
}

func walkPart(v Visitor, n Node) {
	switch n := n.(type) {
	case *WithItem:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.ContextExpr)
		walkOptional(v, n.OptionalVars)
	case *ExceptHandler:
		if v = v.Visit(n); v == nil {
			return
		}
		walkOptional(v, n.Type)
		walkStmts(v, n.Body)
	case *MatchCase:
		if v = v.Visit(n); v == nil {
			return
		}
		walkPattern(v, n.Pattern)
		walkOptional(v, n.Guard)
		walkStmts(v, n.Body)
	case *Comprehension:
		if v = v.Visit(n); v == nil {
			return
		}
		walkExpr(v, n.Target)
		walkExpr(v, n.Iter)
		walkExprs(v, n.Ifs)
	case *Alias:
		if v = v.Visit(n); v == nil {
			return
		}
	default:
		panic(fmt.Sprintf("ast.Walk: unexpected node %T", n))
	}
	v.Visit(nil)
}

func walkArg(v Visitor, n *Arg) {
	if v = v.Visit(n); v != nil {
		walkOptional(v, n.Annotation)
		v.Visit(nil)
	}
}

func walkKeyword(v Visitor, n *Keyword) {
	if v = v.Visit(n); v != nil {
		walkExpr(v, n.Value)
		v.Visit(nil)
	}
}

// walkArguments visits each parameter before its default.
func walkArguments(v Visitor, n *Arguments) {
	if v = v.Visit(n); v == nil {
		return
	}
	first := len(n.PosOnlyArgs) + len(n.Args) - len(n.Defaults)
	positional := func(args []*Arg, index int) {
		for i, arg := range args {
			walkArg(v, arg)
			if d := index + i - first; d >= 0 {
				walkExpr(v, n.Defaults[d])
			}
		}
	}
	positional(n.PosOnlyArgs, 0)
	positional(n.Args, len(n.PosOnlyArgs))
	if n.Vararg != nil {
		walkArg(v, n.Vararg)
	}
	for i, arg := range n.KwOnlyArgs {
		walkArg(v, arg)
		walkOptional(v, n.KwDefaults[i])
	}
	if n.Kwarg != nil {
		walkArg(v, n.Kwarg)
	}
	v.Visit(nil)
}

// walkCallArgs visits positional and keyword arguments, which may alternate,
// as in f(a=1, *b).
func walkCallArgs(v Visitor, args []Expr, keywords []*Keyword) {
	for _, arg := range args {
		for len(keywords) > 0 && keywords[0].Pos() < arg.Pos() {
			walkKeyword(v, keywords[0])
			keywords = keywords[1:]
		}
		walkExpr(v, arg)
	}
	for _, k := range keywords {
		walkKeyword(v, k)
	}
}

func walkOptional(v Visitor, n Expr) {
	if n != nil {
		walkExpr(v, n)
	}
}

func walkExprs(v Visitor, list []Expr) {
	for _, n := range list {
		walkExpr(v, n)
	}
}

func walkStmts(v Visitor, list []Stmt) {
	for _, n := range list {
		walkStmt(v, n)
	}
}

// walkList visits nodes of the less frequent types.
func walkList[N Node](v Visitor, list []N) {
	for _, n := range list {
		Walk(v, n)
	}
}
