package ast

import "fmt"

// Inspect calls f for n and, while f returns true, for the nodes below it in
// source order. It visits every node except Comments, and no nil ones.
func Inspect(n Node, f func(Node) bool) {
	w := walker{enter: f}
	w.walk(n)
}

// Walk is Inspect with a call of leave after the children of each node for which
// enter has returned true.
func Walk(n Node, enter func(Node) bool, leave func()) {
	w := walker{enter, leave}
	w.walk(n)
}

// Encloses reports whether a node lies within another one of the same module, or is that one.
func Encloses(around, n Node) bool { return around.Pos() <= n.Pos() && n.End() <= around.End() }

// Covers reports whether a node lies between the beginning and the end of some statements.
func Covers(block []Stmt, n Node) bool {
	return len(block) > 0 && block[0].Pos() <= n.Pos() && n.End() <= block[len(block)-1].End()
}

// Raises reports whether some statements raise an exception, perhaps, or a function in them.
func Raises(block []Stmt) bool {
	found := false
	for _, st := range block {
		Inspect(st, func(n Node) bool {
			_, is := n.(*Raise)
			found = found || is
			return !found
		})
	}
	return found
}

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

// Jumps calls visit for the statements that jump out of a body, in source order: each
// return, and each break and continue of a loop around it.
func Jumps(body []Stmt, visit func(Stmt)) {
	jumps(body, false, visit)
}

func jumps(body []Stmt, inLoop bool, visit func(Stmt)) {
	for _, st := range body {
		switch s := st.(type) {
		case *Return:
			visit(s)
		case *Break, *Continue:
			if !inLoop {
				visit(s)
			}
		case *For:
			jumps(s.Body, true, visit)
			jumps(s.Orelse, inLoop, visit)
		case *While:
			jumps(s.Body, true, visit)
			jumps(s.Orelse, inLoop, visit)
		default:
			for _, inner := range Blocks(st) {
				jumps(inner, inLoop, visit)
			}
		}
	}
}

