package component_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

const depot = `
import asyncio
import threading

class Depot:
    def __init__(self):
        self.lock = threading.Lock()
        self.rows = {}
        self.marks = set()
        self.other = {}
        self.lanes = {}
        threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key, peer = self.wire.next()
            if key in self.rows:
                self.marks.add(key)
            self.other[peer] = 1
            with self.lock:
                self.lanes[peer] = []

    def drop(self, peer):
        with self.lock:
            self.lanes.pop(peer, None)

class Handle:
    def __init__(self, depot: Depot, key):
        self.depot = depot
        self.key = key
        self.depot.rows[key] = 0

    def poll(self):
        return self.depot.rows.get(self.key)

    def close(self):
        self.depot.rows.pop(self.key, None)
        self.depot.marks.discard(self.key)

class Loop:
    def __init__(self):
        self.rows = {}

    async def put(self, key):
        self.rows[key] = 1

    async def take(self, key):
        if key in self.rows:
            await asyncio.sleep(0)
            del self.rows[key]
`

func graphs(t *testing.T, src string) *flow.Program {
	t.Helper()
	mod, err := parser.ParseFile("depot.py", []byte(src), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return flow.Build(program.New([]*ast.Module{mod}))
}

func components(t *testing.T, src string) map[string]*component.Component {
	t.Helper()
	out := map[string]*component.Component{}
	for _, c := range component.Build(graphs(t, src)) {
		out[c.Class.Qual] = c
	}
	return out
}

func TestBuild(t *testing.T) {
	comps := components(t, depot)
	if len(comps) != 2 || comps["Depot"] == nil || comps["Loop"] == nil {
		t.Fatalf("components are %v, want Depot and Loop: a handle belongs to what it refers to", comps)
	}
	var groups []string
	for _, g := range comps["Depot"].Groups {
		var names []string
		for _, l := range g.Locs {
			names = append(names, l.Name)
		}
		groups = append(groups, strings.Join(names, "+"))
	}
	if got, want := strings.Join(groups, " "), "lanes+other marks+rows"; got != want {
		t.Errorf("key groups are %s, want %s", got, want)
	}
	var entries []string
	for _, e := range comps["Depot"].Entries {
		entries = append(entries, e.Name())
	}
	want := "Depot.__init__ Depot.drop Handle.__init__ Handle.poll Handle.close Depot.listen"
	if got := strings.Join(entries, " "); got != want {
		t.Errorf("entrypoints are %s, want %s", got, want)
	}
}

// access returns the access to a container by an entrypoint.
func access(t *testing.T, c *component.Component, entry, loc string, op flow.Op) component.Access {
	t.Helper()
	for _, g := range c.Groups {
		for _, l := range g.Locs {
			if l.Name != loc {
				continue
			}
			for _, a := range c.Accesses(l) {
				if a.Entry.Name() == entry && a.Op == op {
					return a
				}
			}
		}
	}
	t.Fatalf("%s has no %v of %s", entry, op, loc)
	return component.Access{}
}

func TestMeet(t *testing.T) {
	comps := components(t, depot)
	type step struct {
		entry, loc string
		op         flow.Op
	}
	for _, tt := range []struct {
		name, comp string
		a, b       step
		want       component.Parallelism
		locked     bool
	}{
		{"a thread and a hook", "Depot", step{"Depot.listen", "rows", flow.Has}, step{"Handle.close", "rows", flow.Del}, component.Threads, false},
		{"two hooks", "Depot", step{"Handle.poll", "rows", flow.Read}, step{"Handle.close", "rows", flow.Del}, component.Ordered, false},
		{"a thread that runs once", "Depot", step{"Depot.listen", "rows", flow.Has}, step{"Depot.listen", "marks", flow.Put}, component.Ordered, false},
		{"under one lock", "Depot", step{"Depot.listen", "lanes", flow.Put}, step{"Depot.drop", "lanes", flow.Del}, component.Threads, true},
		{"one event loop", "Loop", step{"Loop.put", "rows", flow.Put}, step{"Loop.take", "rows", flow.Del}, component.AtAwait, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comps[tt.comp]
			a := access(t, c, tt.a.entry, tt.a.loc, tt.a.op)
			b := access(t, c, tt.b.entry, tt.b.loc, tt.b.op)
			if got := c.Meet(a.Entry, b); got != tt.want {
				t.Errorf("parallelism is %d, want %d", got, tt.want)
			}
			if locked := component.CommonLock(a.Node, b.Node) != nil; locked != tt.locked {
				t.Errorf("a common lock: %v, want %v", locked, tt.locked)
			}
		})
	}
}

