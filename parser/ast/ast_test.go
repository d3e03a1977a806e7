package ast_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

func parse(t *testing.T, src string) *ast.Module {
	t.Helper()
	m, err := parser.ParseFile("f.py", []byte(src), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWalkOrder checks that the nodes are visited in source order.
func TestWalkOrder(t *testing.T) {
	const src = `@deco
def func(a, b: c = d, /, e=f, *g, h=i, j, **k) -> l:
    m(n, *o, p=q, **r)
    s = t if u else {v: w, **x}
    match y:
        case {z.z: 1, "a2": b2} | c2(3, d2=4) if e2: f2
`
	var names []string
	ast.Inspect(parse(t, src), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			names = append(names, n.Id())
		case *ast.Arg:
			names = append(names, n.Arg())
		}
		return true
	})
	const want = "deco a b c d e f g h i j k l m n o q r s t u v w x y z c2 e2 f2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("names in the order %s, want %s", got, want)
	}
}

// TestWalkPrune checks that the children of a node are skipped when the
// function returns false, and that each visited node is left again.
func TestWalkPrune(t *testing.T) {
	depth, names := 0, 0
	ast.Walk(parse(t, "a = f(b, lambda: c)\n"), func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Lambda:
			return false
		case *ast.Name:
			names++
		}
		depth++
		return true
	}, func() { depth-- })
	if depth != 0 || names != 3 {
		t.Errorf("depth %d, %d names, want 0 and 3", depth, names)
	}
}

func TestPosition(t *testing.T) {
	m := parse(t, "\xef\xbb\xbfé = 1\r\nb = 2\rc\n")
	var got []int
	for _, s := range m.Body {
		line, column := m.Position(s.End())
		got = append(got, line, column)
	}
	want := []int{1, 7, 2, 6, 3, 2}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("positions %v, want %v", got, want)
		}
	}
}

func TestRepr(t *testing.T) {
	tests := []struct{ src, want string }{
		{`"it's"`, `"it's"`},
		{`'"\''`, `'"\''`},
		{`"\x00\x7f\xa0\u200b\U000e0001é"`, `'\x00\x7f\xa0\u200b\U000e0001é'`},
		{`b"\x00'\xff"`, `b"\x00'\xff"`},
		{`"\ud800"`, `'\ud800'`},
		{`0xff`, `255`},
		{`00_0`, `0`},
		{`0b1_0`, `2`},
		{`99999999999999999999`, `99999999999999999999`},
		{`1e16`, `1e+16`},
		{`1e15`, `1000000000000000.0`},
		{`1e-5`, `1e-05`},
		{`.0001`, `0.0001`},
		{`1e999`, `inf`},
		{`1.5j`, `1.5j`},
		{`0j`, `0j`},
		{`1e999j`, `infj`},
		{`None`, `None`},
		{`...`, `Ellipsis`},
	}
	for _, test := range tests {
		c := parse(t, test.src).Body[0].(*ast.ExprStmt).Value.(*ast.Constant)
		if got := ast.Repr(c); got != test.want {
			t.Errorf("Repr(%s) = %s, want %s", test.src, got, test.want)
		}
	}
}
