package replay

import (
	"sort"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// sites names places of a program so that the same place has the same name
// after a patch: the function, the text, and a number where the text occurs
// several times in the function.
type sites struct {
	starts map[*program.Func]map[string][]ast.Pos
	names  map[siteKey]string // memo of of
}

// siteKey is a place in a function.
type siteKey struct {
	f *program.Func
	n ast.Node
}

func newSites() *sites {
	return &sites{starts: map[*program.Func]map[string][]ast.Pos{}, names: map[siteKey]string{}}
}

// maxText is the length up to which a place is shown.
const maxText = 60

// of returns the name of a place.
func (s *sites) of(f *program.Func, n ast.Node) string {
	if f == nil || n == nil {
		return "?"
	}
	key := siteKey{f, n}
	if name, ok := s.names[key]; ok {
		return name
	}
	text := textOf(f.Module, n)
	name := f.Qual + ": " + text
	if at := s.occurrences(f)[text]; len(at) > 1 {
		i := sort.Search(len(at), func(i int) bool { return at[i] >= n.Pos() })
		if i > 0 {
			name += " (" + strconv.Itoa(i+1) + ")"
		}
	}
	s.names[key] = name
	return name
}

// occurrences returns where each text begins within a function.
func (s *sites) occurrences(f *program.Func) map[string][]ast.Pos {
	if m, ok := s.starts[f]; ok {
		return m
	}
	m := map[string][]ast.Pos{}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n.(type) {
		case ast.Expr, ast.Stmt, ast.Pattern, *ast.Comprehension:
			t := textOf(f.Module, n)
			if at := m[t]; len(at) == 0 || at[len(at)-1] != n.Pos() {
				m[t] = append(at, n.Pos())
			}
		}
		return true
	})
	for _, at := range m {
		sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	}
	s.starts[f] = m
	return m
}

// textOf returns the beginning of the source of a node, in one line.
func textOf(m *program.Module, n ast.Node) string {
	to := n.End()
	switch n := n.(type) {
	case *ast.While:
		to = n.Test.End()
	case *ast.For:
		to = n.Iter.End()
	case *ast.If:
		to = n.Test.End()
	case *ast.With:
		to = n.Items[len(n.Items)-1].ContextExpr.End()
	case *ast.FunctionDef:
		return "def " + n.Name
	}
	src := m.AST.Source
	from := n.Pos()
	if int(to) > len(src) || from > to {
		return "?"
	}
	return clip(string(src[from:min(to, from+4*maxText)]))
}

// clip puts text into one line of printable ASCII of bounded length.
func clip(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.Join(strings.Fields(s), " ")
	var b strings.Builder
	for _, r := range s {
		switch {
		case b.Len() >= maxText:
			b.WriteString("...")
			return b.String()
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether clip leaves a text as it is.
func isPlain(s string) bool {
	blank := true // so was the character before
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || blank && s[i] == ' ' {
			return false
		}
		blank = s[i] == ' '
	}
	return !blank && len(s) <= maxText
}

// place returns "file:line" of a node.
func place(m *program.Module, n ast.Node) string {
	line, _ := m.AST.Position(n.Pos())
	return printable(m.File) + ":" + strconv.Itoa(line)
}

// entryID names an entrypoint across programs.
func entryID(e *flow.Entry) string {
	id := e.Func.Module.File + " " + e.Role.String() + " " + e.Name()
	if e.Func.Name == "<lambda>" {
		id += " " + clip(string(e.Func.Module.AST.Text(e.Func.Node)))
	}
	return id
}
