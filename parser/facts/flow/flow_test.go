package flow_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestGraphs compares the printed graphs of each file of testdata with the
// golden file beside it.
func TestGraphs(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.py"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			var got bytes.Buffer
			for _, e := range build(t, name).Entries {
				if err := flow.Fprint(&got, e.Graph); err != nil {
					t.Fatal(err)
				}
			}
			golden := strings.TrimSuffix(name, ".py") + ".flow"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("graphs differ from %s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

func build(t *testing.T, name string) *flow.Program {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := parser.ParseFile(filepath.Base(name), src, parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return flow.Build(program.New([]*ast.Module{mod}))
}

// TestGraphsAreSound checks what queries rely on: edges have two ends, no step
// that is reached lacks a place, and no way out of a graph goes on.
func TestGraphsAreSound(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, e := range build(t, name).Entries {
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				for _, s := range n.Succ {
					if !slices.Contains(e.Graph.Nodes[s.To].Pred, int32(i)) {
						t.Errorf("%s: %s: step %d does not know its predecessor %d", name, e.Name(), s.To, i)
					}
				}
				switch {
				case i == flow.ExitNode || i == flow.FailNode:
					if len(n.Succ) > 0 {
						t.Errorf("%s: %s: step %d goes on", name, e.Name(), i)
					}
				case i != flow.StartNode && len(n.Pred) > 0 && n.Src == nil:
					t.Errorf("%s: %s: step %d has no place", name, e.Name(), i)
				}
			}
		}
	}
}
