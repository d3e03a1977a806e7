package flow

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// survey walks once over all code for what decides what is worth lowering.
type survey struct {
	p *Program
	r *relevance
	// attrs are the names of all attributes, and globals those of all variables of
	// modules, that may matter.
	attrs, globals map[string]bool

	funcs   []mention
	takings []taking
}

// mention is what one function mentions.
type mention struct {
	f                *program.Func
	starts, releases bool     // here or in a function inside
	globals          []string // likewise

	attrs         []*ast.Attribute // of its own, in source order
	raises, times bool             // of its own
}

func (v *survey) run() {
	for _, m := range v.p.Index.Modules {
		eachGlobal(m, func(name *ast.Name) { v.globals[name.Id()] = true })
	}
	for _, m := range v.p.Index.Modules {
		for _, st := range m.AST.Body {
			switch st.(type) {
			case *ast.FunctionDef, *ast.ClassDef:
			default:
				v.r.scan(st, &summary{})
			}
		}
	}
	v.funcs = make([]mention, 0, len(v.p.Index.Funcs))
	for _, f := range v.p.Index.Funcs {
		if f.Outer == nil {
			v.function(f, f, nil)
		}
	}
	if len(v.funcs) == len(v.p.Index.Funcs) {
		return
	}
	seen := map[*program.Func]bool{}
	for i := range v.funcs {
		seen[v.funcs[i].f] = true
	}
	for _, f := range v.p.Index.Funcs {
		if !seen[f] { // two functions are declared by one node
			v.function(f, f, nil)
		}
	}
}

// function looks at a function that stands in the function top, or is that, and in
// some methods.
func (v *survey) function(f, top *program.Func, methods []*program.Func) mention {
	if m := f.SelfFunc(); m != nil && f.Class != nil { // nested functions are part of their method
		methods = append(methods[:len(methods):len(methods)], m)
	}
	s := summary{methods: methods}
	at := len(v.funcs)
	v.funcs = append(v.funcs, mention{f: f})
	m := mention{f: f}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FunctionDef, *ast.Lambda:
			if g := v.p.Index.FuncOf(n); g != nil && n != f.Node {
				in := v.function(g, top, methods)
				m.starts, m.releases = m.starts || in.starts, m.releases || in.releases
				m.globals = append(m.globals, in.globals...)
				return false
			}
		case *ast.Attribute:
			if v.attrs[n.Attr()] {
				m.attrs = append(m.attrs, n)
			}
		case *ast.Name:
			if v.globals[n.Id()] {
				m.globals = append(m.globals, n.Id())
			}
		case *ast.Raise:
			m.raises = m.raises || n.Exc != nil
		}
		v.r.see(n, &s)
		v.taking(n, top)
		return true
	})
	m.starts, m.releases, m.times = m.starts || s.starts, m.releases || s.releases, s.clock
	v.funcs[at] = m
	return m
}

// taking notes a node that takes something out of a container: at once or, where a
// method that does so is used as a value, later.
func (v *survey) taking(n ast.Node, f *program.Func) {
	add := func(e ast.Expr, loose bool) { v.takings = append(v.takings, taking{f, e, loose}) }
	later := func(e ast.Expr) {
		if at, ok := e.(*ast.Attribute); ok && takers[at.Attr()] {
			add(at.Value, false)
		}
	}
	switch n := n.(type) {
	case *ast.Subscript:
		if n.Ctx == ast.Del {
			add(n.Value, false)
		}
	case *ast.AugAssign:
		if n.Op == ast.Sub || n.Op == ast.BitAnd {
			add(n.Target, false)
		}
	case *ast.Call:
		if at, ok := n.Func.(*ast.Attribute); ok {
			if name := at.Attr(); takers[name] {
				add(at.Value, len(n.Args()) == 0 && name != "popleft" && name != "popitem")
			}
		}
		for _, a := range n.Args() {
			later(a)
		}
	case *ast.Assign:
		later(n.Value)
	}
}
