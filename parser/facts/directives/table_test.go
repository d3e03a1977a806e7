package directives

import (
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
)

func TestTableThread(t *testing.T) {
	table := Table{Threads: []ThreadOf{
		{"Depot.*", "engine"}, {"Depot.poll", "caller"}, {"pkg.depot.Depot.take", "other"}, {"free", "pool"},
	}}
	for qual, want := range map[string]string{
		"Depot.on_gone": "engine", "Depot.poll": "caller", "Depot.take": "other", "free": "pool",
		"OtherDepot.poll": "", "depot_free": "",
	} {
		if got := table.Thread("pkg.depot", qual); got != want {
			t.Errorf("thread of %s = %q, want %q", qual, got, want)
		}
	}
}

func TestSubject(t *testing.T) {
	tests := []struct {
		src  string
		want bool
	}{
		{"def f():  # kvrace: thread(a)\n    x = 1\n", true},
		{"# kvrace: thread(a)\n@wrapped\ndef f():\n    x = 1\n", true},
		{"@wrapped  # kvrace: thread(a)\n@again\nasync def f(\n    a,\n): return 1\n", true},
		{"def f(\n    a,\n):  # kvrace: thread(a)\n    return 1\n", true},
		{"def f():\n    return 1  # kvrace: thread(a)\n", false},
		{"class C:  # kvrace: thread(a)\n    x = 1\n", false},
		{"class C:  # kvrace: terminal(A)\n    A = 1\n", true},
		{"class C:\n    A = 1  # kvrace: terminal(A)\n", true},
		{"class C:\n    def f(self):\n        self.d = {\n            1: 2,  # kvrace: guarded-by(l)\n        }\n", true},
		{"d: dict = {}  # kvrace: confined\n", true},
		{"d.pop(1)  # kvrace: confined\n", false},
		{"d = 1  # kvrace: ignore[KV101] why\n", false},
	}
	for _, tt := range tests {
		m := module(t, tt.src)
		ds := In(m)
		if len(ds) != 1 {
			t.Fatalf("%q has %d directives", tt.src, len(ds))
		}
		var st ast.Stmt = ds[0].Subject(m)
		if got := st != nil; got != tt.want {
			t.Errorf("%q: subject %v, want %v", tt.src, got, tt.want)
		}
		if bad := ds[0].Teaches() && !tt.want; bad != (ds[0].Misplaced(m) != "") {
			t.Errorf("%q: misplaced %q", tt.src, ds[0].Misplaced(m))
		}
	}
}
