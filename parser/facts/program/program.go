// Package program indexes a set of parsed modules as one program: modules and
// their names, classes with their method resolution order, functions, the
// attributes of objects and the types of expressions.
//
// The index is driven by use. It follows what the program says (imports,
// bases, annotations, constructor calls, what is assigned to an attribute)
// and gives up otherwise: a thing that cannot be resolved is [Unknown], never
// guessed from a name.
//
// A [Program] is immutable after [New] apart from memoized answers; its methods are
// safe for concurrent use.
package program

import (
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kvrace/kvrace/parser/ast"
)

// A Program is the index of all modules.
type Program struct {
	Modules []*Module // sorted by file
	Classes []*Class  // in the order of modules and positions
	Funcs   []*Func   // likewise; lambdas included

	byPath  map[string]*Module   // dotted path from the root
	bySuff  map[string][]*Module // last component of the dotted path
	imports map[string][]*Module // memo of overlapping

	asking        sync.Mutex // held while a question is answered, for what follows
	types         memo       // of expressions outside of methods
	busy          map[busyKey]bool
	calls         map[string][]CallSite
	instanceTests map[*Func][]*ast.Call // memo of isinstanceCalls
	funcOf        map[ast.Node]*Func
	classOf       map[*ast.ClassDef]*Class
	pending       []pendingElem
	outside       []outsideStore
	wrapped       map[wrapperKey]*Func    // memo of Wrapper
	again         map[*ast.Call]*ast.Call // memo of Again
	stores        map[string]int
	isLock        func(class, attr string) bool

	// Of the question under way: how deep it is, how many expressions it has
	// looked at, and how often an answer was cut short.
	depth, steps, cuts int
}

// A Module is one source file.
type Module struct {
	File string // as given to New, with slashes
	Path string // dotted, from the root: pkg.sub.mod
	AST  *ast.Module
	// Package reports whether the file is an __init__.py.
	Package bool
	Scope   *Scope
	Classes []*Class
	Funcs   []*Func // functions at module level
	Stars   []*ast.ImportFrom

	// imported is the end of Path by which the packages around it know it, or "".
	imported string
}

// New indexes the modules. Their names must be paths relative to the root of
// the program, with slashes.
func New(modules []*ast.Module) *Program {
	return NewWith(modules, Options{})
}

// Options tell what is known of a program beside its modules.
type Options struct {
	// IsLock is asked whether an attribute excludes like a lock where its type is not
	// known, by the name of a class that has it; nil for none.
	IsLock func(class, attr string) bool
	// Imported are the dotted names by which modules are imported from the folder that
	// their packages lie in, by file; it may be nil.
	Imported map[string]string
}

