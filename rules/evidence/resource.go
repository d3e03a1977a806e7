package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// A Release is a call that gives a resource back.
type Release struct {
	ID   int32
	Node *flow.Node
	Verb string // "" when only the configuration tells
	lore *taught.Lore
	// Item is what is given back: the first argument, or the receiver of a call
	// without arguments.
	Item *flow.Value
}

// Releases returns the calls of a graph that give something back and are not
// followed: those that are consist of such calls, or of steps on shared state.
func Releases(g *flow.Graph) []Release {
	return flow.Once(g, releasesNote{}, func() []Release { return releases(g) })
}

type releasesNote struct{}

func releases(g *flow.Graph) []Release {
	var out []Release
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Call || len(n.Pred) == 0 {
			continue
		}
		verb, ok := flow.ReleaseVerb(n.Name)
		if _, told := g.Taught.Takes("", n.Name); !ok && !told {
			continue
		}
		item := FirstArg(n)
		if item == nil && len(callArgs(n)) == 0 {
			item = n.Recv
		}
		if item != nil && item.Kind != flow.Const && !idempotent(n.Target) {
			out = append(out, Release{ID: int32(i), Node: n, Verb: verb, lore: g.Taught, Item: item})
		}
	}
	return out
}

// Asked returns the release as the outermost function sees it that asks for it by
// name: a call of a helper whose name has a verb of release as well and which is
// handed the item. A helper that can be called twice for one item is none.
func (r Release) Asked() *flow.Node {
	out := r.Node
	at := r.Node.Src
	for fr := r.Node.Frame; fr != nil && fr.Caller != nil; fr = fr.Caller {
		if _, verb := flow.ReleaseVerb(fr.Fn.Name); verb && passes(fr, r.Item) && !repeatable(fr.Fn, at) {
			n := *r.Node
			n.Name, n.Src, n.Mod, n.Fn, n.Frame = fr.Fn.Name, fr.Call, fr.Mod, fr.Caller.Fn, fr.Caller
			n.Stmt = StatementAt(n.Fn, fr.Call)
			out = &n
		}
		at = fr.Call
	}
	return out
}

// passes reports whether a call hands a value on.
func passes(fr *flow.Frame, v *flow.Value) bool {
	for _, a := range fr.Args {
		if a.Same(v) {
			return true
		}
	}
	return false
}

// repeatable reports whether a function can be called twice for what a call in it
// gives back: an attribute decides whether it gets there, and is set in it.
func repeatable(f *program.Func, call ast.Node) bool {
	tested := map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			i, ok := n.(*ast.If)
			if !ok {
				return true
			}
			around := ast.Encloses(i, call)
			if around || i.End() <= call.Pos() && jumps(i.Body) {
				markAttributes(i.Test, tested)
			}
			return true
		})
	}
	for name := range attributesSet(f) {
		if tested[name] {
			return true
		}
	}
	return false
}

// jumps reports whether a block ends with a jump.
func jumps(body []ast.Stmt) bool {
	switch body[len(body)-1].(type) {
	case *ast.Return, *ast.Raise, *ast.Continue, *ast.Break:
		return true
	}
	return false
}

func markAttributes(e ast.Expr, into map[string]bool) {
	ast.Inspect(e, func(x ast.Node) bool {
		if at, ok := x.(*ast.Attribute); ok {
			into[at.Attr()] = true
		}
		return true
	})
}

// attributesSet returns the names of the attributes that a function assigns.
func attributesSet(f *program.Func) map[string]bool {
	out := map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if a, ok := n.(*ast.Assign); ok {
				for _, t := range a.Targets {
					if at, ok := t.(*ast.Attribute); ok {
						out[at.Attr()] = true
					}
				}
			}
			return true
		})
	}
	return out
}

// TakenBy reports whether a call of some name takes what the release gives back.
func (r Release) TakenBy(name string) bool {
	return r.Told(name) || r.Verb != "" && flow.Acquires(name, r.Verb)
}

// Told reports whether the configuration says that a call of some name takes what the
// release gives back.
func (r Release) Told(name string) bool {
	takes, _ := r.lore.Takes(name, r.Node.Name)
	return takes
}

// Gives reports whether two releases give the same thing back in the same way.
func (r Release) Gives(s Release) bool {
	return r.Node.Name == s.Node.Name && r.Item.Same(s.Item) && (r.Node.Recv == nil) == (s.Node.Recv == nil) &&
		(r.Node.Recv == nil || r.Node.Recv.Same(s.Node.Recv))
}

// FirstArg returns the first positional argument of a call, or nil.
func FirstArg(n *flow.Node) *flow.Value {
	if n.Val == nil || n.Val.Kind != flow.Derived || n.Val.Name != "args" || len(n.Val.Args) == 0 {
		return nil
	}
	return n.Val.Args[0]
}

// callArgs returns the arguments of a call as they are written.
func callArgs(n *flow.Node) []ast.Expr {
	call, ok := n.Src.(*ast.Call)
	if !ok {
		return nil
	}
	args := append([]ast.Expr(nil), call.Args()...)
	for _, k := range call.Keywords() {
		args = append(args, k.Value)
	}
	return args
}

// idempotent reports whether a function of the program can be called twice for
// one resource: it returns early on some condition, and sets an attribute that
// such a condition can ask for.
func idempotent(f *program.Func) bool {
	if f == nil {
		return false
	}
	tested := map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if i, ok := n.(*ast.If); ok {
				markAttributes(i.Test, tested)
			}
			return true
		})
	}
	for name := range attributesSet(f) {
		if tested[name] {
			return true
		}
	}
	return false
}
