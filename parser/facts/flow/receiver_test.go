package flow_test

import (
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func TestReceiver(t *testing.T) {
	src := `
class Pool:
    def __init__(self, store):
        self.store = store
        self.held = {}

    def take(self, rid):
        self.held[rid] = self.store.alloc(4)

    def _drop(self, rid, why):
        return self.held.pop(rid, why)

    def give(self, rid):
        self.store.free(self._drop(rid, None))
        rid.wrap(self.store.seal(rid))
`
	mod, err := parser.ParseFile("pool.py", []byte(src), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := flow.Build(program.New([]*ast.Module{mod}))
	want := map[string]string{"alloc": "self.store", "free": "self.store", "seal": "self.store", "wrap": "rid"}
	var args string
	for _, e := range p.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.Call && n.Recv.String() == want[n.Name] {
				delete(want, n.Name)
			}
			if n.Op == flow.Del {
				args = n.Frame.Args[0].String() + ", " + n.Frame.Args[1].String()
			}
		}
	}
	for name, recv := range want {
		t.Errorf("no call of %s on %s", name, recv)
	}
	if args != "rid, None" {
		t.Errorf("arguments of the call around the removal are %q", args)
	}
}
