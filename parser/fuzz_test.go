package parser_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// addSeeds adds the programs of the tables and of corpus.txt, which holds one
// quoted string in each line: inputs that earlier runs found interesting.
func addSeeds(f *testing.F) {
	for _, table := range []string{"syntax.txt", "syntax314.txt", "invalid.txt"} {
		for _, e := range readTable(f, table) {
			f.Add(e.source)
		}
	}
	corpus, err := os.ReadFile(filepath.Join("testdata", "corpus.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(corpus)) {
		source, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			f.Fatalf("corpus.txt: %s: %v", line, err)
		}
		f.Add(source)
	}
}

// FuzzParse checks that the parser accepts any bytes, and that the positions
// of its errors and nodes are in the file and nest.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		m, err := parser.ParseFile("f.py", []byte(src), parser.Options{Mode: parser.Check})
		if err != nil {
			checkErrors(t, m, err)
		}
		checkRanges(t, m)
		ast.Dump(m, ast.Positions)
	})
}

// checkRanges checks that the range of each node is inside that of its parent
// and after that of the sibling before it. The decorators come before the
// definition that they belong to.
func checkRanges(t testing.TB, m *ast.Module) {
	t.Helper()
	type frame struct {
		node ast.Node
		last ast.Pos // end of the last child
	}
	stack := []frame{{node: m}}
	ast.Walk(m, func(n ast.Node) bool {
		parent := &stack[len(stack)-1]
		if n != ast.Node(m) {
			decorator := isDecorator(parent.node, n)
			if n.End() < n.Pos() || n.End() > parent.node.End() || n.Pos() < parent.node.Pos() && !decorator {
				t.Fatalf("%T at %d-%d is not inside %T at %d-%d", n, n.Pos(), n.End(), parent.node, parent.node.Pos(), parent.node.End())
			}
			if n.Pos() < parent.last && !isOverlapping(parent.node) {
				t.Fatalf("%T at %d-%d comes after a sibling in %T that ends at %d", n, n.Pos(), n.End(), parent.node, parent.last)
			}
			parent.last = n.End()
		}
		stack = append(stack, frame{node: n})
		return true
	}, func() { stack = stack[:len(stack)-1] })
}

func isDecorator(parent, n ast.Node) bool {
	switch parent.(type) {
	case *ast.FunctionDef, *ast.ClassDef:
		return n.End() <= parent.Pos()
	}
	return false
}

// isOverlapping reports whether the children of n may overlap: the text that
// "=" in a replacement field shows is a constant, and so is its expression.
func isOverlapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.JoinedStr, *ast.TemplateStr:
		return true
	}
	return false
}

// FuzzRoundTrip checks that the source of each expression, statement and
// pattern, parsed on its own, gives the same node.
func FuzzRoundTrip(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 10000 {
			return
		}
		m, err := parser.ParseFile("f.py", []byte(src), parser.Options{})
		if err != nil {
			return
		}
		roundTrip(t, m)
	})
}

// roundTrip parses the source of each node of m again.
func roundTrip(t testing.TB, m *ast.Module) {
	parts := fstringParts(m)
	ast.Inspect(m, func(n ast.Node) bool {
		if parts[n] {
			return true
		}
		var program string
		var find func(m *ast.Module) ast.Node
		switch n := n.(type) {
		case ast.Expr:
			program, find = expressionProgram(m, n)
		case ast.Stmt:
			program, find = statementProgram(m, n)
		case ast.Pattern:
			program, find = patternProgram(m, n)
		}
		if find == nil {
			return true
		}
		again, err := parser.ParseFile("f.py", []byte(program), parser.Options{})
		if err != nil {
			if isLimit(err) {
				return true
			}
			t.Fatalf("%T: %v in\n%s", n, err, program)
		}
		if got, want := plainDump(again, find(again)), plainDump(m, n); got != want {
			t.Fatalf("%T:\n%s\n got %s\nwant %s", n, program, got, want)
		}
		return true
	})
}

// isLimit reports whether err says that the program around a node nests too
// deep.
func isLimit(err error) bool {
	return strings.Contains(err.Error(), "too many")
}

// plainDump dumps a node without what depends on its place.
func plainDump(m *ast.Module, n ast.Node) string {
	dump := string(ast.AppendDump(nil, m, n, 0))
	return strings.NewReplacer("ctx=Store()", "ctx=Load()", "ctx=Del()", "ctx=Load()").Replace(dump)
}

