package checker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/report"
)

// A panic in the analysis is an error of ours, and almost always of what we make
// of one file. So the file is looked for by leaving out one half of the program
// after the other; it is reported, and the analysis goes on without it.

// A crash is a panic in an analyzer.
type crash struct {
	analyzer *analysis.Analyzer
	value    any
}

func (c *crash) Error() string {
	return fmt.Sprintf("%s: internal error: %v; please report it", c.analyzer.Name, c.value)
}

// caught turns a panic into a crash. It must be deferred itself.
func caught(a *analysis.Analyzer, err *error) {
	if r := recover(); r != nil {
		if os.Getenv("KVRACE_PANIC") != "" {
			panic(r) // with the stack, for whoever looks for the cause
		}
		*err = &crash{a, r}
	}
}

// maxCulprits bounds the files that are left out of one analysis.
const maxCulprits = 5

// withoutCulprits returns the findings in a program, and the program without the
// files that made the analysis panic. These are added to its errors.
func (p *program) withoutCulprits(ctx context.Context) (*program, []ruleFinding, error) {
	for {
		findings, err := p.findings(ctx)
		var c *crash
		if !errors.As(err, &c) || len(p.culprits) == maxCulprits {
			return p, findings, err
		}
		name, ok := p.culprit(ctx, c.analyzer)
		if !ok {
			return p, findings, err
		}
		q := p.without(func(m *ast.Module) bool { return m.Name == name })
		q.stages = p.stages
		q.culprits = append(slices.Clone(p.culprits), report.Error{
			File: name, Message: fmt.Sprintf("left out: %v, with this file", c),
		})
		p = q
	}
}

// culprit returns the name of a file without which an analyzer does not panic.
func (p *program) culprit(ctx context.Context, a *analysis.Analyzer) (string, bool) {
	defer func(whole *program) { whole.quiet = false }(p)
	p.quiet = true
	suspects := p.syntax.Modules
	for len(suspects) > 1 {
		left, right := suspects[:len(suspects)/2], suspects[len(suspects)/2:]
		switch {
		case !p.withoutAll(left).crashes(ctx, a):
			suspects = left
		case !p.withoutAll(right).crashes(ctx, a):
			suspects = right
		default: // there is one in either half: look for that on the left alone
			p = p.withoutAll(right)
			suspects = left
		}
	}
	if len(suspects) == 0 || ctx.Err() != nil || p.withoutAll(suspects).crashes(ctx, a) {
		return "", false
	}
	return suspects[0].Name, true
}

// crashes reports whether an analyzer panics.
func (p *program) crashes(ctx context.Context, a *analysis.Analyzer) bool {
	_, err := p.run(ctx, a)
	var c *crash
	return errors.As(err, &c)
}

func (p *program) withoutAll(modules []*ast.Module) *program {
	return p.without(func(m *ast.Module) bool { return slices.Contains(modules, m) })
}

// without returns the program without some modules, with nothing known about it.
func (p *program) without(left func(*ast.Module) bool) *program {
	syn := *p.syntax
	syn.Modules = slices.DeleteFunc(slices.Clone(syn.Modules), left)
	return &program{
		opt: p.opt, paths: p.paths, names: p.names, fset: p.fset, syntax: &syn, quiet: p.quiet, answers: p.answers,
		results: map[*analysis.Analyzer]any{syntax.Analyzer: &syn},
	}
}

// A failures collects the panics of work that the report can do without.
type failures struct {
	mu   sync.Mutex
	errs []report.Error
}

// guard runs work on a finding in a file; a panic becomes an error of the file.
func (f *failures) guard(file, what string, work func()) {
	defer func() {
		if r := recover(); r != nil {
			if os.Getenv("KVRACE_PANIC") != "" {
				panic(r)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.errs = append(f.errs, report.Error{File: file, Message: fmt.Sprintf("internal error while %s: %v; please report it", what, r)})
		}
	}()
	work()
}
