package source

import (
	"path"
	"slices"
	"strings"
)

// nameModules sets File.Module. The import root of a file is the parent of
// the outermost package around it; folders inside a package need no
// __init__.py of their own. A file in no package belongs to the innermost
// import root around it that other files have, or to the src folder or the
// root of its project.
func (p *Program) nameModules(projects []project) {
	packages := make(map[string]bool) // folders with an __init__.py
	for i := range p.Files {
		if p.Files[i].Package() {
			packages[parent(p.Files[i].Path)] = true
		}
	}
	roots := make(map[string]bool)
	for _, pr := range projects {
		roots[pr.dir] = true
		roots[path.Join(pr.dir, "src")] = true
	}
	p.roots = roots
	tops := make(map[string]string) // folder -> parent of its outermost package, or ""
	for i := range p.Files {
		if top := outermost(parent(p.Files[i].Path), packages, roots, tops); top != "" {
			roots[top] = true
		}
	}
	for i := range p.Files {
		f := &p.Files[i]
		dir := parent(f.Path)
		top := tops[dir]
		if top == "" {
			top = innermost(dir, roots)
		}
		f.Module = dotted(top, f.Path)
	}
}

// outermost returns the parent of the outermost package around dir that is
// not above the root of a project, or "".
func outermost(dir string, packages, roots map[string]bool, memo map[string]string) string {
	if top, ok := memo[dir]; ok {
		return top
	}
	top := ""
	for d := dir; ; d = parent(d) {
		if packages[d] {
			top = parent(d)
		}
		if roots[d] || parent(d) == d {
			break
		}
	}
	memo[dir] = top
	return top
}

// innermost returns the nearest root around dir, or dir itself.
func innermost(dir string, roots map[string]bool) string {
	for d := dir; ; d = parent(d) {
		if roots[d] {
			return d
		}
		if parent(d) == d {
			return dir
		}
	}
}

// dotted returns the module name of a file relative to an import root.
func dotted(root, file string) string {
	name := relName(root, file)
	if dir, base := path.Split(name); base == initFile {
		name = strings.TrimSuffix(dir, "/")
	} else {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	if name == "" {
		return path.Base(root) // the root itself is the package
	}
	return strings.ReplaceAll(name, "/", ".")
}

// Resolve returns the index of the file that module means in file from, an
// index too, or -1. The name is absolute; see [Import] for relative ones. Several files may answer, since a tree can hold several programs or
// lie below its import root: first those whose module name is exactly this,
// then those whose path ends with it, then those that match when leading
// parts that no file of the program starts with are dropped. Among equals the
// one nearest to from wins.
func (p *Program) Resolve(from int, module string) int {
	candidates := p.byLast[module[strings.LastIndexByte(module, '.')+1:]]
	if len(candidates) == 0 {
		return -1
	}
	near := p.Files[from].Path
	if i := p.nearest(near, candidates, func(f *File) bool { return f.Module == module }); i >= 0 {
		return i
	}
	tail := "/" + strings.ReplaceAll(module, ".", "/")
	if i := p.nearest(near, candidates, func(f *File) bool { return pathEndsWith(f.Path, tail) }); i >= 0 {
		return i
	}
	for rest := module; ; {
		head, tail, ok := strings.Cut(rest, ".")
		if !ok || !strings.Contains(tail, ".") || p.hasTop(head) {
			return -1
		}
		rest = tail
		if i := p.nearest(near, candidates, func(f *File) bool { return f.Module == rest }); i >= 0 {
			return i
		}
	}
}

// nearest returns the matching candidate that shares most folders with path
// near, the first by name among equals, or -1.
func (p *Program) nearest(near string, candidates []int, ok func(*File) bool) int {
	best, shared := -1, -1
	for _, i := range candidates {
		if f := &p.Files[i]; ok(f) {
			if n := len(commonDir(parent(near), parent(f.Path))); n > shared {
				best, shared = i, n
			}
		}
	}
	return best
}

// hasTop reports whether some module is called name or lies in a package of
// that name.
func (p *Program) hasTop(name string) bool {
	return slices.ContainsFunc(p.byLast[name], func(i int) bool { return p.Files[i].Module == name })
}

// pathEndsWith reports whether a file is the module or package at tail, which
// starts with a slash.
func pathEndsWith(file, tail string) bool {
	stem := strings.TrimSuffix(file, "/"+initFile)
	if stem == file {
		stem = strings.TrimSuffix(file, path.Ext(file))
	}
	return strings.HasSuffix(stem, tail)
}