// fstringParts returns the nodes that are no expressions of their own: the
// texts and replacement fields of f-strings, and format specs.
func fstringParts(m *ast.Module) map[ast.Node]bool {
	parts := map[ast.Node]bool{}
	ast.Inspect(m, func(n ast.Node) bool {
		var values []ast.Expr
		switch n := n.(type) {
		case *ast.JoinedStr:
			values = n.Values
		case *ast.TemplateStr:
			values = n.Values
		case *ast.FormattedValue:
			parts[n.FormatSpec] = true
		case *ast.Interpolation:
			parts[n.FormatSpec] = true
		}
		for _, v := range values {
			parts[v] = true
		}
		return true
	})
	return parts
}

// The programs start with blank lines so that no comment in them can declare
// an encoding.

func expressionProgram(m *ast.Module, n ast.Expr) (string, func(*ast.Module) ast.Node) {
	text := string(m.Text(n))
	value := func(m *ast.Module) ast.Expr { return m.Body[0].(*ast.ExprStmt).Value }
	switch n := n.(type) {
	case *ast.Starred:
		return "\n\nf(" + text + "\n)", func(m *ast.Module) ast.Node { return value(m).(*ast.Call).Args()[0] }
	case *ast.Slice:
		return "\n\nx[" + text + "\n]", func(m *ast.Module) ast.Node { return value(m).(*ast.Subscript).Slice }
	case *ast.Tuple:
		if inSubscript(n) {
			return "\n\nx[" + text + "\n]", func(m *ast.Module) ast.Node { return value(m).(*ast.Subscript).Slice }
		}
	}
	return "\n\n(" + text + "\n)", func(m *ast.Module) ast.Node { return value(m) }
}

// inSubscript reports whether n can only be the tuple of a subscript, where
// stars bind differently.
func inSubscript(n *ast.Tuple) bool {
	for _, x := range n.Elts {
		switch x.(type) {
		case *ast.Slice, *ast.Starred:
			return n.Start == n.Elts[0].Pos()
		}
	}
	return false
}

func statementProgram(m *ast.Module, n ast.Stmt) (string, func(*ast.Module) ast.Node) {
	text := string(m.Text(n))
	line, column := m.Position(n.Pos())
	start := m.Lines.Start(line)
	blanks := string(m.Source[start : int(start)+column-1])
	if strings.Trim(blanks, " \t") != "" {
		if strings.ContainsAny(text, "\r\n") {
			return "", nil // after other statements on its line
		}
		blanks = ""
	}
	if line > 1 && continued(m.Source[:start]) {
		return "", nil
	}
	switch n := n.(type) {
	case *ast.FunctionDef:
		if len(n.DecoratorList) > 0 {
			return "", nil
		}
	case *ast.ClassDef:
		if len(n.DecoratorList) > 0 {
			return "", nil
		}
	case *ast.If:
		text = strings.TrimPrefix(text, "el")
	}
	if blanks == "" {
		return "\n\n" + text + "\n", func(m *ast.Module) ast.Node { return m.Body[0] }
	}
	return "\n\nif 1:\n" + blanks + text + "\n", func(m *ast.Module) ast.Node { return m.Body[0].(*ast.If).Body[0] }
}

// continued reports whether text ends with a joined line.
func continued(text []byte) bool {
	return strings.HasSuffix(strings.TrimRight(string(text), "\r\n"), "\\")
}

func patternProgram(m *ast.Module, n ast.Pattern) (string, func(*ast.Module) ast.Node) {
	pattern := func(m *ast.Module) ast.Pattern { return m.Body[0].(*ast.Match).Cases[0].Pattern }
	text := "\n\nmatch x:\n case (" + string(m.Text(n)) + "\n): pass\n"
	switch n.(type) {
	case *ast.MatchStar:
		return "", nil
	}
	return text, func(m *ast.Module) ast.Node { return pattern(m) }
}

// TestRoundTrip checks the property of FuzzRoundTrip on the tables.
func TestRoundTrip(t *testing.T) {
	for _, table := range []string{"syntax.txt", "syntax314.txt"} {
		for _, e := range readTable(t, table) {
			m, err := parser.ParseFile("f.py", []byte(e.source), parser.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkRanges(t, m)
			roundTrip(t, m)
		}
	}
}