// NewWith is New with more that is known.
func NewWith(modules []*ast.Module, opt Options) *Program {
	if opt.IsLock == nil {
		opt.IsLock = func(string, string) bool { return false }
	}
	p := &Program{
		isLock:  opt.IsLock,
		byPath:  map[string]*Module{},
		bySuff:  map[string][]*Module{},
		imports: map[string][]*Module{},
		busy:    map[busyKey]bool{},
		funcOf:  map[ast.Node]*Func{},
		classOf: map[*ast.ClassDef]*Class{},
		stores:  map[string]int{},
	}
	sorted := append([]*ast.Module(nil), modules...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	for _, m := range sorted {
		p.addModule(m, opt.Imported[m.Name])
	}
	for _, m := range p.Modules {
		c := collector{prog: p, mod: m}
		c.block(m.AST.Body, m.Scope, nil, nil)
	}
	for _, c := range p.Classes {
		c.resolveBases()
	}
	cutCycles(p.Classes)
	for _, c := range p.Classes {
		c.linearize(nil)
	}
	p.adoptMethods()
	for _, c := range p.Classes {
		c.nameMethods()
	}
	for _, c := range p.Classes {
		for _, b := range c.Bases {
			b.Subclasses = append(b.Subclasses, c)
		}
		c.collectAttrs()
	}
	p.pending = slices.DeleteFunc(p.pending, pendingElem.record)
	p.attrsFromOutside()
	for _, e := range p.pending {
		e.record()
	}
	p.pending = nil
	return p
}

func (p *Program) addModule(m *ast.Module, imported string) {
	mod := &Module{File: m.Name, AST: m, imported: imported}
	dotted := strings.TrimSuffix(m.Name, path.Ext(m.Name))
	if path.Base(dotted) == "__init__" {
		mod.Package = true
		dotted = path.Dir(dotted)
	}
	mod.Path = strings.ReplaceAll(strings.Trim(dotted, "./"), "/", ".")
	mod.Scope = newScope(nil, nil)
	p.Modules = append(p.Modules, mod)
	if p.byPath[mod.Path] == nil || mod.Package {
		p.byPath[mod.Path] = mod
	}
	last := mod.Path[strings.LastIndexByte(mod.Path, '.')+1:]
	p.bySuff[last] = append(p.bySuff[last], mod)
}

// module returns the module that an import of dotted in another one names, or nil. A
// program is often only a part of what its imports start from, or lies below a source
// folder, so one of the two paths may be a proper suffix of the other; the longest
// overlap wins. A tree can hold a program twice, as one that keeps a copy of another
// does: of several, it is the one whose source folder is around the module that imports,
// and none where there are more.
func (p *Program) module(dotted string, from *Module) *Module {
	if m := p.byPath[dotted]; m != nil {
		return m
	}
	all := p.overlapping(dotted)
	switch len(all) {
	case 0:
		return p.beside(dotted, from)
	case 1:
		return all[0]
	}
	var near *Module
	for _, m := range all {
		folder, ok := strings.CutSuffix(m.Path, "."+dotted)
		if top := p.byPath[folder]; !ok || top != nil && top.Package || !strings.HasPrefix(from.Path, folder+".") {
			continue
		}
		if near != nil {
			return nil
		}
		near = m
	}
	return near
}

// beside returns the module in the packages beside those of the one that imports whose
// name from there is the end of dotted names: the program is a part of what its imports
// start from, and lies below folders of which they know nothing.
func (p *Program) beside(dotted string, from *Module) *Module {
	folder, ok := strings.CutSuffix(from.Path, from.imported)
	if !ok || from.imported == "" || folder == "" {
		return nil
	}
	var best *Module
	tie := false
	for _, m := range p.bySuff[dotted[strings.LastIndexByte(dotted, '.')+1:]] {
		if m.imported == "" || m.Path != folder+m.imported || overlap(m.imported, dotted) == 0 {
			continue
		}
		switch {
		case best == nil || len(m.imported) > len(best.imported):
			best, tie = m, false
		case len(m.imported) == len(best.imported):
			tie = true
		}
	}
	if tie {
		return nil
	}
	return best
}

// overlapping returns the modules whose paths have the longest overlap with dotted names.
func (p *Program) overlapping(dotted string) []*Module {
	all, known := p.imports[dotted]
	if known {
		return all
	}
	best := 0
	for _, cand := range p.bySuff[dotted[strings.LastIndexByte(dotted, '.')+1:]] {
		switch n := overlap(cand.Path, dotted); {
		case n > best:
			all, best = []*Module{cand}, n
		case n == best && n > 0:
			all = append(all, cand)
		}
	}
	p.imports[dotted] = all
	return all
}

// overlap returns the length of the shorter path when it is a suffix of the
// longer one at a dot, and 0 otherwise. A single component of an import is
// too little to go by.
func overlap(have, want string) int {
	switch {
	case strings.HasSuffix(have, "."+want):
		return len(want)
	case strings.HasSuffix(want, "."+have) && strings.Contains(have, "."):
		return len(have)
	}
	return 0
}

// relative returns the dotted path that an ImportFrom in mod names.
func (mod *Module) relative(n *ast.ImportFrom) string {
	if n.Level == 0 {
		return n.Module
	}
	parts := strings.Split(mod.Path, ".")
	up := int(n.Level)
	if mod.Package {
		up--
	}
	if up > len(parts) {
		return n.Module
	}
	parts = parts[:len(parts)-up]
	if n.Module != "" {
		parts = append(parts, n.Module)
	}
	return strings.Join(parts, ".")
}

// FuncOf returns the function that a FunctionDef or Lambda node declares.
func (p *Program) FuncOf(n ast.Node) *Func { return p.funcOf[n] }

// ClassOf returns the class that a node declares.
func (p *Program) ClassOf(n *ast.ClassDef) *Class { return p.classOf[n] }

// Stores returns how many assignments in the program store to an attribute of
// the given name, of whatever object.
func (p *Program) Stores(attr string) int { return p.stores[attr] }
