// Package source turns paths into the Python files of a program: it walks
// directories as git would, finds the project around the named files, derives
// module names, and reads files with a bound on size and memory.
//
// It also has the cheap looks at the bytes of a file that decide whether the
// expensive look is worth it: [SignalsOf] and [Imports], and the [Survey] of
// all files.
//
// Paths inside this package are absolute and use forward slashes on every
// system.
package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// DefaultMaxSize is the size in bytes above which a file is reported instead
// of read. The longest hand-written Python files are below one megabyte.
const DefaultMaxSize = 16 << 20

// Options says what Load takes. The zero value is ready to use.
type Options struct {
	// Root is the folder that File.Name is relative to. When it is empty, it
	// is the working directory if that holds every project of the paths, else
	// the folder common to the projects.
	Root string
	// Include and Exclude are doublestar patterns over File.Name; a pattern
	// without a slash is tried on the base name. Include brings back what
	// ignore files and built-in rules leave out, and takes files without the
	// .py suffix; Exclude wins over Include, and named files win over both.
	Include, Exclude []string
	// MaxSize bounds the bytes of one file; 0 means DefaultMaxSize.
	MaxSize int64
	// Workers bounds the concurrent work; 0 means one per processor.
	Workers int
	// Unsaved are paths that are taken as named files without a look at the
	// disk: their content is with the caller.
	Unsaved []string
	// Alone leaves out the program around the named paths.
	Alone bool
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (o Options) maxSize() int64 {
	if o.MaxSize > 0 {
		return o.MaxSize
	}
	return DefaultMaxSize
}

// A File is one Python file of a program.
type File struct {
	Path   string // absolute, with slashes
	Name   string // relative to Program.Root, with slashes; may start with ../
	Module string // dotted name relative to the import root, such as pkg.mod
	Size   int64  // bytes, when it was found
}

// Package reports whether the file is the __init__.py of a package.
func (f *File) Package() bool { return path.Base(f.Path) == initFile }

// A Program is a set of files that belong together.
type Program struct {
	Root    string // absolute, with slashes
	Files   []File // sorted by Name
	MaxSize int64  // bound on the bytes of one file

	// Targets holds the Name of every file that the paths name, themselves
	// or through a folder. The other files are the program around them.
	Targets map[string]bool

	// Named holds the Name of every file that is named itself.
	Named map[string]bool

	// Overlay holds, by Name, content that takes the place of what is on disk.
	Overlay map[string][]byte

	// Observe, if not nil, is called by Survey with each file that it reads, by its
	// index. Calls are concurrent; the source must not be kept.
	Observe func(i int, src []byte)

	byName map[string]int   // Name -> index
	byLast map[string][]int // last component of Module -> indexes
	roots  map[string]bool  // folders that module names are relative to
}

// Lookup returns the index in Files of the file with the given name.
func (p *Program) Lookup(name string) (int, bool) {
	i, ok := p.byName[name]
	return i, ok
}

// NameOf returns the File.Name of a path, whether it is in the program or not.
func (p *Program) NameOf(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return relName(p.Root, filepath.ToSlash(abs)), nil
}

// A Problem is a path that could not be taken or read. Line and Column are 1:
// the position stands for the file as a whole.
type Problem struct {
	Name         string // as File.Name, or the path as it was given
	Line, Column int
	Err          error
}

// Error returns "file:line:col: message".
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", p.Name, p.Line, p.Column, p.Err)
}

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// Causes of problems, beside those of the file system.
var (
	ErrNoPython   = errors.New("no Python files")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("file too large")
)

// newProblem makes a problem of the whole file name. The operation and path
// that file system errors repeat are cut.
func newProblem(name string, err error) Problem {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return Problem{Name: name, Line: 1, Column: 1, Err: err}
}

// Load finds the program that the paths name, files or folders, and, unless
// Options.Alone is set, the rest of the projects that these lie in. Problems
// are sorted by name; they never keep the other files from being found. The
// only other way to fail is a cancelled context, reported as a problem too.
func Load(ctx context.Context, paths []string, opt Options) (*Program, []Problem) {
	l := &loader{opt: opt, found: make(map[string]found)}
	l.stat(paths)
	l.findProjects()
	if err := l.findRoot(); err != nil {
		return &Program{}, []Problem{newProblem(opt.Root, err)}
	}
	l.walkTargets(ctx)
	if !opt.Alone {
		l.walkProjects(ctx)
	}
	if err := ctx.Err(); err != nil {
		l.problems = append(l.problems, newProblem(l.root, err))
	}
	slices.SortFunc(l.problems, func(a, b Problem) int { return strings.Compare(a.Name, b.Name) })
	return l.program(), slices.CompactFunc(l.problems, func(a, b Problem) bool { return a.Error() == b.Error() })
}

// A loader carries the state of one Load.
type loader struct {
	opt      Options
	root     string
	dirs     []named   // named folders
	files    []named   // named files
	projects []project // sorted, none inside another
	found    map[string]found
	problems []Problem
}

// A named path is one that the caller gave.
type named struct {
	given string
	path  string // absolute, with slashes
	size  int64
}

// found is a file that a walk met or the caller named.
type found struct {
	size   int64
	target bool
}

// stat sorts the given paths into files and folders.
func (l *loader) stat(paths []string) {
	for _, given := range paths {
		abs, err := filepath.Abs(given)
		if err != nil {
			l.problems = append(l.problems, newProblem(given, err))
			continue
		}
		info, err := os.Stat(given)
		switch n := (named{given: given, path: filepath.ToSlash(abs)}); {
		case slices.Contains(l.opt.Unsaved, given):
			l.files = append(l.files, n)
		case err != nil:
			l.problems = append(l.problems, newProblem(given, err))
		case info.IsDir():
			l.dirs = append(l.dirs, n)
		case !info.Mode().IsRegular():
			l.problems = append(l.problems, newProblem(given, ErrNotRegular))
		default:
			n.size = info.Size()
			l.files = append(l.files, n)
		}
	}
}

