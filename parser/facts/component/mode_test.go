package component_test

import (
	"testing"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// TestModeOfOtherStep asks for rivals before a step that is on no location.
func TestModeOfOtherStep(t *testing.T) {
	c := components(t, `import threading


class Post:
    def __init__(self, sends, link):
        self.sends = sends
        self.link = link
        self.rows = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            if self.sends:
                row = self.rows.pop(self.link.receive(), None)
                self.link.rows.tell(row)

    def drop(self, key):
        if not self.sends:
            self.rows.pop(key, None)
`)["Post"]
	var run, drop *flow.Entry
	for _, e := range c.Entries {
		switch e.Func.Name {
		case "_run":
			run = e
		case "drop":
			drop = e
		}
	}
	step := func(e *flow.Entry, op flow.Op, name string) int32 {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == op && (n.Loc == nil || n.Loc.Name == name) && (op != flow.Call || n.Name == name) {
				return int32(i)
			}
		}
		t.Fatalf("%s has no step %v %s", e.Name(), op, name)
		return 0
	}
	del := step(drop, flow.Del, "rows")
	rival := component.Access{Entry: drop, ID: del, Node: &drop.Graph.Nodes[del]}
	if c.Between(run, step(run, flow.Del, "rows"), step(run, flow.Call, "tell"), []component.Access{rival}) == nil {
		t.Error("nothing is known of the mode of a call, and drop does not come before it")
	}
}
