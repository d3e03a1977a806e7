package parser_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// utf16Text returns text in UTF-16 with a byte order mark, as an editor may
// save it.
func utf16Text(text string) string {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestLimits parses files that are large, deep or broken.
func TestLimits(t *testing.T) {
	repeat := strings.Repeat
	tests := []struct {
		name   string
		src    string
		errors string // start of the first error, without the file name; "" if there is none
		stmts  int    // statements of the module
	}{
		{"empty", "", "", 0},
		{"blank", " \n\t\n\f\n#\n", "", 0},
		{"no final newline", "if x:\n  y", "", 1},
		{"no newline after comment", "x # c", "", 1},
		{"lone CR", "x = 1\rif x:\r\ty\rz", "", 3},
		{"CRLF", "x = '''a\r\nb'''\r\ny\r\n", "", 2},
		{"form feed", "\fx\n\f  \fy\nif z:\n  \f  w\n", "", 3},
		{"BOM", "\xef\xbb\xbfx = 1\n", "", 1},
		{"NUL", "a\nx = 1\x00\nb\n", "2:6: source code cannot contain null bytes", 2},
		{"NUL in comment", "x # \x00\ny\n", "1:5: source code cannot contain null bytes", 2},
		{"NUL only", repeat("\x00", 1000), "1:1: source code cannot contain null bytes", 0},
		{"invalid UTF-8", "a\nx = '\xff'\nb\n", "2:6: (unicode error) 'utf-8' codec can't decode byte 0xff", 3},
		{"invalid UTF-8 in name", "a\nx\xc3 = 1\nb\n", "2:2: (unicode error)", 2},
		{"UTF-16", utf16Text("x = 1\ny = 2\n"), "1:1: (unicode error)", 0},
		{"Latin-1", "# coding: latin-1\nx = '\xe9'\n", "", 1},
		{"unknown encoding", "# coding: klingon\nx = 1\n", "1:1: encoding problem: klingon", 1},
		{"10 MB", repeat("x = f(a, b)[c].d  # comment\n", 10_000_000/28), "", 357142},
		{"5 MB line", "x = [" + repeat("a.b, ", 1_000_000) + "]\n", "", 1},
		{"5 MB line of one string", "x = '" + repeat("a\\n", 5_000_000/3) + "'\n", "", 1},
		{"5 MB line of one sum", "y\nx = 1" + repeat("+1", 2_500_000) + "\nz\n", "2:20008: too many operators in one expression", 2},
		{"5 MB line of attributes", "y\nx" + repeat(".a", 2_500_000) + "\nz\n", "2:20004: too many operators in one expression", 2},
		{"200 parentheses", repeat("(", 200) + repeat(")", 200), "", 1},
		{"201 parentheses", repeat("(", 201) + repeat(")", 201), "1:201: too many nested parentheses", 0},
		{"2 million parentheses", "x\n" + repeat("(", 2_000_000), "2:201: too many nested parentheses", 1},
		{"2 million lines of parentheses", "x\n" + repeat("(\n", 2_000_000), "202:1: too many nested parentheses", 1},
		{"1 million unclosed calls", repeat("f(\n", 1_000_000), "201:2: too many nested parentheses", 0},
		{"1 million closing brackets", repeat(")\n", 1_000_000), "1:1: unmatched ')'", 0},
		{"not", repeat("not ", 100_000) + "x", "1:23997: too many nested expressions", 0},
		{"minus", repeat("-", 100_000) + "x", "1:6000: too many nested expressions", 0},
		{"power", repeat("x**", 100_000) + "x", "1:", 0},
		{"lambda", repeat("lambda: ", 100_000) + "x", "1:", 0},
		{"conditional", repeat("a if b else ", 100_000) + "c", "1:", 0},
		{"elif", "if a: b\n" + repeat("elif a: b\n", 100_000), "6001:6: too many nested expressions or blocks", 0},
		{"100 blocks", blocks(99) + "x\n", "", 1},
		{"101 blocks", blocks(100) + "x\n", "101:101: too many levels of indentation", 1},
		{"100,000 decorators", repeat("@d\n", 100_000) + "def f(): pass\n", "", 1},
		{"1 MB f-string", "x = f'" + repeat("{a!r:>{b}} ", 1_000_000/11) + "'\n", "", 1},
		{"nested f-strings", repeat("f'{", 200), "1:", 0},
		{"nested lists of patterns", "match x:\n case " + repeat("[", 300), "2:207: too many nested parentheses", 0},
		{"unterminated strings", repeat("x = 'a\n", 100_000), "1:5: unterminated string literal", 0},
		{"unterminated f-strings", repeat("x = f'{a\n", 100_000), "1:7: '{' was never closed", 0},
		{"missing blocks", repeat("if a:\n", 300_000), "2:1: expected an indented block after 'if' statement on line 1", 300_000},
		{"mixed arguments", "f(" + repeat("a=1, ", 100_000) + repeat("*a, ", 100_000) + ")", "1:8: keyword argument repeated: a", 1},
		{"many bad lines", repeat("a b\nc\n", 100_000), "1:3: invalid syntax", 100_000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := parser.ParseFile("f.py", []byte(test.src), parser.Options{Mode: parser.Check})
			got := ""
			if err != nil {
				checkErrors(t, m, err)
				got = strings.TrimPrefix(err.(parser.ErrorList)[0].Error(), "f.py:")
			}
			if !strings.HasPrefix(got, test.errors) || test.errors == "" && got != "" {
				t.Errorf("first error is %q, want %q", got, test.errors)
			}
			if len(m.Body) != test.stmts {
				t.Errorf("%d statements, want %d", len(m.Body), test.stmts)
			}
			checkRanges(t, m)
		})
	}
}

