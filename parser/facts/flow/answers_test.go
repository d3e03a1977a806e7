package flow

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

const formed = `
import threading
class Desk:
    def __init__(self):
        self.rows = {}
        self.done = {}
        self.lock = threading.Lock()
    def drop(self, key):
        if key in self.rows:
            with self.lock:
                self.rows.pop(key, None)
        self.done[key] = 1
`

// TestForm checks that graphs have one form when they differ in positions and names
// of variables alone, and several when they do not.
func TestForm(t *testing.T) {
	form := func(old, new string) [32]byte {
		t.Helper()
		src := strings.Replace(formed, old, new, 1)
		m, err := parser.ParseFile("desk.py", []byte(src), parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range Build(program.New([]*ast.Module{m})).Entries {
			if e.Func.Name == "drop" {
				return e.Graph.form()
			}
		}
		t.Fatalf("%q is no entrypoint", new)
		return [32]byte{}
	}
	whole := form("", "")
	for _, same := range [][2]string{
		{"import threading", "import threading # and\n# more"},
		{"self.lock = threading.Lock()", "self.lock = threading.Lock()\n    def other(self):\n        self.rows.clear()"},
	} {
		if form(same[0], same[1]) != whole {
			t.Errorf("another form with %q", same[1])
		}
	}
	for _, other := range [][2]string{
		{"if key in", "if key not in"},
		{"if key in self.rows", "if key in self.done"},
		{"pop(key, None)", "pop(key)"},
		{"pop(key, None)", "pop(key, 1)"},
		{"self.done[key] = 1", "self.done[key] = 2"},
		{"            with self.lock:\n                self.rows", "            self.rows"},
		{"        self.done[key]", "            self.done[key]"},
		{"        self.done[key]", "        return\n        self.done[key]"},
		{"        self.done[key]", "        key.close()\n        self.done[key]"},
	} {
		if form(other[0], other[1]) == whole {
			t.Errorf("the same form with %q", other[1])
		}
	}
}
