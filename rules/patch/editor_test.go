package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/rules/patch"
)

// A selector finds the nodes of a module by the text they start with.
type selector struct {
	t *testing.T
	m *ast.Module
}

// stmt returns the first statement whose source starts with text.
func (s selector) stmt(text string) ast.Stmt {
	s.t.Helper()
	return find[ast.Stmt](s, text)
}

// stmts returns one statement for each text.
func (s selector) stmts(texts ...string) []ast.Stmt {
	s.t.Helper()
	var all []ast.Stmt
	for _, text := range texts {
		all = append(all, s.stmt(text))
	}
	return all
}

// expr returns the first of the outermost expressions whose source is text.
func (s selector) expr(text string) ast.Expr {
	s.t.Helper()
	var found ast.Expr
	ast.Inspect(s.m, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && found == nil && string(s.m.Text(x)) == text {
			found = x
		}
		return found == nil
	})
	if found == nil {
		s.t.Fatalf("no expression %q", text)
	}
	return found
}

func find[N ast.Node](s selector, text string) N {
	s.t.Helper()
	var found N
	ok := false
	ast.Inspect(s.m, func(n ast.Node) bool {
		if n, is := n.(N); is && !ok && strings.HasPrefix(string(s.m.Text(n)), text) {
			found, ok = n, true
		}
		return !ok
	})
	if !ok {
		s.t.Fatalf("no node starts with %q", text)
	}
	return found
}

type editTest struct {
	name string
	src  string
	edit func(e *patch.Editor, s selector) ([]patch.Edit, error)
	want string // or "error: " and a part of the error
}

func insertBefore(at string, lines ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.InsertBefore(s.stmt(at), lines...) }
}

func insertAfter(at string, lines ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.InsertAfter(s.stmt(at), lines...) }
}

func remove(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.Delete(s.stmts(at...)...) }
}

func moveBefore(target string, at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.MoveBefore(s.stmt(target), s.stmts(at...)...)
	}
}

func moveAfter(target string, at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.MoveAfter(s.stmt(target), s.stmts(at...)...)
	}
}

func wrapWith(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.WrapWith("L", s.stmts(at...)...) }
}

func wrapIf(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.WrapIf("C", s.stmts(at...)...) }
}

func wrapTry(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.WrapTry(s.stmts(at...), "except E:", "\tr()")
	}
}

func wrapFinally(body, last []string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.WrapFinally(s.stmts(body...), s.stmts(last...))
	}
}

// tryAndFinally puts the statements under a try, and some of them under one of their own.
func tryAndFinally(all, body, last []string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		outer, err := e.WrapTry(s.stmts(all...), "except E:", "\tr()")
		if err != nil {
			return nil, err
		}
		inner, err := e.WrapFinallyWithin(1, s.stmts(body...), s.stmts(last...))
		return patch.Join(outer, inner), err
	}
}

func moveToFinally(at string, body ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.MoveToFinally(s.stmt(at), s.stmts(body...)...)
	}
}

func moveUnder(target string, at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.MoveUnder("with L", s.stmt(target), s.stmts(at...)...)
	}
}

func enclose(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) { return e.Enclose("with L", s.stmts(at...)...) }
}

// encloseAndTry encloses the statements, and puts them all under a try.
func encloseAndTry(at ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		inner, err := e.Enclose("with L", s.stmts(at...)...)
		if err != nil {
			return nil, err
		}
		outer, err := e.WrapTry(s.stmts(at...), "except E:", "\tr()")
		return patch.Join(inner, outer), err
	}
}

func unwrapTry(at string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		try := find[*ast.Try](s, at)
		return e.Unwrap(try, try.Body)
	}
}

func addElse(at string, lines ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.AddElse(find[*ast.If](s, at), lines...)
	}
}

func addElif(at string, lines ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.AddElif(find[*ast.If](s, at), "C", lines...)
	}
}

func replaceStmt(at string, lines ...string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return e.ReplaceStmts(s.stmts(at), lines...)
	}
}

