// Package syntax is the fact that all others rest on: the parsed files of the
// program.
package syntax

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/directives"
)

// Analyzer parses the files that the pass names as OtherFiles.
var Analyzer = &analysis.Analyzer{
	Name:       "syntax",
	Doc:        "parse the Python files of the program",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
}

// A Result is the syntax of the program.
type Result struct {
	Modules []*ast.Module // sorted by name
	Errors  []parser.Error
	// Focus names the files that findings are wanted in; nil means all. The rest
	// of the program is there to tell what they mean.
	Focus map[string]bool
	// Classes names the only classes that are to be looked at, as [ClassName]
	// writes them, and the files whose functions are; nil means those that Focus
	// asks for.
	Classes map[string]bool
	// Directives are the comments of each file that speak to kvrace, by name;
	// files without any are left out.
	Directives map[string][]directives.Directive
	// Taught is what the configuration tells; it may be nil.
	Taught *directives.Table
	// Imported are the dotted names by which files are imported from the folder that their
	// packages lie in, by file name; nil where that is not known.
	Imported map[string]string
	// Version is the Python whose grammar the files are read with.
	Version parser.Version
	// Unread are the files that could not be read, with the reason.
	Unread []Unread

	files map[string]*token.File
}

// Unread is a file that could not be read.
type Unread struct {
	Name string
	Err  error
}

// Pos returns the position of an offset of a module in the file set of the
// pass.
func (r *Result) Pos(m *ast.Module, off ast.Pos) token.Pos {
	f := r.files[m.Name]
	if f == nil {
		return token.NoPos
	}
	return f.Pos(min(int(off), f.Size()))
}

// ClassName identifies a class of a file.
func ClassName(file, qual string) string { return file + ":" + qual }

// Part returns the syntax of some files of the program, by name, for a look at some
// classes; nil stands for all files. The trees are shared.
func (r *Result) Part(names, classes map[string]bool) *Result {
	out := &Result{Classes: classes, Taught: r.Taught, Imported: r.Imported, Version: r.Version, files: r.files, Directives: map[string][]directives.Directive{}}
	for _, m := range r.Modules {
		if names == nil || names[m.Name] {
			out.Modules = append(out.Modules, m)
			out.direct(m.Name, r.Directives[m.Name])
		}
	}
	return out
}

// With returns the syntax with some files replaced, by name. The trees of the other
// files are shared.
func (r *Result) With(overlay map[string][]byte) *Result {
	out := *r
	out.Modules, out.Directives = slices.Clone(r.Modules), maps.Clone(r.Directives)
	for i, m := range out.Modules {
		src, changed := overlay[m.Name]
		if !changed {
			continue
		}
		p := parseOne(m.Name, r.Version, func(string) ([]byte, error) { return src, nil })
		if p.mod != nil { // it was parsed before
			out.Modules[i] = p.mod
		}
		out.direct(m.Name, p.directives)
	}
	return &out
}

// direct records the directives of a file.
func (r *Result) direct(name string, ds []directives.Directive) {
	if len(ds) == 0 {
		delete(r.Directives, name)
		return
	}
	if r.Directives == nil {
		r.Directives = map[string][]directives.Directive{}
	}
	r.Directives[name] = ds
}

type parsed struct {
	mod        *ast.Module
	directives []directives.Directive
	err        error
}

func run(pass *analysis.Pass) (any, error) {
	return Parse(pass.OtherFiles, pass.ReadFile, pass.Fset, 0), nil
}

// Parse is what [Analyzer] does, with the grammar of a version of Python; the zero
// version stands for the newest.
func Parse(names []string, read func(string) ([]byte, error), fset *token.FileSet, v parser.Version) *Result {
	names = slices.Sorted(slices.Values(names))
	out := parseAll(names, v, read)
	res := &Result{Version: v, files: make(map[string]*token.File, len(names))}
	for i, p := range out {
		if p.mod == nil {
			res.Unread = append(res.Unread, Unread{names[i], p.err})
			continue
		}
		res.Modules = append(res.Modules, p.mod)
		res.direct(names[i], p.directives)
		f := fset.AddFile(names[i], -1, len(p.mod.Source))
		f.SetLinesForContent(p.mod.Source)
		res.files[names[i]] = f
		var list parser.ErrorList
		if errors.As(p.err, &list) {
			res.Errors = append(res.Errors, list...)
		}
	}
	return res
}

// parseAll reads and parses files on all cores; result i belongs to names[i].
func parseAll(names []string, v parser.Version, read func(string) ([]byte, error)) []parsed {
	out := make([]parsed, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			for i := range next {
				out[i] = parseOne(names[i], v, read)
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

func parseOne(name string, v parser.Version, read func(string) ([]byte, error)) (p parsed) {
	defer func() {
		if r := recover(); r != nil {
			p = parsed{err: fmt.Errorf("internal error while parsing: %v; please report it", r)}
		}
	}()
	src, err := read(name)
	if err != nil {
		return parsed{err: err}
	}
	mod, err := parser.ParseFile(name, src, parser.Options{Version: v})
	p = parsed{mod: mod, err: err}
	if mod != nil && directives.Mentioned(mod.Source) {
		p.directives = directives.In(mod)
	}
	return p
}
