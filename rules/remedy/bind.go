package remedy

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// A Read is an expression that yields what a step reads: the subscript itself,
// or the call of a function that returns it.
type Read struct {
	Step int32
	Expr ast.Node
}

// Bind returns the edits that look an entry up once and keep it in a variable,
// for a check of a container and the reads that rest on it: a membership test
// becomes a test for None, an insert of an absent entry a setdefault. Where the test
// is only made at times, or again and again, the look-up takes its place as it is. It
// returns nil when check and reads are not of that form.
func Bind(g *flow.Graph, check int32, reads []Read) []patch.Edit {
	b := binding{g: g, id: check, check: &g.Nodes[check]}
	b.fn, b.ed = b.check.Fn, patch.NewEditor(b.check.Mod.AST)
	b.name = entryName(b.fn)
	if b.name == "" || !b.collect(reads) || b.changes(reads) {
		return nil
	}
	var edits []patch.Edit
	switch b.check.Op {
	case flow.Has:
		if b.steady() {
			edits = b.membership()
		}
		if edits == nil && b.fresh() {
			edits = b.inPlace()
		}
	case flow.Put:
		if b.steady() {
			edits = b.setdefault()
		}
	}
	if edits == nil {
		return nil
	}
	for _, r := range b.reads {
		if len(commentsIn(b.check, r)) > 0 {
			return nil
		}
		edits = append(edits, b.ed.ReplaceExpr(r, b.name))
	}
	patch.Sort(edits)
	return edits
}

type binding struct {
	g     *flow.Graph
	fn    *program.Func
	id    int32
	check *flow.Node
	ed    *patch.Editor
	name  string
	reads []ast.Expr
}

// entryName returns a variable for an entry that a function does not use yet, or "".
func entryName(f *program.Func) string { return FreshVar(f, "entry", "found", "present") }

// FreshVar returns the first of some names that a function does not use, or "".
func FreshVar(f *program.Func, names ...string) string {
	used := map[string]bool{}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			used[n.Id()] = true
		case *ast.Arg:
			used[n.Arg()] = true
		}
		return true
	})
	for _, name := range names {
		if !used[name] {
			return name
		}
	}
	return ""
}

// collect gathers the expressions to replace; it reports whether all are values
// that are read from the container of the check, in its function.
func (b *binding) collect(reads []Read) bool {
	seen := map[ast.Node]bool{}
	for _, r := range reads {
		n := &b.g.Nodes[r.Step]
		switch x := r.Expr.(type) {
		case *ast.Subscript:
			if n.Fn != b.fn {
				return false
			}
		case *ast.Call:
			if ret, ok := n.Stmt.(*ast.Return); !ok || ret.Value != n.Src || n.Frame.Call != x || n.Frame.Caller != b.check.Frame {
				return false
			}
		default:
			return false
		}
		if n.Op != flow.Read || !isMap(n) || !evidence.SameEntry(n, b.check) {
			return false
		}
		if x := r.Expr.(ast.Expr); !seen[x] {
			seen[x] = true
			b.reads = append(b.reads, x)
		}
	}
	return len(b.reads) > 0
}

// changes reports whether the entry is stored or removed between the check and a
// read, so that a variable would keep an old one.
func (b *binding) changes(reads []Read) bool {
	for i := range b.g.Nodes {
		n := &b.g.Nodes[i]
		id := int32(i)
		if id == b.id || n.Op != flow.Put && n.Op != flow.Del || !evidence.SameEntry(n, b.check) || !b.leads(b.id, id) {
			continue
		}
		for _, r := range reads {
			if b.leads(id, r.Step) {
				return true
			}
		}
	}
	return false
}

// leads reports whether a walk leads from one step to another without passing
// the check again.
func (b *binding) leads(from, to int32) bool {
	return b.g.Find(flow.Search{
		From: []int32{from}, After: true, Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
		Avoid: func(id int32, _ *flow.Node) bool { return id == b.id },
	}) != nil
}

