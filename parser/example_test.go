package parser_test

import (
	"fmt"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

func Example() {
	src := []byte(`
def clear(self, room):
    self.entries.pop(room, None)
    del self.status[room
    self.count -= 1  # kept, although the line before is wrong
`)
	m, err := parser.ParseFile("conn.py", src, parser.Options{})
	if errs, ok := err.(parser.ErrorList); ok {
		for _, e := range errs {
			fmt.Println(e)
		}
	}
	ast.Inspect(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			line, column := m.Position(n.Pos())
			fmt.Printf("%d:%d: call of %s\n", line, column, m.Text(n.Func))
		case *ast.AugAssign:
			fmt.Println(string(ast.AppendDump(nil, m, n, 0)))
		}
		return true
	})
	for _, c := range m.Comments {
		fmt.Printf("%s\n", m.Text(c))
	}
	// Output:
	// conn.py:4:20: '[' was never closed
	// 3:5: call of self.entries.pop
	// AugAssign(target=Attribute(value=Name(id='self', ctx=Load()), attr='count', ctx=Store()), op=Sub(), value=Constant(value=1))
	// # kept, although the line before is wrong
}
