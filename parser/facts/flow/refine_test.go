package flow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TestRefining compares searches that remember little at first with those that remember
// everything, on the graphs of all fixtures: what is known of a value where a function
// returns, and how long the walk to there is.
func TestRefining(t *testing.T) {
	files, err := filepath.Glob("../../../rules/*/testdata/*_racy.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	searches, found := 0, 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parser.ParseFile(filepath.Base(name), src, parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range Build(program.New([]*ast.Module{m})).Entries {
			g := e.Graph
			for i := range g.Nodes {
				v := g.Nodes[i].Val
				if g.Nodes[i].Op != Branch || v == nil || v.Kind == Const {
					continue
				}
				for _, known := range []bool{true, false} {
					s := Search{
						From: []int32{StartNode}, Edge: KnownEdges, Track: []*Value{v},
						Goal: func(_ int32, n *Node, f Facts) bool {
							_, ok := f.Holds(v)
							return n.Op == Return && ok == known
						},
					}
					want, have := g.explore(&s, nil), g.Find(s)
					searches++
					found += b2i(want != nil)
					if (want == nil) != (have == nil) || want != nil && len(want.Nodes) != len(have.Nodes) {
						t.Errorf("%s: %s: that %v is known is %v: the walk is %v, and %v when all is remembered", name, e.Name(), v, known, have, want)
					}
				}
			}
		}
	}
	if found == 0 || found == searches {
		t.Errorf("%d walks in %d searches", found, searches)
	}
}
