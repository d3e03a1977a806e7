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
// everything, on the graphs of all fixtures: what is known of a value, or of what is
// returned, where a function returns, with and without something assumed of the value, and
// how long the walk to there is.
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
				for form := range 8 {
					known, returned, assumed := form&1 != 0, form&2 != 0, form&4 != 0
					s := Search{
						From: []int32{StartNode}, Edge: KnownEdges, Track: []*Value{v}, AtReturn: returned,
						Goal: func(_ int32, n *Node, f Facts) bool {
							asked := v
							if returned {
								asked = n.Val
							}
							if n.Op != Return || asked == nil {
								return false
							}
							_, ok := f.Holds(asked)
							return ok == known
						},
					}
					if assumed {
						s.Assume = func(n *Node) string {
							if register(n.Res) == register(v) {
								return NoneID
							}
							return ""
						}
					}
					want, have := g.explore(&s, nil), g.Find(s)
					searches++
					found += b2i(want != nil)
					if (want == nil) != (have == nil) || want != nil && len(want.Nodes) != len(have.Nodes) {
						t.Errorf("%s: %s: that %v is known, form %d: the walk is %v, and %v when all is remembered", name, e.Name(), v, form, have, want)
					}
				}
			}
		}
	}
	if found == 0 || found == searches {
		t.Errorf("%d walks in %d searches", found, searches)
	}
}