func TestBetween(t *testing.T) {
	comps := components(t, depot)
	depot, loop := comps["Depot"], comps["Loop"]
	has := access(t, loop, "Loop.take", "rows", flow.Has)
	del := access(t, loop, "Loop.take", "rows", flow.Del)
	put := access(t, loop, "Loop.put", "rows", flow.Put)
	if r := loop.Between(has.Entry, has.ID, del.ID, []component.Access{put}); r == nil || r.How != component.AtAwait {
		t.Errorf("between the test and the removal comes %v, want the coroutine that puts", r)
	}
	test := access(t, depot, "Depot.listen", "rows", flow.Has)
	mark := access(t, depot, "Depot.listen", "marks", flow.Put)
	gone := access(t, depot, "Handle.close", "rows", flow.Del)
	if r := depot.Between(test.Entry, test.ID, mark.ID, []component.Access{gone}); r == nil || r.How != component.Threads {
		t.Errorf("between the test and the mark comes %v, want the hook that removes", r)
	}
}

func TestOfModules(t *testing.T) {
	p := graphs(t, `
import threading

rows = {}
only_here = {}

class Store:
    def __init__(self):
        self.kept = {}
    def keep(self, k):
        only_here[k] = 1
        self.kept[k] = 1

def add(k):
    rows[k] = 1

def watch(source):
    while True:
        rows.pop(source.get(), None)

def start(source):
    threading.Thread(target=watch, args=(source,)).start()
`)
	comps := component.OfModules(p)
	if len(comps) != 1 {
		t.Fatalf("%d components of modules", len(comps))
	}
	var entries []string
	for _, e := range comps[0].Entries {
		entries = append(entries, e.Name())
	}
	if got := strings.Join(entries, " "); got != "add watch" {
		t.Errorf("the entrypoints are %s", got)
	}
	if g := comps[0].Groups; len(g) != 1 || len(g[0].Locs) != 1 || g[0].Locs[0].Name != "rows" {
		t.Errorf("the groups are %v", g)
	}
}

// TestPassive holds that containers of objects which do nothing themselves are seen:
// with their keeper, and where several work on them on their own.
func TestPassive(t *testing.T) {
	const desk = `
import threading
from dataclasses import dataclass, field

@dataclass
class Desk:
    rows: dict = field(default_factory=dict)

class Boss:
    def __init__(self, desk: Desk):
        self.desk = desk
        threading.Thread(target=self.work).start()

    def work(self):
        for row in self.desk.rows:
            print(row)

    def put(self, key):
        self.desk.rows[key] = 1

    def drop(self, key):
        self.desk.rows.pop(key, None)
`
	for _, tt := range []struct{ name, more, want string }{
		{"one class", "", "Desk"},
		{"two keepers, each of an object of its own", `
class Clerk:
    def __init__(self):
        self.desk = Desk()
        self.own = {}

    def put(self, key):
        self.own[key] = self.desk.rows.pop(key)

    def drop(self, key):
        self.own.pop(key)
`, "Clerk"},
		{"made elsewhere", `
class Drawer: pass

class Clerk:
    def __init__(self, drawer: Drawer):
        drawer.sheets = {}
        self.drawer = drawer

    def put(self, key):
        self.drawer.sheets[key] = 1

    def drop(self, key):
        self.drawer.sheets.pop(key)
`, "Desk Drawer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for name := range components(t, desk+tt.more) {
				got = append(got, name)
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("components are %s, want %s", s, tt.want)
			}
		})
	}
}

// To look at rivals is work on the graph in which something has to come in between, and
// there are none once that has no work left.
func TestRivalsAreWork(t *testing.T) {
	p := graphs(t, depot)
	var c *component.Component
	for _, x := range component.Build(p) {
		if x.Class.Qual == "Depot" {
			c = x
		}
	}
	var take, look component.Access
	for _, e := range c.Entries {
		for i := range e.Graph.Nodes {
			a := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
			switch {
			case a.Loc == nil || a.Loc.Name != "rows":
			case a.Op == flow.Del:
				take = a
			case a.Op == flow.Has:
				look = a
			}
		}
	}
	g := take.Entry.Graph
	rivals := slices.Repeat([]component.Access{take}, 100) // itself, on the thread of whoever calls it
	rivals = append(rivals, look)
	p.Limit(1_000_000, nil)
	if r := c.Between(take.Entry, flow.StartNode, take.ID, rivals); r == nil || r.ID != look.ID {
		t.Fatalf("rival %v, want the test", r)
	}
	work := g.Work()
	if work < 100 || work > 1000 {
		t.Errorf("%d steps of work for 101 rivals", work)
	}
	rs := c.Rivals(take.Entry, take.ID, rivals)
	p.Limit(1_000_000, nil)
	for range 100 {
		if r := rs.After(flow.StartNode, -1); r == nil || r.ID != look.ID {
			t.Fatalf("rival %v, want the test", r)
		}
	}
	if got := g.Work(); got > 2*work+100 {
		t.Errorf("%d steps of work for 101 rivals and 100 questions, of which one takes %d", got, work)
	}
	p.Limit(work/2, nil)
	if r := c.Between(take.Entry, flow.StartNode, take.ID, rivals); r == nil {
		t.Error("a search that has begun does not come to its end")
	}
	if r := c.Between(take.Entry, flow.StartNode, take.ID, rivals); r != nil || !p.Over() {
		t.Errorf("rival %v with no work left, over %t", r, p.Over())
	}
}