// findProjects collects the projects of all named paths.
func (l *loader) findProjects() {
	seen := make(map[string]bool)
	add := func(p project) {
		if !seen[p.dir] {
			seen[p.dir] = true
			l.projects = append(l.projects, p)
		}
	}
	byDir := make(map[string]project)
	of := func(dir string, walkable bool) project {
		p, ok := byDir[dir]
		if !ok {
			p = findProject(dir, walkable)
			byDir[dir] = p
		}
		return p
	}
	for _, d := range l.dirs {
		add(of(d.path, true))
	}
	for _, f := range l.files {
		add(of(parent(f.path), false))
	}
	slices.SortFunc(l.projects, func(a, b project) int { return strings.Compare(a.dir, b.dir) })
}

// findRoot decides what names are relative to.
func (l *loader) findRoot() error {
	if l.opt.Root != "" {
		abs, err := filepath.Abs(l.opt.Root)
		if err != nil {
			return err
		}
		info, err := os.Stat(abs)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fs.ErrInvalid
		}
		l.root = filepath.ToSlash(abs)
		return nil
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	wd = filepath.ToSlash(wd)
	if len(l.projects) == 0 {
		l.root = wd
		return nil
	}
	common := l.projects[0].dir
	for _, p := range l.projects[1:] {
		common = commonDir(common, p.dir)
	}
	l.root = common
	if within(common, wd) {
		l.root = wd
	}
	return nil
}

// walkTargets adds the named files and everything under the named folders.
func (l *loader) walkTargets(ctx context.Context) {
	for _, f := range l.files {
		l.found[f.path] = found{f.size, true}
	}
	for _, d := range l.dirs {
		files := l.walk(ctx, d.path, true)
		if len(files) == 0 && ctx.Err() == nil {
			l.problems = append(l.problems, newProblem(d.given, ErrNoPython))
		}
		for _, f := range files {
			l.found[f.path] = found{f.size, true}
		}
	}
}

// walkProjects adds the program around the named paths.
func (l *loader) walkProjects(ctx context.Context) {
	for _, p := range l.projects {
		if l.covered(p.dir) {
			continue
		}
		for _, f := range l.walk(ctx, p.dir, p.deep) {
			if _, ok := l.found[f.path]; !ok {
				l.found[f.path] = found{f.size, false}
			}
		}
	}
}

// covered reports whether a named folder holds all of dir.
func (l *loader) covered(dir string) bool {
	return slices.ContainsFunc(l.dirs, func(d named) bool { return within(dir, d.path) })
}

// program sorts and names what was found.
func (l *loader) program() *Program {
	p := &Program{Root: l.root, MaxSize: l.opt.maxSize(), Targets: make(map[string]bool), Named: make(map[string]bool)}
	p.Files = make([]File, 0, len(l.found))
	for path, f := range l.found {
		name := relName(l.root, path)
		p.Files = append(p.Files, File{Path: path, Name: name, Size: f.size})
		if f.target {
			p.Targets[name] = true
		}
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range l.files {
		p.Named[relName(l.root, f.path)] = true
	}
	p.nameModules(l.projects)
	p.index()
	return p
}

// index fills the maps behind Lookup and Resolve.
func (p *Program) index() {
	p.byName = make(map[string]int, len(p.Files))
	p.byLast = make(map[string][]int, len(p.Files))
	for i := range p.Files {
		f := &p.Files[i]
		p.byName[f.Name] = i
		last := f.Module[strings.LastIndexByte(f.Module, '.')+1:]
		p.byLast[last] = append(p.byLast[last], i)
	}
}

// relName returns target relative to root, with slashes.
func relName(root, target string) string {
	if root == target {
		return "."
	}
	if within(target, root) {
		return strings.TrimPrefix(target[len(root):], "/")
	}
	rel, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(target))
	if err != nil {
		return target // another volume
	}
	return filepath.ToSlash(rel)
}

// parent returns the folder that holds p. The root of a volume is its own
// parent, also where it is called C:/, which package path would not know.
func parent(p string) string {
	return filepath.ToSlash(filepath.Dir(filepath.FromSlash(p)))
}

// within reports whether p is dir or lies under it.
func within(p, dir string) bool {
	if !strings.HasPrefix(p, dir) {
		return false
	}
	return len(p) == len(dir) || strings.HasSuffix(dir, "/") || p[len(dir)] == '/'
}

// commonDir returns the longest folder that holds a and b.
func commonDir(a, b string) string {
	for !within(b, a) {
		up := parent(a)
		if up == a {
			return a
		}
		a = up
	}
	return a
}

// With returns the program with the files of added, by name, in it and those
// of removed not. A file that is both is in it. Module names are derived anew
// for the added files only.
func (p *Program) With(added map[string][]byte, removed map[string]bool) *Program {
	q := &Program{Root: p.Root, MaxSize: p.MaxSize, Targets: p.Targets, Named: p.Named, roots: p.roots}
	for _, f := range p.Files {
		if _, ok := added[f.Name]; ok || !removed[f.Name] {
			q.Files = append(q.Files, f)
		}
	}
	for name, src := range added {
		if _, ok := p.byName[name]; ok {
			continue
		}
		f := File{Path: path.Join(p.Root, name), Name: name, Size: int64(len(src))}
		f.Module = dotted(innermost(parent(f.Path), p.roots), f.Path)
		q.Files = append(q.Files, f)
	}
	slices.SortFunc(q.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	q.index()
	return q
}