// membership looks the entry up before the statement with the test.
func (b *binding) membership() []patch.Edit {
	cmp, ok := b.check.Src.(*ast.Compare)
	if _, loop := b.check.Stmt.(*ast.While); !ok || loop || len(cmp.Ops) != 1 {
		return nil
	}
	test := b.name + " is not None"
	if cmp.Ops[0] == ast.NotIn {
		test = b.name + " is None"
	}
	lookup := b.name + " = " + b.primary(viewed(cmp.Comparators[0])) + ".get(" + b.arg(cmp.Left) + ")"
	edits, err := b.ed.InsertBefore(b.check.Stmt, keeping(b.check, cmp, lookup)...)
	if err != nil {
		return nil
	}
	return append(edits, b.ed.ReplaceExpr(cmp, test))
}

// inPlace looks the entry up where the test is.
func (b *binding) inPlace() []patch.Edit {
	cmp := b.check.Src.(*ast.Compare)
	if len(commentsIn(b.check, cmp)) > 0 {
		return nil
	}
	test := "(" + b.name + " := " + b.primary(viewed(cmp.Comparators[0])) + ".get(" + b.arg(cmp.Left) + ")) is not None"
	if cmp.Ops[0] == ast.NotIn {
		test = strings.TrimSuffix(test, "not None") + "None"
	}
	return []patch.Edit{b.ed.ReplaceExpr(cmp, test)}
}

// setdefault replaces "if k not in d: d[k] = v", by a test of the entry where it costs
// something to make the value.
func (b *binding) setdefault() []patch.Edit {
	put, ok := b.check.Stmt.(*ast.Assign)
	if !ok || len(put.Targets) != 1 {
		return nil
	}
	item, ok := put.Targets[0].(*ast.Subscript)
	if !ok {
		return nil
	}
	guard := ifAround(b.fn.Body(), put)
	if guard == nil { // entry = d[k] = v
		return []patch.Edit{b.ed.ReplaceExpr(item, b.name+" = "+b.text(item))}
	}
	if len(guard.Body) != 1 || len(guard.Orelse) != 0 {
		return nil
	}
	container, key := b.primary(item.Value), b.arg(item.Slice)
	cmp, ok := guard.Test.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.NotIn || b.primary(cmp.Comparators[0]) != container || b.arg(cmp.Left) != key {
		return nil
	}
	with := []string{b.name + " = " + container + ".setdefault(" + key + ", " + b.text(put.Value) + ")"}
	if !isCheap(put.Value) {
		with = []string{
			b.name + " = " + container + ".get(" + key + ")",
			"if " + b.name + " is None:",
			b.ed.IndentUnit() + b.name + " = " + b.text(item) + " = " + b.text(put.Value),
		}
	}
	edits, err := b.ed.ReplaceStmts([]ast.Stmt{guard}, keeping(b.check, guard, with...)...)
	if err != nil {
		return nil
	}
	return edits
}

// isCheap reports whether an expression can be evaluated for nothing: it makes an empty
// container, or names something.
func isCheap(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Constant, *ast.Name, *ast.Attribute:
		return true
	case *ast.List:
		return len(e.Elts) == 0
	case *ast.Dict:
		return len(e.Values) == 0
	case *ast.Call:
		fn, ok := e.Func.(*ast.Name)
		return ok && len(e.Args())+len(e.Keywords()) == 0 && containers[fn.Id()]
	}
	return false
}

// containers are the names of what makes an empty container.
var containers = map[string]bool{
	"dict": true, "set": true, "list": true, "deque": true, "OrderedDict": true, "Counter": true,
}

func (b *binding) text(e ast.Expr) string    { return rule.Text(b.check, e) }
func (b *binding) arg(e ast.Expr) string     { return rule.Arg(b.check, e) }
func (b *binding) primary(e ast.Expr) string { return rule.Primary(b.check, e) }

// ifAround returns the innermost if statement whose body has a statement.
func ifAround(body []ast.Stmt, st ast.Stmt) *ast.If {
	for _, s := range body {
		if s == st || !ast.Encloses(s, st) {
			continue
		}
		for _, inner := range blocks(s) {
			if found := ifAround(inner, st); found != nil {
				return found
			}
		}
		if n, ok := s.(*ast.If); ok {
			for _, x := range n.Body {
				if x == st {
					return n
				}
			}
		}
	}
	return nil
}
