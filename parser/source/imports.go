package source

import (
	"bytes"
	"cmp"
	"path"
	"strings"
)

// An Import is what one import statement names.
type Import struct {
	Module string   // dotted name as written, without leading dots
	Level  int      // number of leading dots
	Names  []string // names after from … import, "*" included; nil for import …
	Bound  []string // names that the statement binds; nil if nobody can tell
}

// Imports returns the import statements of a file in order of their place. It
// does not parse: a statement inside a string counts too, and the literal
// argument of import_module or __import__ counts as an import. A file that is
// found needlessly costs time, one that is missed costs a finding.
func Imports(src []byte) []Import {
	var imports []Import
	word := []byte("import")
	for at := 0; ; {
		hit := bytes.Index(src[at:], word)
		if hit < 0 {
			return imports
		}
		hit += at
		at = hit + len(word)
		imports = appendImport(imports, src, hit)
	}
}

// appendImport adds what the statement around the word import at hit names.
func appendImport(imports []Import, src []byte, hit int) []Import {
	after := hit + len("import")
	if rest, ok := bytes.CutPrefix(src[after:], []byte("_module(")); ok {
		return appendLiteral(imports, rest)
	}
	if rest, ok := bytes.CutPrefix(src[after:], []byte("__(")); ok {
		return appendLiteral(imports, rest)
	}
	if after < len(src) && isWord(src[after]) || hit > 0 && isWord(src[hit-1]) {
		return imports
	}
	head := bytes.TrimSpace(src[statementStart(src, hit):hit])
	c := cursor{src: src, at: after}
	if len(head) == 0 {
		for _, name := range c.names() {
			bound := name.as
			if bound == "" {
				bound, _, _ = strings.Cut(name.name, ".")
			}
			imports = append(imports, Import{Module: name.name, Bound: []string{bound}})
		}
		return imports
	}
	from, ok := bytes.CutPrefix(head, []byte("from"))
	if !ok || len(from) == 0 || from[0] != ' ' && from[0] != '\t' && from[0] != '.' && from[0] != '\\' {
		return imports
	}
	imp := fromModule(from)
	if imp.Module == "" && imp.Level == 0 {
		return imports
	}
	for _, name := range c.names() {
		imp.Names = append(imp.Names, name.name)
		imp.Bound = append(imp.Bound, cmp.Or(name.as, name.name))
	}
	return append(imports, imp)
}

// appendLiteral adds the module named by the string literal at the start of
// rest, if there is one.
func appendLiteral(imports []Import, rest []byte) []Import {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
		return imports
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end <= 0 {
		return imports
	}
	for _, b := range rest[1 : 1+end] {
		if !isWord(b) && b != '.' {
			return imports
		}
	}
	name := string(rest[1 : 1+end])
	module := strings.TrimLeft(name, ".")
	if module == "" {
		return imports
	}
	return append(imports, Import{Module: module, Level: len(name) - len(module)})
}

// statementStart returns where the simple statement around at begins: after a
// line end that no backslash joins, a semicolon or a colon.
func statementStart(src []byte, at int) int {
	for i := at - 1; i >= 0; i-- {
		switch src[i] {
		case ';', ':':
			return i + 1
		case '\n', '\r':
			if !joined(src, i) {
				return i + 1
			}
		}
	}
	return 0
}

// joined reports whether the line end at i follows a backslash.
func joined(src []byte, i int) bool {
	if src[i] == '\n' && i > 0 && src[i-1] == '\r' {
		i--
	}
	return i > 0 && src[i-1] == '\\'
}

// fromModule reads what stands between from and import.
func fromModule(text []byte) Import {
	var imp Import
	var module []byte
	for _, b := range text {
		switch {
		case b == '.' && len(module) == 0:
			imp.Level++
		case b == '.' || isWord(b):
			module = append(module, b)
		}
	}
	imp.Module = string(module)
	return imp
}

