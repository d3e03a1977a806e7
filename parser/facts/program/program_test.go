package program_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// index returns the program of the files of an archive.
func index(t *testing.T, archive string) *program.Program {
	t.Helper()
	var mods []*ast.Module
	for _, f := range txtar.Parse([]byte(archive)).Files {
		m, err := parser.ParseFile(f.Name, f.Data, parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mods = append(mods, m)
	}
	return program.New(mods)
}

func class(t *testing.T, p *program.Program, name string) *program.Class {
	t.Helper()
	for _, c := range p.Classes {
		if c.Qual == name {
			return c
		}
	}
	t.Fatalf("no class %s", name)
	return nil
}

// describe returns a type in short: dict[Job], or the name of a class.
func describe(t *program.Type) string {
	s := t.Kind.String()
	if t.Class != nil {
		s = t.Class.Qual
	}
	if t.Elem != nil && t.Elem.Kind != program.Unknown && t.Elem.Kind != program.Scalar {
		s += "[" + describe(t.Elem) + "]"
	}
	return s
}

func TestBasesAcrossFiles(t *testing.T) {
	p := index(t, `
-- pkg/__init__.py --
from .base import Root as Exported
-- pkg/base.py --
class Root: pass
class Mixin: pass
-- pkg/other/__init__.py --
from pkg.base import *
-- pkg/other/far.py --
from typing import TYPE_CHECKING
import pkg.base as b
from . import Mixin
from .. import Exported
if TYPE_CHECKING:
    from pkg.late import Late
try:
    from fast import Quick
except ImportError:
    Quick = object
class Left(Exported): pass
class Right(b.Root): pass
class Both(Left, Right, Mixin): pass
class Odd(Quick, Left): pass
class Outer:
    class Inner(Both): pass
-- pkg/late.py --
from pkg.other.far import Both
class Late(Both): pass
`)
	for name, want := range map[string]string{
		"Both":        "Both Left Right Root Mixin",
		"Late":        "Late Both Left Right Root Mixin",
		"Odd":         "Odd Left Root",
		"Outer.Inner": "Outer.Inner Both Left Right Root Mixin",
	} {
		var mro []string
		for _, k := range class(t, p, name).MRO {
			mro = append(mro, k.Qual)
		}
		if got := strings.Join(mro, " "); got != want {
			t.Errorf("order of the bases of %s is %s, want %s", name, got, want)
		}
	}
	if !class(t, p, "Late").IsSubclass(class(t, p, "Root")) {
		t.Error("Late is no subclass of Root")
	}
}

func TestAttributeTypes(t *testing.T) {
	p := index(t, `
-- job.py --
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set
import collections
import queue
import threading
from collections import defaultdict, deque, OrderedDict

class Job: pass

@dataclass
class Record:
    marks: Set[str] = field(default_factory=set)
    job: Optional[Job] = None

class Keeper:
    shared: Dict[str, Job] = {}

    def __init__(self, job: "Job", others=None, late: "Optional[Keeper]" = None):
        self.job = job
        self.late = late
        self.table: Dict[str, List[Job]] = {}
        self.lists = defaultdict(list)
        self.deep = defaultdict(lambda: defaultdict(set))
        self.generic = collections.defaultdict[str, Job](Job)
        self.plain = dict[str, Job]()
        self.order = OrderedDict()
        self.line = deque(maxlen=4)
        self.jobs = queue.Queue()
        self.lock = threading.RLock()
        self.made = Job()
        self.either = Job() if others else None
        self.local = threading.local()
        self.given = others
        self.values = [Job() for _ in others]

    def start(self):
        self.thread = threading.Thread(target=self.start)
        self.filled = {}

    def fill(self, k):
        self.filled[k] = Record()

    @property
    def current(self) -> Job:
        return self.made

def make():
    Keeper(Job(), others=[Job()])
`)
	keeper := class(t, p, "Keeper")
	for name, want := range map[string]string{
		"shared": "dict[Job]", "job": "Job", "late": "Keeper", "table": "dict[list[Job]]", "lists": "defaultdict[list]",
		"deep": "defaultdict[defaultdict[set]]", "generic": "defaultdict[Job]", "plain": "dict", "order": "dict", "line": "deque",
		"jobs": "queue", "lock": "lock", "made": "Job", "either": "Job", "thread": "thread",
		"filled": "dict[Record]", "values": "list[Job]", "current": "Job",
	} {
		if got := describe(p.AttrType(keeper, name)); got != want {
			t.Errorf("Keeper.%s is %s, want %s", name, got, want)
		}
	}
	record := class(t, p, "Record")
	for name, want := range map[string]string{"marks": "set", "job": "Job"} {
		if got := describe(p.AttrType(record, name)); got != want {
			t.Errorf("Record.%s is %s, want %s", name, got, want)
		}
	}
	if p.AttrType(keeper, "local").Kind.Keyed() {
		t.Error("what each thread has for itself is keyed")
	}
}

func TestMixinSelf(t *testing.T) {
	p := index(t, `
-- whole.py --
from part import Part
class Whole(Part):
    def __init__(self):
        self.rows = {}
-- part.py --
from __future__ import annotations
class Part:
    def use(self: Whole): return self.rows
`)
	if got := describe(p.AttrType(class(t, p, "Whole"), "rows")); got != "dict" {
		t.Errorf("Whole.rows is %s", got)
	}
	if f := class(t, p, "Whole").Method("use"); f == nil || f.Qual != "Part.use" {
		t.Errorf("Whole.use is %v", f)
	}
}

func TestClassCycle(t *testing.T) {
	p := index(t, "-- a.py --\nclass A(C): pass\nclass B(A): pass\nclass C(B): pass\nclass D(D, A): pass\n")
	var visit func(c *program.Class, depth int)
	visit = func(c *program.Class, depth int) {
		if depth > len(p.Classes) {
			t.Fatal("subclasses never end")
		}
		for _, s := range c.Subclasses {
			visit(s, depth+1)
		}
	}
	for _, c := range p.Classes {
		visit(c, 0)
	}
}

func TestMethodsWithTwoNames(t *testing.T) {
	for range 20 { // attributes are kept in a map
		p := index(t, `
-- gate.py --
class Gate:
    def _close(self, *args): pass
    close = _close
    leave = close
    __exit__ = leave
`)
		for _, name := range []string{"close", "leave", "__exit__"} {
			if f := class(t, p, "Gate").Method(name); f == nil || f.Name != "_close" {
				t.Fatalf("Gate.%s is %v", name, f)
			}
		}
	}
}

// TestResolution asks for the type of what probe is given, in many spellings.
func TestResolution(t *testing.T) {
	const lib = `
-- src/kit/__init__.py --
from .core import Store as Storage
from .core import *
from . import late
-- src/kit/core.py --
class Row: pass
class Store:
    def __init__(self):
        self.rows: "dict[str, Row]" = {}
    def row(self, k): return self.rows[k]
    @property
    def first(self) -> "Row": return self.rows["a"]
    @classmethod
    def make(cls): return cls()
    @staticmethod
    def shared() -> "Store": return Store()
class Special(Store):
    def row(self, k): return super().row(k)
-- src/kit/late.py --
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from kit.core import Store
class Holder:
    def __init__(self, store: Store): self.store = store
-- src/space/inner/deep.py --
from kit import Row
class Deep:
    def __init__(self): self.row = Row()
-- src/app.py --
`
	for _, tt := range []struct{ name, source, want string }{
		{"import", "import kit.core\nprobe(kit.core.Store())", "Store"},
		{"import as", "import kit.core as c\nprobe(c.Store())", "Store"},
		{"re-exported name", "from kit import Storage\nprobe(Storage())", "Store"},
		{"star through a package", "from kit import Special\nprobe(Special())", "Special"},
		{"name of a module in a package", "from kit import late\nprobe(late.Holder(None))", "Holder"},
		{"namespace package", "from space.inner.deep import Deep\nprobe(Deep().row)", "Row"},
		{"either of two imports", "try:\n    from fast import Store\nexcept ImportError:\n    from kit import Store\nprobe(Store())", "Store"},
		{"import in a function", "def f():\n    from kit import Store\n    probe(Store())", "Store"},
		{"type checking only", "from kit.late import Holder\ndef f(h: Holder):\n    probe(h.store)", "Store"},
		{"string annotation", "from kit import Store\ndef f(s: 'Store'):\n    probe(s)", "Store"},
		{"Optional", "from typing import Optional\nfrom kit import Store\ndef f(s: Optional[Store] = None):\n    probe(s)", "Store"},
		{"union with None", "from kit import Store\ndef f(s: Store | None):\n    probe(s)", "Store"},
		{"two hops", "from kit.late import Holder\ndef f(h: Holder):\n    probe(h.store.rows)", "dict[Row]"},
		{"element", "from kit import Store\ndef f(s: Store, k):\n    probe(s.rows[k])", "Row"},
		{"get", "from kit import Store\ndef f(s: Store, k):\n    probe(s.rows.get(k))", "Row"},
		{"loop over values", "from kit import Store\ndef f(s: Store):\n    for r in s.rows.values():\n        probe(r)", "Row"},
		{"loop over items", "from kit import Store\ndef f(s: Store):\n    for k, r in s.rows.items():\n        probe(r)", "Row"},
		{"result of a method", "from kit import Store\nprobe(Store().row('a'))", "Row"},
		{"result through super", "from kit import Special\nprobe(Special().row('a'))", "Row"},
		{"property", "from kit import Store\nprobe(Store().first)", "Row"},
		{"class method", "from kit import Special\nprobe(Special.make())", "Special"},
		{"static method", "from kit import Store\nprobe(Store.shared())", "Store"},
		{"walrus", "from kit import Store\nif (s := Store()):\n    probe(s)", "Store"},
		{"conditional expression", "from kit import Store\ndef f(x):\n    s = Store() if x else None\n    probe(s)", "Store"},
		{"or", "from kit import Store\ndef f(s=None):\n    t = s or Store()\n    probe(t)", "Store"},
		{"class-level annotation", "from kit import Store\nclass K:\n    store: Store\n    def f(self):\n        probe(self.store)", "Store"},
		{"nested class", "class A:\n    class B: pass\n    def f(self):\n        probe(A.B())", "A.B"},
		{"getattr", "from kit.late import Holder\ndef f(h: Holder):\n    probe(getattr(h, 'store'))", "Store"},
		{"weakref", "import weakref\nfrom kit import Store\nclass K:\n    def __init__(self, s: Store):\n        self._s = weakref.ref(s)\n    @property\n    def s(self): return self._s()\n    def f(self):\n        probe(self.s)", "Store"},
		{"dataclass field", "from dataclasses import dataclass\nfrom kit import Store\n@dataclass\nclass K:\n    store: Store\n    def f(self):\n        probe(self.store)", "Store"},
		{"attribute set from outside", "class Desk: pass\nclass K:\n    def __init__(self, d: Desk):\n        d.rows = {}\n    def f(self, d: Desk):\n        probe(d.rows)", "dict"},
		{"two hops set from outside", "from kit import Store\nclass Desk: pass\nclass K:\n    def __init__(self, d: Desk):\n        self.d = d\n        self.d.store = Store()\n        self.d.store.extra = {}\n    def f(self):\n        probe(self.d.store.extra)", "dict"},
		{"None, then set from outside", "from kit import Store\nclass Desk:\n    def __init__(self): self.store = None\ndef f(d: Desk):\n    d.store = Store()\n    probe(d.store)", "Store"},
		{"isinstance", "from kit import Store\ndef f(s):\n    if isinstance(s, Store):\n        probe(s)", "Store"},
		{"isinstance of one of several", "from kit import Store, Row\ndef f(s):\n    if isinstance(s, Row): return\n    if isinstance(s, (int, Store)):\n        probe(s.rows)", "dict[Row]"},
		{"argument of the only call", "from kit import Store\ndef f(s):\n    probe(s)\ndef g(): f(Store())", "Store"},
		{"argument of a method", "from kit import Store\nclass K:\n    def f(self, s, n=0): probe(s)\n    def g(self): self.f(Store())\ndef h(k: K): k.f(s=Store(), n=2)", "Store"},
		{"one argument is unknown", "from kit import Store\ndef f(s):\n    probe(s)\ndef g(x):\n    f(Store())\n    f(x)", "unknown"},
		{"unknown library", "import fast\nprobe(fast.Store())", "external"},
		{"two kinds of argument", "def f(s):\n    probe(s)\nf({})\nf([])", "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := index(t, lib+tt.source+"\n")
			calls := p.Calls("probe")
			if len(calls) != 1 {
				t.Fatalf("%d probes", len(calls))
			}
			env := program.Env{Module: calls[0].Module, Func: calls[0].Func}
			if env.Func != nil && env.Func.Class != nil {
				env.Self = env.Func.Class
			}
			if got := describe(p.TypeOf(calls[0].Call.Args()[0], env)); got != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}

// Of modules that an import can mean, it is the one below the source folder around the
// module that imports. A package is no source folder.
func TestImportsOfCopies(t *testing.T) {
	p := index(t, `
-- one/src/pkg/__init__.py --
-- one/src/pkg/base.py --
class Root:
    def one(self): pass
-- one/src/pkg/far/own.py --
from pkg.base import Root
import pkg.base
class One(Root): pass
class AsOne(pkg.base.Root): pass
-- two/pkg/__init__.py --
-- two/pkg/base.py --
class Root:
    def two(self): pass
-- two/pkg/own.py --
from pkg.base import *
class Two(Root): pass
-- elsewhere/own.py --
from pkg.base import Root
class Neither(Root): pass
-- two/pkg/json.py --
class Root: pass
-- two/pkg/loads.py --
from json import Root
class Standard(Root): pass
-- one/json.py --
class Root: pass
`)
	for name, want := range map[string]string{"One": "one", "AsOne": "one", "Two": "two"} {
		c := class(t, p, name)
		if len(c.Bases) != 1 || c.Bases[0].Methods[want] == nil {
			t.Errorf("the base of %s is %v, want the one with the method %s", name, c.Bases, want)
		}
	}
	for _, name := range []string{"Neither", "Standard"} {
		if c := class(t, p, name); len(c.Bases) != 0 {
			t.Errorf("the base of %s is in %s, want none", name, c.Bases[0].Module.File)
		}
	}
}

// A program can lie below folders of which its imports know nothing, and be a part of what
// they start from.
func TestImportsBeside(t *testing.T) {
	var mods []*ast.Module
	names := map[string]string{}
	for name, src := range map[string]string{
		"tmp/copy/depot/base/conn.py": "class Root:\n    def own(self): pass\n",
		"tmp/copy/depot/rail/conn.py": "from big.sys.depot.base.conn import Root\nclass Rail(Root): pass\n",
		"tmp/other/base/conn.py":      "class Root:\n    def other(self): pass\n",
		"tmp/else/rail.py":            "from big.sys.depot.base.conn import Root\nclass Lost(Root): pass\n",
	} {
		m, err := parser.ParseFile(name, []byte(src), parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mods = append(mods, m)
	}
	names["tmp/copy/depot/base/conn.py"] = "base.conn" // depot is no package
	names["tmp/copy/depot/rail/conn.py"] = "rail.conn"
	names["tmp/other/base/conn.py"] = "base.conn"
	names["tmp/else/rail.py"] = "rail"
	p := program.NewWith(mods, program.Options{Imported: names})
	if c := class(t, p, "Rail"); len(c.Bases) != 1 || c.Bases[0].Methods["own"] == nil {
		t.Errorf("the base of Rail is %v", c.Bases)
	}
	if c := class(t, p, "Lost"); len(c.Bases) != 0 {
		t.Errorf("the base of Lost is in %s, want none", c.Bases[0].Module.File)
	}
	if c := class(t, program.New(mods), "Rail"); len(c.Bases) != 0 {
		t.Errorf("without the names, the base of Rail is in %s", c.Bases[0].Module.File)
	}
}