func replaceExpr(at, text string) func(*patch.Editor, selector) ([]patch.Edit, error) {
	return func(e *patch.Editor, s selector) ([]patch.Edit, error) {
		return []patch.Edit{e.ReplaceExpr(s.expr(at), text)}, nil
	}
}

var editTests = []editTest{
	// Statements between two others.
	{"enclose", "if a:\n    b()  # k\n    # l\n    c(1,\n      2)\n\n    d()\n    # m\n    e()  # n\n    f()\n", enclose("b", "c", "d", "e"), "if a:\n    with L:  # k\n        # l\n        c(1,\n          2)\n\n        d()\n    # m\n    f()\n"},
	{"enclose, a string of several lines", "b()\nc(\"\"\"x\ny\"\"\")\ne()\n", enclose("b", "c", "e"), "with L:\n    c(\"\"\"x\ny\"\"\")\n"},
	{"enclose nothing", "b()\ne()\n", enclose("b", "e"), "error: nothing to enclose"},
	{"enclose, one line", "b(); c(); e()\n", enclose("b", "c", "e"), "error: shares its line"},
	{"enclose, the last of one line", "b()\nc(); e()\n", enclose("b", "c", "e"), "error: shares its line"},
	{"enclose, on the line of the header", "if a: b()\n", enclose("b", "b", "b"), "error: does not follow"},
	{"enclose, with a try around it", "if a:\n    b()\n    c()\n    e()\n", encloseAndTry("b", "c", "e"), "if a:\n    try:\n        with L:\n            c()\n    except E:\n        r()\n"},
	// Insertions.
	{"insert before, in a file with two blanks", "if a:\n  b()\n", insertBefore("b", "if n:", "\tm()"), "if a:\n  if n:\n    m()\n  b()\n"},
	{"insert before, tabs", "if a:\n\tb()\n", insertBefore("b", "if n:", "\tm()"), "if a:\n\tif n:\n\t\tm()\n\tb()\n"},
	{"insert an empty line", "a()\nb()\n", insertBefore("b", "n()", ""), "a()\nn()\n\nb()\n"},
	{"insert before, above its comments", "a()\n\n# one\n# two\nb()\n", insertBefore("b", "n()"), "a()\n\nn()\n# one\n# two\nb()\n"},
	{"insert before, below another comment", "if a:\n    # in\n# out\n    b()\n", insertBefore("b", "n()"), "if a:\n    # in\n# out\n    n()\n    b()\n"},
	{"insert before, below the comment of the file", "#!/bin/sh\n# utf-8\na()\n", insertBefore("a", "n()"), "#!/bin/sh\n# utf-8\nn()\na()\n"},
	{"insert before a string that looks like a comment", "x = '''\n# in'''\nb()\n", insertBefore("b", "n()"), "x = '''\n# in'''\nn()\nb()\n"},
	{"insert before a decorated function", "a()\n@ (  # @x\n d)\n@e\ndef f(): pass\n", insertBefore("def", "n()"), "a()\nn()\n@ (  # @x\n d)\n@e\ndef f(): pass\n"},
	{"insert before, in front of a semicolon", "if a:\n    b(); c()\n", insertBefore("b", "n()"), "if a:\n    n()\n    b(); c()\n"},
	{"insert before, behind a semicolon", "if a:\n    b(); c()  # k\n", insertBefore("c", "n()"), "if a:\n    b()\n    n()\n    c()  # k\n"},
	{"insert before, on the line of the header", "if a: b()  # k\nc()\n", insertBefore("b", "n()"), "if a:\n    n()\n    b()  # k\nc()\n"},
	{"insert before, second on the line of the header", "while a: b(); c()\n", insertBefore("c", "n()"), "while a:\n    b()\n    n()\n    c()\n"},
	{"insert before, header of several lines", "if x:\n  if (a and\n        b): c()\n", insertBefore("c", "n()"), "if x:\n  if (a and\n        b):\n    n()\n    c()\n"},
	{"insert before, header continued", "if a: \\\n  c()\n", insertBefore("c", "n()"), "if a:\n    n()\n    c()\n"},
	{"insert before, comment with a backslash above", "a()\n# k \\\nb()\n", insertBefore("b", "n()"), "a()\nn()\n# k \\\nb()\n"},
	{"insert before, else on one line", "if a: b()\nelse: c()\n", insertBefore("c", "n()"), "if a: b()\nelse:\n    n()\n    c()\n"},
	{"insert before, after a byte order mark", "\ufeffa()\n", insertBefore("a", "n()"), "\ufeffn()\na()\n"},
	{"insert before, CRLF", "a()\r\nif b:\r\n    c()\r\n", insertBefore("c", "n()"), "a()\r\nif b:\r\n    n()\r\n    c()\r\n"},
	{"insert before, CR", "a()\rb()\r", insertBefore("b", "n()"), "a()\rn()\rb()\r"},
	{"insert after", "if a:\n    b()  # k\n\nc()\n", insertAfter("b", "n()"), "if a:\n    b()  # k\n    n()\n\nc()\n"},
	{"insert after the last line", "a()\nb()", insertAfter("b", "n()"), "a()\nb()\nn()"},
	{"insert after the last line with a comment", "a()\nb()  # k", insertAfter("b", "n()"), "a()\nb()  # k\nn()"},
	{"insert after, in front of a semicolon", "if a:\n    b(); c()\n", insertAfter("b", "n()"), "if a:\n    b()\n    n()\n    c()\n"},
	{"insert after, behind a semicolon", "if a:\n    b(); c();  # k\n", insertAfter("c", "n()"), "if a:\n    b(); c();  # k\n    n()\n"},
	{"insert after, on the line of the header", "if a: b(); c()  # k\n", insertAfter("c", "n()"), "if a:\n    b(); c()  # k\n    n()\n"},
	{"insert after, first on the line of the header", "if a: b(); c()  # k\n", insertAfter("b", "n()"), "if a:\n    b()\n    n()\n    c()  # k\n"},
	{"insert after a semicolon and a continuation", "a(); \\\nb()\n", insertAfter("a", "n()"), "a()\nn()\nb()\n"},
	{"insert after a compound statement and its comments", "if a:\n    b()\n\n    # in\n# out\nc()\n", insertAfter("if", "n()"), "if a:\n    b()\n\n    # in\nn()\n# out\nc()\n"},
	{"insert after the last in a compound statement", "if a:\n    b()\n    # in\nc()\n", insertAfter("b", "n()"), "if a:\n    b()\n    n()\n    # in\nc()\n"},
	{"insert after a statement of several lines", "if a:\n    b(\n  1,\n    )\nc()\n", insertAfter("b", "n()"), "if a:\n    b(\n  1,\n    )\n    n()\nc()\n"},
	{"insert after, in an except clause", "try: a()\nexcept X: b()\nfinally: c()\n", insertAfter("b", "n()"), "try: a()\nexcept X:\n    b()\n    n()\nfinally: c()\n"},
	{"insert after, in a case", "match a:\n    case 1: b()\n    case _: c()\n", insertAfter("b", "n()"), "match a:\n    case 1:\n        b()\n        n()\n    case _: c()\n"},
	{"insert before an elif", "if a:\n    b()\nelif c:\n    d()\n", insertBefore("elif", "n()"), "error: f.py:3:1: not a statement of a block"},

	// Deletions.
	{"delete", "a()\nb()  # k\nc()\n", remove("b"), "a()\nc()\n"},
	{"delete, comments above stay", "a()\n# k\nb()\nc()\n", remove("b"), "a()\n# k\nc()\n"},
	{"delete the only one", "if a:\n    # i\n    b()  # k\nc()\n", remove("b"), "if a:\n    # i\n    pass\nc()\n"},
	{"delete all", "def f():\n    b()\n\n    c(\n    )\n    # k\nd()\n", remove("b", "c"), "def f():\n    pass\n    # k\nd()\n"},
	{"delete all of the module", "a()\nb()\n", remove("a", "b"), ""},
	{"delete the only one on the line of the header", "if a: b()  # k\n", remove("b"), "if a: pass  # k\n"},
	{"delete the first on the line of the header", "if a: b(); c()\n", remove("b"), "if a: c()\n"},
	{"delete the last on the line of the header", "if a: b(); c()  # k\n", remove("c"), "if a: b()  # k\n"},
	{"delete all on the line of the header", "if a: b(); c()\nelse: d()\n", remove("b", "c"), "if a: pass\nelse: d()\n"},
	{"delete in front of a semicolon", "a(); b(); c()\n", remove("a"), "b(); c()\n"},
	{"delete between semicolons", "a(); b(); c()\n", remove("b"), "a(); c()\n"},
	{"delete behind a semicolon", "a(); b();\n", remove("b"), "a();\n"},
	{"delete to the middle of a line", "if x:\n    a()\n    b(); c()\n", remove("a", "b"), "if x:\n    c()\n"},
	{"delete from the middle of a line", "if x:\n    a(); b()\n    c()  # k\nd()\n", remove("b", "c"), "if x:\n    a()\nd()\n"},
	{"delete between middles of lines", "if x:\n    a(); b()\n    c(); d()\n", remove("b", "c"), "if x:\n    a()\n    d()\n"},
	{"delete a decorated function", "a()\n\n\n@d\ndef f():\n    pass\n    # k\n\n\nb()\n", remove("def"), "a()\n\n\nb()\n"},
	{"delete a paragraph", "a()\n\nb()\n\nc()\n", remove("b"), "a()\n\nc()\n"},
	{"delete the last paragraph of a block", "if x:\n    a()\n\n    b()\n\n\nc()\n", remove("b"), "if x:\n    a()\n\n\nc()\n"},
	{"delete the last paragraph of the file", "a()\n\nb()\n", remove("b"), "a()\n"},
	{"delete the last line without a line end", "a()\nb()", remove("b"), "a()\n"},
	{"delete what does not follow", "a()\nb()\nc()\n", remove("a", "c"), "error: f.py:3:1: does not follow"},
	{"delete nothing", "a()\n", remove(), "error: no statement given"},
	{"insert before nothing", "a()\n", func(e *patch.Editor, _ selector) ([]patch.Edit, error) { return e.InsertBefore(nil, "b()") }, "error: no statement given"},

	// Moves.
	{"move before", "a()\nb()\n# k\nc()  # l\nd()\n", moveBefore("b", "c"), "a()\n# k\nc()  # l\nb()\nd()\n"},
	{"move after", "a()  # k\nb()\nc()\n", moveAfter("b", "a"), "b()\na()  # k\nc()\n"},
	{"move into a block", "if a:\n    b()\nc(1,\n  2)\n", moveAfter("b", "c"), "if a:\n    b()\n    c(1,\n      2)\n"},
	{"move out of a block", "if a:\n        b(1,\n          2)\nc()\n", moveBefore("c", "b"), "if a:\n        pass\nb(1,\n  2)\nc()\n"},
	{"move out of a block with its comment", "if a:\n    # k\n    b()  # l\nc()\n", moveAfter("c", "b"), "if a:\n    pass\nc()\n# k\nb()  # l\n"},
	{"move several", "if a:\n    b()\n    # k\n    c()\n    d()\ne()\n", moveBefore("e", "c", "d"), "if a:\n    b()\n# k\nc()\nd()\ne()\n"},
	{"move a string of several lines", "if a:\n    b('''\n    x\n  ''', f'''{\n    y}\n    ''',\n    'z')\nc()\n", moveAfter("c", "b"), "if a:\n    pass\nc()\nb('''\n    x\n  ''', f'''{\n    y}\n    ''',\n'z')\n"},
	{"move a continued string", "if a:\n    b('x\\\n    y', \\\n    z)\nc()\n", moveBefore("c", "b"), "if a:\n    pass\nb('x\\\n    y', \\\nz)\nc()\n"},
	{"move a compound statement", "if a:\n    while b:\n        c()\n        # in\n    d()\ne()\n", moveAfter("e", "while"), "if a:\n    d()\ne()\nwhile b:\n    c()\n    # in\n"},
	{"move a decorated class", "if a:\n    @d\n    class C:\n        x = 1\n    d()\ne()\n", moveBefore("e", "class"), "if a:\n    d()\n@d\nclass C:\n    x = 1\ne()\n"},
	{"move to the end without a line end", "a()\nb()", moveAfter("b", "a"), "b()\na()"},
	{"move from the end without a line end", "a()\nb()", moveBefore("a", "b"), "b()\na()\n"},
	{"move from the line of the header", "if a: b()  # k\nc()\n", moveAfter("c", "b"), "if a: pass  # k\nc()\nb()\n"},
	{"move to the line of the header", "if a: b()  # k\nc()\n", moveBefore("b", "c"), "if a:\n    c()\n    b()  # k\n"},
	{"move from between semicolons", "a(); b(); c()  # k\nd()\n", moveAfter("d", "b"), "a(); c()  # k\nd()\nb()\n"},
	{"move along a line", "a(); b(); c()\n", moveBefore("a", "c"), "c()\na(); b()\n"},
	{"move along the line of the header", "if x: a(); b(); c()\n", moveAfter("b", "a"), "if x:\n    b()\n    a()\n    c()\n"},
	{"move part of several lines", "if x:\n    a(); b()\n    c()  # k\nd()\n", moveAfter("d", "b", "c"), "if x:\n    a()\nd()\nb()\nc()  # k\n"},
	{"move into itself", "if a:\n    b()\n", moveBefore("b", "if"), "error: f.py:2:5: the target is part of what is to move"},
	{"move to where it is", "a()\nb()\n", moveBefore("b", "a"), "error: f.py:1:1: is before the target already"},
	{"move to where it is, after", "a()\nb()\n", moveAfter("a", "b"), "error: f.py:2:1: is after the target already"},
	{"move an elif", "if a:\n    b()\nelif c:\n    d()\ne()\n", moveBefore("e", "elif"), "error: not a statement of a block"},

	// Wrapping.
	{"wrap", "a()\n# k\nb()  # l\nc()\n", wrapWith("b"), "a()\n# k\nwith L:\n    b()  # l\nc()\n"},
	{"wrap several", "if a:\n  b()\n\n  # k\n  c(1,\n    2,\n3)\nd()\n", wrapWith("b", "c"), "if a:\n  with L:\n    b()\n\n    # k\n    c(1,\n      2,\n3)\nd()\n"},
	{"wrap a string of several lines", "a('''\nx\n''')\n", wrapIf("a"), "if C:\n    a('''\nx\n''')\n"},
	{"wrap a compound statement", "if x:\n\tif a:\n\t\tb()\n\telse:\n\t\tc()\n\t\t# in\nd()\n", wrapIf("if a"), "if x:\n\tif C:\n\t\tif a:\n\t\t\tb()\n\t\telse:\n\t\t\tc()\n\t\t\t# in\nd()\n"},
	{"wrap a decorated function", "@d\ndef f():\n    pass\n", wrapIf("def"), "if C:\n    @d\n    def f():\n        pass\n"},
	{"wrap on the line of the header", "if a: b(1,\n        2)  # k\n", wrapWith("b"), "if a:\n    with L:\n        b(1,\n                2)  # k\n"},
	{"wrap a part of the line of the header", "if a: b(); c(); d()\n", wrapWith("c"), "if a:\n    b()\n    with L:\n        c()\n    d()\n"},
	{"wrap in front of a semicolon", "a(); b()\n", wrapWith("a"), "with L:\n    a()\nb()\n"},
	{"wrap behind a semicolon", "if x:\n    a(); b()  # k\n", wrapWith("b"), "if x:\n    a()\n    with L:\n        b()  # k\n"},
	{"wrap a line of several", "if x:\n    a(); b()\n    c()\n", wrapWith("a", "b", "c"), "if x:\n    with L:\n        a(); b()\n        c()\n"},
	{"wrap the last line, CRLF", "if x:\r\n    a(1,\r\n      2)", wrapWith("a"), "if x:\r\n    with L:\r\n        a(1,\r\n          2)"},
	{"try", "while 1:\n    a()\n    b()  # k\nc()\n", wrapTry("a", "b"), "while 1:\n    try:\n        a()\n        b()  # k\n    except E:\n        r()\nc()\n"},
	{"try around a block", "if x:\n  if a:\n    b()\n", wrapTry("if a"), "if x:\n  try:\n    if a:\n      b()\n  except E:\n    r()\n"},
	{"try around the last line", "a()", wrapTry("a"), "try:\n    a()\nexcept E:\n    r()"},
	{"try on the line of the header", "while 1: a()\n", wrapTry("a"), "error: shares its line"},
	{"finally", "if x:\n  a()\n  b()  # k\n  # now\n  c(1,\n    2)\nd()\n", wrapFinally([]string{"a", "b"}, []string{"c"}), "if x:\n  try:\n    a()\n    b()  # k\n  # now\n  finally:\n    c(1,\n      2)\nd()\n"},
	{"finally within a try", "if x:\n  a()\n  b(1,\n    2)\n  # now\n  c()\n  d()\n", tryAndFinally([]string{"a", "b", "c", "d"}, []string{"b"}, []string{"c"}), "if x:\n  try:\n    a()\n    try:\n      b(1,\n        2)\n    # now\n    finally:\n      c()\n    d()\n  except E:\n    r()\n"},
	{"finally within a try, all of it", "a()\nb()\n", tryAndFinally([]string{"a", "b"}, []string{"a"}, []string{"b"}), "try:\n    try:\n        a()\n    finally:\n        b()\nexcept E:\n    r()\n"},
	{"finally with several last lines", "a()\nif b:\n    c()\nd()", wrapFinally([]string{"a"}, []string{"if b", "d"}), "try:\n    a()\nfinally:\n    if b:\n        c()\n    d()"},
	{"finally with a gap", "a()\nb()\nc()\n", wrapFinally([]string{"a"}, []string{"c"}), "error: "},
	{"finally on one line", "if x:\n    a(); b()\n", wrapFinally([]string{"a"}, []string{"b"}), "error: shares its line"},
	{"move to finally", "if x:\n  # why\n  c(1,\n    2)  # k\n\n  a()\n  b()  # l\nd()\n", moveToFinally("c", "a", "b"), "if x:\n  try:\n    a()\n    b()  # l\n  finally:\n    # why\n    c(1,\n      2)  # k\nd()\n"},
	{"move to finally at the end, CRLF", "c()\r\nif a:\r\n\tb()", moveToFinally("c", "if"), "try:\r\n\tif a:\r\n\t\tb()\r\nfinally:\r\n\tc()"},
	{"move to finally with a gap", "c()\na()\nb()\n", moveToFinally("c", "b"), "error: "},
	{"move to finally on one line", "if x:\n    c(); a()\n", moveToFinally("c", "a"), "error: shares its line"},
	{"move under a header", "with L:\n    if a: b()\n    # why\n    c()  # k\nd()\ne()\n", moveUnder("d", "c"), "with L:\n    if a: b()\nd()\nwith L:\n    # why\n    c()  # k\ne()\n"},
	{"wrap the whole of a one-line statement", "if a: b()\nelse: c()\n", wrapWith("if"), "with L:\n    if a: b()\n    else: c()\n"},

	// Else clauses.
	// Blocks without their statement.
	{"unwrap", "if a:\n    # h\n    try:\n        # i\n        b(\n            1)  # k\n\n        c()\n    finally:\n        d()\n\ne()\n", unwrapTry("try"), "if a:\n    # h\n    # i\n    b(\n        1)  # k\n\n    c()\n\ne()\n"},
	{"unwrap a string of several lines, tabs, at the end", "if a:\n\ttry:\n\t\tb(\"\"\"x\n\t\ty\"\"\")\n\tfinally: d()", unwrapTry("try"), "if a:\n\tb(\"\"\"x\n\t\ty\"\"\")\n"},
	{"unwrap, a comment in another block", "try:\n    b()\nfinally:\n    d()  # k\n", unwrapTry("try"), "error: would be lost"},
	{"unwrap, a comment in the header", "try:  # k\n    b()\nfinally:\n    d()\n", unwrapTry("try"), "error: would be lost"},
	{"unwrap, on the line of the header", "try: b()\nfinally: d()\n", unwrapTry("try"), "error: shares its lines"},
	{"add elif", "if a:\n    b()\n    # in\n# out\nc()\n", addElif("if", "n()", "m()"), "if a:\n    b()\n    # in\nelif C:\n    n()\n    m()\n# out\nc()\n"},
	{"add elif after elif", "if a:\n    b()\nelif c: d()\ne()\n", addElif("if", "n()"), "if a:\n    b()\nelif c: d()\nelif C:\n    n()\ne()\n"},
	{"add elif before else", "if a:\n    b()\nelse:\n    c()\n", addElif("if", "n()"), "error: has an else"},
	{"add else", "if a:\n    b()\n    # in\n# out\nc()\n", addElse("if", "n()", "if m:", "\to()"), "if a:\n    b()\n    # in\nelse:\n    n()\n    if m:\n        o()\n# out\nc()\n"},
	{"add else to a one-line if", "if x:\n    if a: b()  # k\nc()\n", addElse("if a", "n()"), "if x:\n    if a: b()  # k\n    else:\n        n()\nc()\n"},
	{"add else at the end without a line end", "if a:\n    b()", addElse("if", "n()"), "if a:\n    b()\nelse:\n    n()"},
	{"add else after elif", "if a:\n    b()\nelif c:\n    d()\ne()\n", addElse("if", "n()"), "if a:\n    b()\nelif c:\n    d()\nelse:\n    n()\ne()\n"},
	{"add else to an elif", "if a:\n    b()\nelif c:\n    d()\ne()\n", addElse("elif", "n()"), "if a:\n    b()\nelif c:\n    d()\nelse:\n    n()\ne()\n"},
	{"add to an else", "if a:\n    b()\nelse:\n    # k\n    return_()\n", addElse("if", "n()"), "if a:\n    b()\nelse:\n    n()\n    # k\n    return_()\n"},
	{"add to a one-line else", "if a: b()\nelse: c()\n", addElse("if", "n()"), "if a: b()\nelse:\n    n()\n    c()\n"},
	{"add to the else after elif", "if a:\n    b()\nelif c:\n    d()\nelse:\n    e()\n", addElse("if", "n()"), "if a:\n    b()\nelif c:\n    d()\nelse:\n    n()\n    e()\n"},
	{"add to an else with an if in it", "if a:\n    b()\nelse:\n    if c:\n        d()\n", addElse("if", "n()"), "if a:\n    b()\nelse:\n    n()\n    if c:\n        d()\n"},
	{"add else to an inner if", "if a:\n    if b:\n        c()\nelse:\n    d()\n", addElse("if b", "n()"), "if a:\n    if b:\n        c()\n    else:\n        n()\nelse:\n    d()\n"},

	// Replacements.
	{"replace a statement", "if a:\n    b(1,\n      2)  # k\n", replaceStmt("b", "n()"), "if a:\n    n()  # k\n"},
	{"replace a compound statement", "if x:\n    if k in d:\n        del d[k]\ny()\n", replaceStmt("if k", "d.pop(k, None)"), "if x:\n    d.pop(k, None)\ny()\n"},
	{"replace on the line of the header", "if a: del d[k]\n", replaceStmt("del", "d.pop(k, None)"), "if a: d.pop(k, None)\n"},
	{"replace on the line of the header by lines", "if a: b(); c(); d()\n", replaceStmt("c", "if n:", "\tm()"), "if a:\n    b()\n    if n:\n        m()\n    d()\n"},
	{"replace by nothing", "if a:\n    b()\n", replaceStmt("b"), "if a:\n    pass\n"},
	{"replace an expression", "for k in d.items():\n    pass\n", replaceExpr("d.items()", "list(d.items())"), "for k in list(d.items()):\n    pass\n"},
	{"replace an expression in parentheses", "x = (a)\n", replaceExpr("a", "b"), "x = (b)\n"},
	{"replace the parentheses of a tuple", "def f():\n    return(a, b)if(c, d)else e\n", replaceExpr("(a, b)", "n"), "def f():\n    return n if(c, d)else e\n"},
	{"replace a condition without blanks", "x = 'a'if'b'else'c'\n", replaceExpr("'b'", "n"), "x = 'a'if n else'c'\n"},
	{"replace by a string without blanks", "x = 'a'if(1,)else'c'\n", replaceExpr("(1,)", "'n'"), "x = 'a'if 'n'else'c'\n"},
	{"replace the only argument", "f(x for x in y)\n", replaceExpr("(x for x in y)", "n"), "f(n)\n"},
	{"replace a generator in parentheses", "f((x for x in y))\n", replaceExpr("(x for x in y)", "n"), "f(n)\n"},
}