// blocks returns the headers of n nested blocks and the indentation inside.
func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sif x:\n", strings.Repeat(" ", i))
	}
	b.WriteString(strings.Repeat(" ", n))
	return b.String()
}

// TestRecovery checks that a syntax error costs its statement only.
func TestRecovery(t *testing.T) {
	tests := []struct {
		name, src string
		errors    []string
		stmts     string // the classes of the statements that are kept
	}{
		{"simple", "a\nb c\nd = 1\n", []string{"2:3: invalid syntax"}, "Expr Assign"},
		{"two", "a b\nc d\ne\n", []string{"1:3: invalid syntax", "2:3: invalid syntax"}, "Expr"},
		{"after semicolon", "a; b c\nd\n", []string{"1:6: invalid syntax"}, "Expr Expr"},
		{"in a function", "def f():\n    a b\n    return c\nd\n", []string{"2:7: invalid syntax"}, "FunctionDef Return Expr"},
		{"header", "if a b:\n    c\n    d = 1\ne\n", []string{"1:6: expected ':'"}, "Expr Assign Expr"},
		{"header with else", "while a b:\n    c\nelse:\n    d = 1\ne\n", []string{"1:9: expected ':'"}, "Expr Assign Expr"},
		{"elif", "if a:\n    b\nelif c d:\n    e = 1\nelse:\n    f\n", []string{"3:8: expected ':'"}, "If Expr If Assign Expr"},
		{"except", "try:\n    a\nexcept b c:\n    d = 1\nelse:\n    e\n", []string{"3:10: expected ':'"}, "Try Expr Assign Expr"},
		{"missing block", "def f():\na = 1\n", []string{"2:1: expected an indented block after function definition on line 1"}, "FunctionDef Pass Assign"},
		{"nothing left in a block", "def f():\n    a b\nd = 1\n", []string{"2:7: invalid syntax"}, "FunctionDef Pass Assign"},
		{"unexpected indent", "a\n    b\nc\n", []string{"2:5: unexpected indent"}, "Expr Expr Expr"},
		{"bad dedent", "if a:\n    b\n  c\nd = 1\n", []string{"3:3: unindent does not match any outer indentation level"}, "If Expr Expr Assign"},
		{"bracket before def", "x = f(\ndef g():\n    return 1\n", []string{"1:6: '(' was never closed"}, "FunctionDef Return"},
		{"bracket at the end", "a = 1\nb = (\nc = 2\nd\n", []string{"2:5: '(' was never closed"}, "Assign Assign Expr"},
		{"string", "a = 'b\nc = 1\n", []string{"1:5: unterminated string literal (detected at line 1)"}, "Assign"},
		{"f-string", "a = f'{b c}'\nd = 1\n", []string{"1:8: invalid syntax. Perhaps you forgot a comma?"}, "Assign"},
		{"decorator", "@a b\ndef f():\n    return 1\n", []string{"1:4: invalid syntax"}, "FunctionDef Return"},
		{"case", "match a:\n    case b c:\n        d\ne = 1\n", []string{"2:12: expected ':'"}, "Expr Assign"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := parser.ParseFile("f.py", []byte(test.src), parser.Options{})
			if err == nil {
				t.Fatal("no error")
			}
			var got []string
			for _, e := range err.(parser.ErrorList) {
				got = append(got, strings.TrimPrefix(e.Error(), "f.py:"))
			}
			if strings.Join(got, "\n") != strings.Join(test.errors, "\n") {
				t.Errorf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.errors, "\n"))
			}
			if got := statementClasses(m); got != test.stmts {
				t.Errorf("statements %s, want %s", got, test.stmts)
			}
		})
	}
}

func statementClasses(m *ast.Module) string {
	var classes []string
	ast.Inspect(m, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			class, _, _ := strings.Cut(string(ast.AppendDump(nil, m, s, 0)), "(")
			classes = append(classes, class)
		}
		return true
	})
	return strings.Join(classes, " ")
}

// TestVersions checks that the language version is respected.
func TestVersions(t *testing.T) {
	tests := []struct {
		src   string
		since string // the first version that accepts it
	}{
		{"x = (y := 1)", "3.8"},
		{"def f(a, /): pass", "3.8"},
		{"@a[b]\ndef f(): pass", "3.9"},
		{"with (a as b): pass", "3.9"},
		{"match x:\n case 1: pass", "3.10"},
		{"try: pass\nexcept* A: pass", "3.11"},
		{"a[*b]", "3.11"},
		{"def f(*a: *b): pass", "3.11"},
		{"type X = int", "3.12"},
		{"def f[T](): pass", "3.12"},
		{"class A[T]: pass", "3.12"},
		{"f'{a['b']}'", "3.12"},
		{"f'{\"\\n\"}'", "3.12"},
		{"f'{a:\\n}'", "3.8"},
		{"f'{\na}'", "3.12"},
		{"with (a, b): pass", "3.8"},
		{"type X[T = int] = T", "3.13"},
		{"t'{a}'", "3.14"},
		{"try: pass\nexcept A, B: pass", "3.14"},
	}
	for _, test := range tests {
		since, err := parser.ParseVersion(test.since)
		if err != nil {
			t.Fatal(err)
		}
		for v := parser.Oldest; v <= parser.Newest; v++ {
			_, err := parser.ParseFile("f.py", []byte(test.src), parser.Options{Version: v})
			if (err == nil) != (v >= since) {
				t.Errorf("Python %s: %q: %v, want it accepted since %s", v, test.src, err, since)
			}
		}
	}
	if _, err := parser.ParseVersion("2.7"); err == nil {
		t.Error("ParseVersion accepts 2.7")
	}
}