// EachInScope calls visit for the nodes of statements of one scope in source order:
// without the functions and classes that stand in them, and what is in these.
func EachInScope(body []Stmt, visit func(Node)) {
	for _, st := range body {
		Inspect(st, func(n Node) bool {
			switch n.(type) {
			case *FunctionDef, *Lambda, *ClassDef:
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

// walker visits nodes in source order, depth first. The decorators come before
// the other children of a definition although they are outside its range.
type walker struct {
	enter func(Node) bool
	leave func() // may be nil
}

func (w *walker) left() {
	if w.leave != nil {
		w.leave()
	}
}

func (w *walker) walk(n Node) {
	switch n := n.(type) {
	case Expr:
		w.expr(n)
	case Stmt:
		w.stmt(n)
	case Pattern:
		w.pattern(n)
	case TypeParam:
		w.typeParam(n)
	case *Module:
		if w.enter(n) {
			w.stmts(n.Body)
			w.left()
		}
	case *Arguments:
		w.arguments(n)
	case *Arg:
		w.arg(n)
	case *Keyword:
		w.keyword(n)
	default:
		w.part(n)
	}
}

// The functions below call enter where the concrete type of a node is known: to
// make a Node of another interface takes longer than all the rest.

func (w *walker) stmt(n Stmt) {
	switch n := n.(type) {
	case *FunctionDef:
		if !w.enter(n) {
			return
		}
		w.exprs(n.DecoratorList)
		walkList(w, n.TypeParams)
		w.arguments(n.Args)
		w.optional(n.Returns)
		w.stmts(n.Body)
	case *ClassDef:
		if !w.enter(n) {
			return
		}
		w.exprs(n.DecoratorList)
		walkList(w, n.TypeParams)
		w.callArgs(n.Bases, n.Keywords)
		w.stmts(n.Body)
	case *Return:
		if !w.enter(n) {
			return
		}
		w.optional(n.Value)
	case *Delete:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Targets)
	case *Assign:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Targets)
		w.expr(n.Value)
	case *TypeAlias:
		if !w.enter(n) {
			return
		}
		w.expr(n.Name)
		walkList(w, n.TypeParams)
		w.expr(n.Value)
	case *AugAssign:
		if !w.enter(n) {
			return
		}
		w.expr(n.Target)
		w.expr(n.Value)
	case *AnnAssign:
		if !w.enter(n) {
			return
		}
		w.expr(n.Target)
		w.expr(n.Annotation)
		w.optional(n.Value)
	case *For:
		if !w.enter(n) {
			return
		}
		w.expr(n.Target)
		w.expr(n.Iter)
		w.stmts(n.Body)
		w.stmts(n.Orelse)
	case *While:
		if !w.enter(n) {
			return
		}
		w.expr(n.Test)
		w.stmts(n.Body)
		w.stmts(n.Orelse)
	case *If:
		if !w.enter(n) {
			return
		}
		w.expr(n.Test)
		w.stmts(n.Body)
		w.stmts(n.Orelse)
	case *With:
		if !w.enter(n) {
			return
		}
		walkList(w, n.Items)
		w.stmts(n.Body)
	case *Match:
		if !w.enter(n) {
			return
		}
		w.expr(n.Subject)
		walkList(w, n.Cases)
	case *Raise:
		if !w.enter(n) {
			return
		}
		w.optional(n.Exc)
		w.optional(n.Cause)
	case *Try:
		if !w.enter(n) {
			return
		}
		w.stmts(n.Body)
		walkList(w, n.Handlers)
		w.stmts(n.Orelse)
		w.stmts(n.Finalbody)
	case *Assert:
		if !w.enter(n) {
			return
		}
		w.expr(n.Test)
		w.optional(n.Msg)
	case *Import:
		if !w.enter(n) {
			return
		}
		walkList(w, n.Names)
	case *ImportFrom:
		if !w.enter(n) {
			return
		}
		walkList(w, n.Names)
	case *ExprStmt:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *Global, *Nonlocal, *Pass, *Break, *Continue:
		if !w.enter(n) {
			return
		}
	default:
		panic(fmt.Sprintf("ast: unexpected statement %T", n))
	}
	w.left()
}

func (w *walker) expr(n Expr) {
	switch n := n.(type) {
	case *BoolOp:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Values)
	case *NamedExpr:
		if !w.enter(n) {
			return
		}
		w.expr(n.Target)
		w.expr(n.Value)
	case *BinOp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Left)
		w.expr(n.Right)
	case *UnaryOp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Operand)
	case *Lambda:
		if !w.enter(n) {
			return
		}
		w.arguments(n.Args)
		w.expr(n.Body)
	case *IfExp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Body)
		w.expr(n.Test)
		w.expr(n.Orelse)
	case *Dict:
		if !w.enter(n) {
			return
		}
		for i, key := range n.Keys {
			w.optional(key)
			w.expr(n.Values[i])
		}
	case *Set:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Elts)
	case *ListComp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Elt)
		walkList(w, n.Generators)
	case *SetComp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Elt)
		walkList(w, n.Generators)
	case *DictComp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Key)
		w.expr(n.Value)
		walkList(w, n.Generators)
	case *GeneratorExp:
		if !w.enter(n) {
			return
		}
		w.expr(n.Elt)
		walkList(w, n.Generators)
	case *Await:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *Yield:
		if !w.enter(n) {
			return
		}
		w.optional(n.Value)
	case *YieldFrom:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *Compare:
		if !w.enter(n) {
			return
		}
		w.expr(n.Left)
		w.exprs(n.Comparators)
	case *Call:
		if !w.enter(n) {
			return
		}
		w.expr(n.Func)
		w.callArgs(n.Args(), n.Keywords())
	case *FormattedValue:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
		w.optional(n.FormatSpec)
	case *Interpolation:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
		w.optional(n.FormatSpec)
	case *JoinedStr:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Values)
	case *TemplateStr:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Values)
	case *Attribute:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *Subscript:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
		w.expr(n.Slice)
	case *Starred:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *List:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Elts)
	case *Tuple:
		if !w.enter(n) {
			return
		}
		w.exprs(n.Elts)
	case *Slice:
		if !w.enter(n) {
			return
		}
		w.optional(n.Lower)
		w.optional(n.Upper)
		w.optional(n.Step)
	case *Name:
		if !w.enter(n) {
			return
		}
	case *Constant:
		if !w.enter(n) {
			return
		}
	default:
		panic(fmt.Sprintf("ast: unexpected expression %T", n))
	}
	w.left()
}

