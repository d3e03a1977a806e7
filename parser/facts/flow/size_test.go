package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TestLargeEntrypoint checks that an entrypoint with too many steps to inline
// everything still has its own last step, and what it starts deep inside.
func TestLargeEntrypoint(t *testing.T) {
	const levels, calls = 6, 5 // 5^6 calls of the innermost method
	var src strings.Builder
	src.WriteString("import threading\n\nclass Depot:\n    def __init__(self):\n        self.rows = {}\n\n")
	for i := range levels {
		fmt.Fprintf(&src, "    def step%d(self, key):\n", i)
		for range calls {
			if i+1 < levels {
				fmt.Fprintf(&src, "        self.step%d(key)\n", i+1)
			} else {
				src.WriteString("        self.rows[key] = 1\n")
			}
		}
		if i+1 == levels {
			src.WriteString("        threading.Thread(target=self.carry).start()\n")
		}
	}
	src.WriteString("\n    def carry(self):\n        self.rows.clear()\n\n    def take(self, key):\n        self.step0(key)\n        del self.rows[key]\n")
	mod, err := parser.ParseFile("depot.py", []byte(src.String()), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := flow.Build(program.New([]*ast.Module{mod}))
	dels, threads := 0, 0
	for _, e := range p.Entries {
		if e.Role == flow.ThreadOf {
			threads++
		}
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.Del && len(n.Pred) > 0 {
				dels++
			}
		}
	}
	if dels != 1 || threads != 1 {
		t.Errorf("%d removals and %d threads, want one of each", dels, threads)
	}
}
