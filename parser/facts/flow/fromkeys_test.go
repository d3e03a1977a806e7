package flow_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

func TestFromKeys(t *testing.T) {
	got := map[string]string{}
	for _, e := range build(t, filepath.Join("testdata", "fromkeys.py")).Entries {
		for i := range e.Graph.Nodes {
			if e.Graph.Nodes[i].Op != flow.PutAll {
				continue
			}
			got[e.Name()] = "unknown"
			if keys, value, ok := e.Graph.FromKeys(int32(i)); ok {
				got[e.Name()] = keys.Name + " " + value.String()
			}
		}
	}
	want := map[string]string{
		"Marks.refresh": `marks "alive"`, "Marks.adopt": `names "new"`,
		"Marks.unlocked": "unknown", "Marks.filled": "unknown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contents differ (-want +got):\n%s", diff)
	}
}
