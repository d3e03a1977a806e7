package source

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImports(t *testing.T) {
	tests := []struct {
		src  string
		want []Import
	}{
		{"", nil},
		{"import a", []Import{{Module: "a"}}},
		{"import a.b as c, d\n", []Import{{Module: "a.b"}, {Module: "d"}}},
		{"from a.b import c as d, e\nx", []Import{{"a.b", 0, []string{"c", "e"}, nil}}},
		{"from . import x", []Import{{"", 1, []string{"x"}, nil}}},
		{"from ..a import *", []Import{{"a", 2, []string{"*"}, nil}}},
		{"from.a import b", []Import{{"a", 1, []string{"b"}, nil}}},
		{"from a import (  # why\n  b,\r\n  c as d,\n)\ny", []Import{{"a", 0, []string{"b", "c"}, nil}}},
		{"from a import(b)", []Import{{"a", 0, []string{"b"}, nil}}},
		{"from a \\\n  import b, \\\r\n  c\nd", []Import{{"a", 0, []string{"b", "c"}, nil}}},
		{"if x: import a; import b", []Import{{Module: "a"}, {Module: "b"}}},
		{"try:\n    import a\nexcept ImportError:\n    a = None", []Import{{Module: "a"}}},
		{"# import a\nimported = important.imports\nx.import_(1)", nil},
		{"m = importlib.import_module( 'a.b')\n__import__(\"c\")", []Import{{Module: "a.b"}, {Module: "c"}}},
		{"import_module('.x', __name__)\nimport_module(f'{a}')\nimport_module(n)", []Import{{"x", 1, nil, nil}}},
		{"yield from important", nil},
		{"fromage import b", nil},
	}
	for _, tt := range tests {
		got := Imports([]byte(tt.src))
		for i := range got {
			got[i].Bound = nil // see TestBound
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestBound(t *testing.T) {
	tests := []struct{ src, want string }{
		{"import a.b as c, d.e, f", "[c] [d] [f]"},
		{"from a import b as c, d", "[c d]"},
		{"from a import *", "[*]"},
		{"import_module('a')", "[]"},
	}
	for _, tt := range tests {
		var got []string
		for _, imp := range Imports([]byte(tt.src)) {
			got = append(got, fmt.Sprint(imp.Bound))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q binds %s, want %s", tt.src, s, tt.want)
		}
	}
}

func TestClassesOf(t *testing.T) {
	tests := []struct{ src, want string }{
		{"class A: pass", "A[]"},
		{"class A(B, c.D, Generic[T], metaclass=M): pass", "A[B c.D Generic metaclass]"},
		{"class A[T](B[T]): pass", "A[B]"},
		{"class A(  # why\n  B,\n): pass\nclass C(D): pass", "A[B] C[D]"},
		{"class A(f(x), B): pass", "A[f B]"},
		{"class A(B", "A[B]"},
		{"subclass (A)\n# a class of its own\nx = 'class'", ""},
		{"class ", ""},
		{"if x:\n    class A(B):\n        def f(self): ...", "A[B]"},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range classesOf([]byte(tt.src)) {
			got = append(got, c.name+fmt.Sprint(c.bases))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q has classes %s, want %s", tt.src, s, tt.want)
		}
	}
}

func TestClassRanges(t *testing.T) {
	src := `import a
class A:
    x = """
    no end
"""  # column 0: the end, as far as bytes tell
    y = f(
)
class B(A):
# comment

	class C:
		z = 1
	w = 2
def f(): pass
`
	var got []string
	for _, c := range classesOf([]byte(src)) {
		body := strings.Fields(src[c.from:c.to])
		got = append(got, c.name+" ends with "+body[len(body)-1])
	}
	want := []string{"A ends with end", "B ends with 2", "C ends with 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSignals(t *testing.T) {
	tests := []struct {
		want Signals
		srcs []string
	}{
		{Starts, []string{
			"t = threading.Thread(target=f)",
			"class W(threading.Thread):\n    def run(self): ...",
			"from threading import Thread as T",
			"with ThreadPoolExecutor() as e: ...",
			"pool.submit(f)", "loop.run_in_executor(None, f)", "asyncio.create_task(f())", "asyncio.gather(f())",
			"fut.add_done_callback(f)",
		}},
		{Removes, []string{
			"del self.d[k]", "del d[k]", "self.d.pop(k)", "a.b.d.pop(k)", "self.d[k].discard(x)", "self.d.popitem()", "q.popleft()",
			"mgr.d.clear()", "l.remove(x)", "f().pop(k)", "d = self.d\nd.pop(k)", "    d = self.d\n    d.pop(k)",
			"    self.d = [x for x in self.d if x]", "    self.d = {k: v for k, v in self.d.items() if v}",
			"    self.d = list(x for x in sorted(self.d) if x)",
			"    out, self.d = self.d, []", "def f(self):\n    out = self.d\n    self.d = set()", "def f(self): self.d = defaultdict(list)",
		}},
		{Removes | Stores, []string{"self.d[k] -= 1"}},
		{Stores, []string{"self.d[k] = v", "self.d[k] += v", "self.d[k] |= v", "self.d.add(k)", "self.d.setdefault(k, v)"}},
		{Frees, []string{"self.pool.free(x)", "self.pool.free_pages(x)", "lock.release()", "self.tree.dec_lock_ref(n)", "self.lookup_unpin(x)"}},
		{Told, []string{"x = 1  # kvrace: guarded-by=lock", "self.give_up(x)"}},
		{Stores | Awaits, []string{"async def f(self):\n    self.d[k] = await g()"}},
		{0, []string{
			"", "(", "x = f(1)", "model (1)", "my_pop(1)", "population(1)", "def f(a): return a[0]", "xThread = 1",
			"from threading import Thread", "torch.gather(x)", "os.remove(name)", "os.environ.pop(name)", "config.pop('name')",
			"del config[\"name\"]", "del x", "model [1]", "    d = {}\n    d.pop(k)", "def f(**kw):\n    kw.pop(k)",
			"def __init__(self):\n    self.d = {}", "self.x == [y for x in self.x]", "f(x=[y for y in x])",
		}},
	}
	for _, tt := range tests {
		for _, src := range tt.srcs {
			if got := SignalsOf([]byte(src), []string{"give_up"}); got != tt.want {
				t.Errorf("%q has signals %06b, want %06b", src, got, tt.want)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("from a import (b, c)\nimport d.e as f"))
	f.Add([]byte("import_module('a')"))
	f.Add([]byte("class A(b  # ends in the middle"))
	f.Fuzz(func(t *testing.T, src []byte) {
		SignalsOf(src, nil)
		for _, c := range classesOf(src) {
			if c.from >= c.to || c.to > len(src) || c.name == "" {
				t.Errorf("class %+v of %q", c, src)
			}
		}
		for _, imp := range Imports(src) {
			if imp.Module == "" && imp.Level == 0 {
				t.Errorf("empty import in %q", src)
			}
		}
	})
}

func TestRelevant(t *testing.T) {
	writeTree(t, `
-- pyproject.toml --
-- p/__init__.py --
from .manager import Manager as Exported
-- p/base.py --
from p.root import Root
class Base(Root):
    def reset(self): ...
-- p/root.py --
class Root: ...
-- p/manager.py --
from p.base import Base
from p.kinds import Kind
from p import words
from p.verbs import do
import p.records as rec
from p.unused import Unused
class Manager(Base):
    def end(self, k):
        self.jobs.pop(k)
        return Kind.DONE, rec.Job, words.text, do()
class Other:
    x = Unused
-- p/kinds.py --
class Kind: ...
-- p/records.py --
class Job: ...
-- p/words.py --
text = "t"
-- p/verbs.py --
def do(): return 1
-- p/unused.py --
class Unused: ...
-- p/concrete.py --
from p import Exported
class Concrete(Exported): ...
-- p/maker.py --
from p.manager import Manager
m = Manager()
-- p/reader.py --
from p.manager import Manager
def f(m: Manager): return m
-- p/starter.py --
from p.table import Table
class Starter:
    def start(self):
        self.table = Table()
        threading.Thread(target=self.table.fill).start()
-- p/table.py --
class Table:
    def fill(self):
        self.rows[1] = 2
-- p/tests/test_manager.py --
class TestManager:
    def test(self):
        self.jobs.pop(1)
-- p/alone.py --
import os
`)
	p, _ := Load(context.Background(), []string{"."}, Options{})
	s, problems := p.Survey(context.Background(), 2)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pick := func(indexes []int) string {
		var names []string
		for _, i := range indexes {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(p.Files[i].Name, "p/"), ".py"))
		}
		return strings.Join(names, " ")
	}
	all := s.Relevant(context.Background(), 2, nil)
	if got, want := pick(all.Core), "concrete manager starter table"; got != want {
		t.Errorf("core %s, want %s", got, want)
	}
	if got, want := pick(all.Files), "__init__ base concrete kinds maker manager records root starter table words"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	for seed, want := range map[string]string{
		"p/kinds.py":              "base kinds manager root",
		"p/manager.py":            "__init__ base concrete kinds maker manager records root unused words",
		"p/alone.py":              "alone",
		"p/table.py":              "starter table",
		"p/tests/test_manager.py": "tests/test_manager",
	} {
		i, _ := p.Lookup(seed)
		if got := pick(s.Relevant(context.Background(), 2, []int{i}).Files); got != want {
			t.Errorf("around %s: %s, want %s", seed, got, want)
		}
	}
}

// corpus returns the program in the folder that KVRACE_BENCH_TREE names, or a
// made-up one.
func corpus(b *testing.B) *Program {
	dir := os.Getenv("KVRACE_BENCH_TREE")
	if dir == "" {
		var tree strings.Builder
		for i := range 500 {
			fmt.Fprintf(&tree, "-- p/m%d.py --\nfrom p.m%d import f\n%s", i, i/2, strings.Repeat("def f(x):\n    return g(x, y)[0]\n\n", 100))
		}
		dir = writeTree(b, tree.String())
	}
	p, problems := Load(context.Background(), []string{dir}, Options{Root: dir})
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	return p
}

func BenchmarkLoad(b *testing.B) {
	dir := corpus(b).Root
	for b.Loop() {
		Load(context.Background(), []string{dir}, Options{Root: dir})
	}
}

func BenchmarkSurvey(b *testing.B) {
	p := corpus(b)
	for b.Loop() {
		s, _ := p.Survey(context.Background(), 2)
		b.SetBytes(s.Bytes)
	}
}

func BenchmarkSignals(b *testing.B) {
	p := corpus(b)
	var srcs [][]byte
	var total int64
	for i := range p.Files {
		src, err := p.Read(i)
		if err != nil {
			b.Fatal(err)
		}
		srcs = append(srcs, src)
		total += int64(len(src))
	}
	b.SetBytes(total)
	b.ResetTimer()
	for b.Loop() {
		for _, src := range srcs {
			SignalsOf(src, nil)
		}
	}
}

func BenchmarkImports(b *testing.B) {
	p := corpus(b)
	var srcs [][]byte
	var total int64
	for i := range p.Files {
		src, err := p.Read(i)
		if err != nil {
			b.Fatal(err)
		}
		srcs = append(srcs, src)
		total += int64(len(src))
	}
	b.SetBytes(total)
	b.ResetTimer()
	for b.Loop() {
		for _, src := range srcs {
			Imports(src)
		}
	}
}