// A cursor reads the names of an import statement.
type cursor struct {
	src []byte
	at  int
}

// An imported name, and the one that it is bound to if they differ.
type imported struct{ name, as string }

// names reads a list of dotted names or a star, with or without parentheses.
func (c *cursor) names() []imported {
	var names []imported
	depth, alias := 0, false
	for c.at < len(c.src) {
		switch b := c.src[c.at]; {
		case b == '(':
			depth++
		case b == ')':
			return names
		case b == ',':
			alias = false
		case b == '#':
			c.skipComment()
			continue
		case b == ';':
			return names
		case b == '\n' || b == '\r':
			if depth == 0 && !joined(c.src, c.at) {
				return names
			}
		case b == '*':
			names = append(names, imported{name: "*"})
		case isWord(b) || b == '.':
			name := c.dotted()
			switch {
			case name == "as":
				alias = true
			case !alias:
				names = append(names, imported{name: name})
			case len(names) > 0:
				names[len(names)-1].as = name
			}
			continue
		case b != ' ' && b != '\t' && b != '\\' && b != '\f':
			return names
		}
		c.at++
	}
	return names
}

func (c *cursor) skipComment() {
	for c.at < len(c.src) && c.src[c.at] != '\n' && c.src[c.at] != '\r' {
		c.at++
	}
}

func (c *cursor) dotted() string {
	start := c.at
	for c.at < len(c.src) && (isWord(c.src[c.at]) || c.src[c.at] == '.') {
		c.at++
	}
	return string(c.src[start:c.at])
}

// bases reads an argument list, if one is next, and returns the dotted name that
// each argument starts with. Type parameters may come first.
func (c *cursor) bases() []string {
	if c.at < len(c.src) && c.src[c.at] == '[' {
		if end := bytes.IndexByte(c.src[c.at:], ']'); end >= 0 {
			c.at += end + 1
		}
	}
	if c.at == len(c.src) || c.src[c.at] != '(' {
		return nil
	}
	var names []string
	first, depth := true, 0
	for ; c.at < len(c.src); c.at++ {
		switch b := c.src[c.at]; {
		case b == '(' || b == '[':
			depth++
		case b == ')' || b == ']':
			depth--
			if depth == 0 {
				return names
			}
		case b == ',':
			first = depth == 1
		case b == '#':
			c.skipComment()
			c.at-- // to its last byte: the source may end there
		case first && isWord(b):
			names = append(names, c.dotted())
			first = false
			c.at--
		}
	}
	return names
}

// isWord reports whether b can be part of a Python identifier.
func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// module returns the index of the file of p that the import, standing in file
// from, takes names from, or -1.
func (imp Import) module(p *Program, from int) int {
	if imp.Level == 0 {
		return p.Resolve(from, imp.Module)
	}
	return p.moduleAt(imp.base(p, from))
}

// submodule returns the index of the file that name means as a module in what
// the import takes names from, or -1.
func (imp Import) submodule(p *Program, from int, name string) int {
	if imp.Level == 0 {
		return p.Resolve(from, imp.Module+"."+name)
	}
	return p.moduleAt(path.Join(imp.base(p, from), name))
}

// base returns the place of the module that a relative import names, without a
// suffix.
func (imp Import) base(p *Program, from int) string {
	dir := path.Dir(p.Files[from].Name)
	for range imp.Level - 1 {
		dir = path.Join(dir, "..")
	}
	return path.Join(dir, strings.ReplaceAll(imp.Module, ".", "/"))
}

// maybeModule reports whether some module's last name is name.
func (p *Program) maybeModule(name string) bool { return len(p.byLast[name]) > 0 }

// moduleAt returns the file that is the module or package at name, a root
// relative path without suffix, or -1.
func (p *Program) moduleAt(name string) int {
	if i, ok := p.byName[name+".py"]; ok {
		return i
	}
	if i, ok := p.byName[path.Join(name, initFile)]; ok {
		return i
	}
	return -1
}