func (w *walker) pattern(n Pattern) {
	switch n := n.(type) {
	case *MatchValue:
		if !w.enter(n) {
			return
		}
		w.expr(n.Value)
	case *MatchSequence:
		if !w.enter(n) {
			return
		}
		walkList(w, n.Patterns)
	case *MatchMapping:
		if !w.enter(n) {
			return
		}
		for i, key := range n.Keys {
			w.expr(key)
			w.pattern(n.Patterns[i])
		}
	case *MatchClass:
		if !w.enter(n) {
			return
		}
		w.expr(n.Cls)
		walkList(w, n.Patterns)
		walkList(w, n.KwdPatterns)
	case *MatchAs:
		if !w.enter(n) {
			return
		}
		if n.Pattern != nil {
			w.pattern(n.Pattern)
		}
	case *MatchOr:
		if !w.enter(n) {
			return
		}
		walkList(w, n.Patterns)
	case *MatchSingleton, *MatchStar:
		if !w.enter(n) {
			return
		}
	default:
		panic(fmt.Sprintf("ast: unexpected pattern %T", n))
	}
	w.left()
}

func (w *walker) typeParam(n TypeParam) {
	switch n := n.(type) {
	case *TypeVar:
		if !w.enter(n) {
			return
		}
		w.optional(n.Bound)
		w.optional(n.DefaultValue)
	case *ParamSpec:
		if !w.enter(n) {
			return
		}
		w.optional(n.DefaultValue)
	case *TypeVarTuple:
		if !w.enter(n) {
			return
		}
		w.optional(n.DefaultValue)
	default:
		panic(fmt.Sprintf("ast: unexpected type parameter %T", n))
	}
	w.left()
}

func (w *walker) part(n Node) {
	switch n := n.(type) {
	case *WithItem:
		if !w.enter(n) {
			return
		}
		w.expr(n.ContextExpr)
		w.optional(n.OptionalVars)
	case *ExceptHandler:
		if !w.enter(n) {
			return
		}
		w.optional(n.Type)
		w.stmts(n.Body)
	case *MatchCase:
		if !w.enter(n) {
			return
		}
		w.pattern(n.Pattern)
		w.optional(n.Guard)
		w.stmts(n.Body)
	case *Comprehension:
		if !w.enter(n) {
			return
		}
		w.expr(n.Target)
		w.expr(n.Iter)
		w.exprs(n.Ifs)
	case *Alias:
		if !w.enter(n) {
			return
		}
	default:
		panic(fmt.Sprintf("ast: unexpected node %T", n))
	}
	w.left()
}

func (w *walker) arg(n *Arg) {
	if w.enter(n) {
		w.optional(n.Annotation)
		w.left()
	}
}

func (w *walker) keyword(n *Keyword) {
	if w.enter(n) {
		w.expr(n.Value)
		w.left()
	}
}

// arguments visits each parameter before its default.
func (w *walker) arguments(n *Arguments) {
	if !w.enter(n) {
		return
	}
	first := len(n.PosOnlyArgs) + len(n.Args) - len(n.Defaults)
	positional := func(args []*Arg, index int) {
		for i, arg := range args {
			w.arg(arg)
			if d := index + i - first; d >= 0 {
				w.expr(n.Defaults[d])
			}
		}
	}
	positional(n.PosOnlyArgs, 0)
	positional(n.Args, len(n.PosOnlyArgs))
	if n.Vararg != nil {
		w.arg(n.Vararg)
	}
	for i, arg := range n.KwOnlyArgs {
		w.arg(arg)
		w.optional(n.KwDefaults[i])
	}
	if n.Kwarg != nil {
		w.arg(n.Kwarg)
	}
	w.left()
}

// callArgs visits positional and keyword arguments, which may alternate,
// as in f(a=1, *b).
func (w *walker) callArgs(args []Expr, keywords []*Keyword) {
	for _, arg := range args {
		for len(keywords) > 0 && keywords[0].Pos() < arg.Pos() {
			w.keyword(keywords[0])
			keywords = keywords[1:]
		}
		w.expr(arg)
	}
	for _, k := range keywords {
		w.keyword(k)
	}
}

func (w *walker) optional(n Expr) {
	if n != nil {
		w.expr(n)
	}
}

func (w *walker) exprs(list []Expr) {
	for _, n := range list {
		w.expr(n)
	}
}

func (w *walker) stmts(list []Stmt) {
	for _, n := range list {
		w.stmt(n)
	}
}

// walkList visits nodes of the less frequent types.
func walkList[N Node](w *walker, list []N) {
	for _, n := range list {
		w.walk(n)
	}
}