func TestEditor(t *testing.T) {
	var sources [][]byte
	for _, tt := range editTests {
		sources = append(sources, []byte(tt.src))
	}
	type checkCase struct {
		Before []byte `json:"before"`
		After  []byte `json:"after"`
	}
	var cases []checkCase
	var names []string
	for i, m := range parsePython(t, "f.py", sources...) {
		tt := editTests[i]
		t.Run(tt.name, func(t *testing.T) {
			if m == nil {
				t.Skip("this python3 cannot parse the source")
			}
			edits, err := tt.edit(patch.NewEditor(m), selector{t, m})
			if part, isErr := strings.CutPrefix(tt.want, "error: "); isErr {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("got error %v, want one with %q", err, part)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := patch.Apply(m.Source, edits)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("of\n%s\ngot\n%s\nwant\n%s", tt.src, visible(got), visible([]byte(tt.want)))
			}
			cases = append(cases, checkCase{m.Source, got})
			names = append(names, tt.name)
		})
	}
	var wrong []string
	python(t, map[string]any{"op": "check", "cases": cases}, &wrong)
	for i, msg := range wrong {
		if msg != "" {
			t.Errorf("%s: %s\n%s", names[i], msg, cases[i].After)
		}
	}
}

func visible(text []byte) string {
	return strings.NewReplacer("\r", "<CR>", "\t", "<TAB>").Replace(string(text))
}

