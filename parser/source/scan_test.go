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

func TestBaseNames(t *testing.T) {
	tests := []struct{ src, want string }{
		{"class A: pass", "[]"},
		{"class A(B, c.D, Generic[T], metaclass=M): pass", "[B c Generic metaclass]"},
		{"class A(  # why\n  B,\n): pass\nclass C(D): pass", "[B D]"},
		{"class A(f(x), B): pass", "[f B]"},
		{"class A(B", "[B]"},
		{"subclass (A)\n# a class of its own\nx = 'class'", "[]"},
		{"class ", "[]"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(baseNames([]byte(tt.src))); got != tt.want {
			t.Errorf("%q has bases %s, want %s", tt.src, got, tt.want)
		}
	}
}

func TestCandidate(t *testing.T) {
	yes := []string{
		"t = threading.Thread(target=f)",
		"class W(threading.Thread):\n    def run(self): ...",
		"from threading import Thread as T",
		"with ThreadPoolExecutor() as e: ...",
		"pool.submit(f)", "loop.run_in_executor(None, f)", "asyncio.create_task(f())",
		"fut.add_done_callback(f)", "async def f(): ...",
		"del d[k]", "d.pop(k)", "s.discard(k)", "d.popitem()", "q.popleft()", "d.clear()", "l.remove(x)",
	}
	for _, src := range yes {
		if !Candidate([]byte(src)) {
			t.Errorf("%q is no candidate", src)
		}
	}
	no := []string{"", "(", "x = f(1)", "model (1)", "my_pop(1)", "population(1)", "def f(a): return a[0]", "xThread = 1"}
	for _, src := range no {
		if Candidate([]byte(src)) {
			t.Errorf("%q is a candidate", src)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("from a import (b, c)\nimport d.e as f"))
	f.Add([]byte("import_module('a')"))
	f.Fuzz(func(t *testing.T, src []byte) {
		Candidate(src)
		baseNames(src)
		for _, imp := range Imports(src) {
			if imp.Module == "" && imp.Level == 0 {
				t.Errorf("empty import in %q", src)
			}
		}
	})
}

func TestSurveyAndClosure(t *testing.T) {
	writeTree(t, `
-- pyproject.toml --
-- p/__init__.py --
from .base import Base
-- p/base.py --
class Base: ...
-- p/nixl.py --
import threading
from p.base import Base
t = threading.Thread(target=f)
-- p/user.py --
from p import nixl
-- p/far.py --
from . import user
-- p/alone.py --
import os
-- p/root.py --
class Root: ...
-- p/middle.py --
from p.root import Root as R
import p.user
class Middle(R): ...
-- p/leaf.py --
import p.middle as m
class Leaf(m.Middle): ...
-- p/maker.py --
from p.leaf import Leaf
`)
	p, _ := Load(context.Background(), []string{"."}, Options{})
	s, problems := p.Survey(context.Background(), 2)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pick := func(indexes []int) string {
		var names []string
		for _, i := range indexes {
			names = append(names, strings.TrimPrefix(p.Files[i].Name, "p/"))
		}
		return strings.Join(names, " ")
	}
	if got := pick(s.Candidates); got != "nixl.py" {
		t.Errorf("candidates %s", got)
	}
	if got, want := pick(s.Graph.Closure(s.Candidates, nil)), "__init__.py base.py far.py leaf.py maker.py middle.py nixl.py root.py user.py"; got != want {
		t.Errorf("closure %s, want %s", got, want)
	}
	one := func(from, to int, imports bool) bool { return from == s.Candidates[0] }
	if got, want := pick(s.Graph.Closure(s.Candidates, one)), "base.py nixl.py user.py"; got != want {
		t.Errorf("neighbours %s, want %s", got, want)
	}
	leaf, _ := p.Lookup("p/leaf.py")
	if got, want := pick(s.Graph.Around([]int{leaf})), "leaf.py maker.py middle.py root.py"; got != want {
		t.Errorf("around the leaf %s, want %s", got, want)
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

func BenchmarkCandidate(b *testing.B) {
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
			Candidate(src)
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
