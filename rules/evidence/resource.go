package evidence

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// releaseVerbs are the verbs of calls that give something back, with those of
// the calls that take it.
var releaseVerbs = map[string][]string{
	"free":       {"alloc", "allocate", "malloc", "reserve", "get", "new"},
	"dealloc":    {"alloc", "allocate"},
	"deallocate": {"alloc", "allocate"},
	"release":    {"acquire", "alloc", "allocate", "reserve", "take", "protect", "checkout", "open"},
	"unpin":      {"pin"},
	"unlock":     {"lock"},
	"unmap":      {"map", "mmap"},
	"unprotect":  {"protect"},
	"deregister": {"register"},
	"unregister": {"register"},
}

// notVerbs are words before which a verb of release is none: num_free, is_free.
var notVerbs = map[string]bool{"is": true, "num": true, "get": true, "has": true, "can": true, "total": true, "mem": true, "set": true, "on": true}

// ReleaseVerb returns the verb of a method name that gives something back, such
// as free_buffer, lookup_unpin, dec_lock_ref or ref_count_down.
func ReleaseVerb(name string) (string, bool) {
	parts := strings.Split(strings.Trim(name, "_"), "_")
	first, last := parts[0], parts[len(parts)-1]
	switch {
	case notVerbs[first]:
		return "", false
	case releaseVerbs[first] != nil:
		return first, true
	case releaseVerbs[last] != nil:
		return last, true
	case (first == "dec" || first == "decref" || first == "decr") && strings.Contains(name, "ref"), strings.HasSuffix(name, "count_down"):
		return "dec", true
	}
	return "", false
}

// Acquires reports whether a method name is the counterpart of a verb of release:
// alloc_buffer for free.
func Acquires(name, verb string) bool {
	parts := strings.Split(strings.Trim(name, "_"), "_")
	first, last := parts[0], parts[len(parts)-1]
	if verb == "dec" {
		return strings.HasPrefix(first, "inc") && strings.Contains(name, "ref") || strings.HasSuffix(name, "count_up")
	}
	for _, v := range releaseVerbs[verb] {
		if first == v || last == v {
			return true
		}
	}
	return false
}

// A Release is a call that gives a resource back.
type Release struct {
	ID   int32
	Node *flow.Node
	Verb string
	// Item is what is given back: the first argument, or the receiver of a call
	// without arguments.
	Item *flow.Value
}

// Releases returns the calls of a graph that give something back and are not
// followed: those that are consist of such calls, or of steps on shared state.
func Releases(g *flow.Graph) []Release {
	var out []Release
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Call || len(n.Pred) == 0 {
			continue
		}
		verb, ok := ReleaseVerb(n.Name)
		if !ok {
			continue
		}
		item := FirstArg(n)
		if item == nil && len(callArgs(n)) == 0 {
			item = n.Recv
		}
		if item != nil && item.Kind != flow.Const && !idempotent(n.Target) {
			out = append(out, Release{ID: int32(i), Node: n, Verb: verb, Item: item})
		}
	}
	return out
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
	args := append([]ast.Expr(nil), call.Args...)
	for _, k := range call.Keywords {
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
	tested, reset := map[string]bool{}, map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.If:
				ast.Inspect(n.Test, func(x ast.Node) bool {
					if at, ok := x.(*ast.Attribute); ok {
						tested[at.Attr] = true
					}
					return true
				})
			case *ast.Assign:
				for _, t := range n.Targets {
					if at, ok := t.(*ast.Attribute); ok {
						reset[at.Attr] = true
					}
				}
			}
			return true
		})
	}
	for name := range tested {
		if reset[name] {
			return true
		}
	}
	return false
}
