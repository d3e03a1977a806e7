package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// lowerModule finds what the statements of a module start when it is imported:
//
//	DEPOT = Depot()
//	threading.Thread(target=DEPOT.serve, daemon=True).start()
//
// They are lowered like a function that runs once; no entrypoint is made of them.
func (p *Program) lowerModule(m *program.Module) {
	var body []ast.Stmt
	for _, st := range m.AST.Body {
		switch st.(type) {
		case *ast.FunctionDef, *ast.ClassDef:
			continue
		}
		s := summary{}
		if p.touching.scan(st, &s); s.starts {
			body = append(body, st)
		}
	}
	if len(body) == 0 {
		return
	}
	r := ast.Range{Start: body[0].Pos(), Stop: body[len(body)-1].End()}
	e := &Entry{Role: Init, Func: &program.Func{
		Module: m, Name: "<module>", Qual: "<module>", Scope: m.Scope,
		Node: &ast.FunctionDef{Range: r, Body: body},
	}}
	p.lower(e)
	for _, x := range p.Entries {
		for i := range x.Spawns {
			if x.Spawns[i].By == e {
				x.Spawns[i].By = nil
			}
		}
	}
}

// dropTargets leaves out the hooks that nobody calls: methods that a thread runs,
// whoever starts it.
func (p *Program) dropTargets() {
	type method struct {
		f *program.Func
		c *program.Class
	}
	threads := map[method]bool{}
	for _, e := range p.Entries {
		if e.Role == ThreadOf && e.Class != nil {
			threads[method{e.Func, e.Class}] = true
		}
	}
	p.Entries = slices.DeleteFunc(p.Entries, func(e *Entry) bool {
		return e.Role == Caller && len(e.Spawns) == 0 && threads[method{e.Func, e.Class}] && !p.Taught.Hook(e.Func.Name) &&
			!slices.ContainsFunc(p.Index.Calls(e.Func.Name), func(s program.CallSite) bool { return !p.isTest(s.Module) })
	})
}
