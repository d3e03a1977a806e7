package ast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
)

// TestText reads names and values that stand in the source, and ones that do
// not.
func TestText(t *testing.T) {
	tests := []struct{ src, want string }{
		{"a . b", "Attribute b, Name a"},
		{"(a\n  # c\n  .b)", "Attribute b, Name a"},
		{"f(a = 1, ** k)", "Call, Name f, Keyword a, Constant 1, Keyword , Name k"},
		{"lambda a , b=1: a", "Lambda, Arguments, Arg a, Arg b, Constant 1, Name a"},
		{"ﬁ.ﬀ", "Attribute ff, Name fi"},
		{"f(ﬁ=1)", "Call, Name f, Keyword fi, Constant 1"},
		{"lambda ﬁ: 0", "Lambda, Arguments, Arg fi, Constant 0"},
		{"变量.名", "Attribute 名, Name 变量"},
		{`'a'`, "Constant a"},
		{`u'a'`, "Constant a (u)"},
		{`r'\a'`, `Constant \a`},
		{`Rb"""a"b"""`, `Constant a"b`},
		{`''`, "Constant "},
		{`""""""`, "Constant "},
		{`'\n'`, "Constant \n"},
		{`'a' 'b'`, "Constant ab"},
		{`u'a' 'b'`, "Constant ab (u)"},
		{`'' ""`, "Constant "},
		{`"" "" ""`, "Constant "},
		{`f'"{a}"'`, `JoinedStr, Constant ", FormattedValue, Name a, Constant "`},
		{`f'b{{"a"}}{x}'`, `JoinedStr, Constant b{"a"}, FormattedValue, Name x`},
		{`f'{a=}'`, "JoinedStr, Constant a=, FormattedValue, Name a"},
		{"None", "Constant "},
		{"0x_f", "Constant 0x_f"},
		{"'" + strings.Repeat("a", 1<<25) + "'", "Constant " + strings.Repeat("a", 1<<25)},
		{strings.Repeat("a", 1<<25), "Name " + strings.Repeat("a", 1<<25)},
	}
	for _, test := range tests {
		x := parse(t, test.src).Body[0].(*ast.ExprStmt).Value
		if got := describe(x); got != test.want {
			t.Errorf("%.40q is %.80q, want %.80q", test.src, got, test.want)
		}
	}
}

// describe lists the nodes of x with their names and values.
func describe(x ast.Expr) string {
	var parts []string
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			parts = append(parts, "Name "+n.Id())
		case *ast.Attribute:
			parts = append(parts, "Attribute "+n.Attr())
		case *ast.Keyword:
			parts = append(parts, "Keyword "+n.Arg())
		case *ast.Arg:
			parts = append(parts, "Arg "+n.Arg())
		case *ast.Constant:
			if n.Unicode() {
				parts = append(parts, "Constant "+n.Value()+" (u)")
				break
			}
			parts = append(parts, "Constant "+n.Value())
		default:
			parts = append(parts, strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."))
		}
		return true
	})
	return strings.Join(parts, ", ")
}

// TestTextRange checks the ranges of nodes whose value is kept apart.
func TestTextRange(t *testing.T) {
	for _, src := range []string{"ﬁ", "a.ﬁ", `'\n'`, `'a' 'b'`, strings.Repeat("a", 1<<25)} {
		m := parse(t, "  # c\n"+src+"\n")
		x := m.Body[0].(*ast.ExprStmt).Value
		if got := string(m.Text(x)); got != src {
			t.Errorf("the source of %.40q is %.40q", src, got)
		}
	}
}

// TestLines compares Lines with the starts of all lines.
func TestLines(t *testing.T) {
	for _, unit := range []string{"a\n", "\n", "ab\r\n", "a\r", "\r\r\n\n", "a", "x\ny\rz\r\n"} {
		for _, start := range []int{0, 3} {
			src := "\xef\xbb\xbf"[:start] + strings.Repeat(unit, 50) + "end"
			starts := []ast.Pos{ast.Pos(start)}
			for i := start; i < len(src); i++ {
				if src[i] == '\n' || src[i] == '\r' && src[i+1] != '\n' {
					starts = append(starts, ast.Pos(i+1))
				}
			}
			lines := ast.NewLines([]byte(src), start)
			if lines.Count() != len(starts) {
				t.Fatalf("%q: %d lines, want %d", unit, lines.Count(), len(starts))
			}
			line := 0
			for p := ast.Pos(start); int(p) <= len(src); p++ {
				for line < len(starts) && starts[line] <= p {
					line++
				}
				if got := lines.Of(p); got != line {
					t.Fatalf("%q: offset %d is in line %d, want %d", unit, p, got, line)
				}
				if got := lines.Start(line); got != starts[line-1] {
					t.Fatalf("%q: line %d starts at %d, want %d", unit, line, got, starts[line-1])
				}
			}
		}
	}
}
