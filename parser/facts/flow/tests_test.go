package flow_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TestCallsOfTests checks that a method stays a hook when only tests call it,
// and that tests are no entrypoints.
func TestCallsOfTests(t *testing.T) {
	const archive = `
-- depot.py --
class Depot:
    def __init__(self):
        self.rows = {}

    def add(self, key):
        self.rows[key] = 1

    def drop(self, key):
        self.rows.pop(key, None)
-- check_depot.py --
import unittest
from depot import Depot

class TestDepot(unittest.TestCase):
    def setUp(self):
        self.depot = Depot()

    def test_drop(self):
        self.depot.rows[1] = 0
        self.depot.add(1)
        self.depot.drop(1)
        self.assertNotIn(1, self.depot.rows)
`
	var mods []*ast.Module
	for _, f := range txtar.Parse([]byte(archive)).Files {
		m, err := parser.ParseFile(f.Name, f.Data, parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mods = append(mods, m)
	}
	var got []string
	for _, e := range flow.Build(program.New(mods)).Entries {
		got = append(got, e.Name())
	}
	if want := []string{"Depot.__init__", "Depot.add", "Depot.drop"}; !slices.Equal(got, want) {
		t.Errorf("entrypoints are %q, want %q", got, want)
	}
}