func TestEditorStyle(t *testing.T) {
	tests := []struct{ src, newline, unit, indent string }{ // the indentation of x
		{"x\n", "\n", "    ", ""},
		{"if a: x\n", "\n", "    ", "    "},
		{"if a:\n  if b:\n    if c: x\n", "\n", "  ", "      "},
		{"if a:\n\tif b: y; x\n", "\n", "\t", "\t\t"},
		{"if a:\r\n   b; x\r\n", "\r\n", "   ", "   "},
		{"if a:\n        b\nif c:\n    d\nif e:\n    x\n", "\n", "    ", "    "},
		{"a\rb\rx\r", "\r", "    ", ""},
		{"a\r\nb\nx\n", "\n", "    ", ""},
		{"try:\n a\nexcept (B,\n   C): x\n", "\n", " ", " "},
	}
	var sources [][]byte
	for _, tt := range tests {
		sources = append(sources, []byte(tt.src))
	}
	for i, m := range parsePython(t, "f.py", sources...) {
		tt := tests[i]
		e := patch.NewEditor(m)
		indent, err := e.Indent(selector{t, m}.stmt("x"))
		got := fmt.Sprintf("%q %q %q %v", e.Newline(), e.IndentUnit(), indent, err)
		if want := fmt.Sprintf("%q %q %q <nil>", tt.newline, tt.unit, tt.indent); got != want {
			t.Errorf("%q: got %s, want %s", tt.src, got, want)
		}
	}
}
