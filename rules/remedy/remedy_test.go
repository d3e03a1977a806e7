package remedy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/ruletest"
)

// subject is a file of testdata, whose methods are the cases of a table. Comments
// at the ends of lines name the steps that a remedy is asked about.
type subject struct {
	mod   *ast.Module
	index *program.Program
	comp  *component.Component
}

// load returns a subject that is one component.
func load(t *testing.T, file string) *subject {
	t.Helper()
	s := parse(t, file)
	comps := component.Build(flow.Build(s.index))
	if len(comps) != 1 {
		t.Fatalf("%s has %d components, want one", file, len(comps))
	}
	s.comp = comps[0]
	return s
}

func parse(t *testing.T, file string) *subject {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := parser.ParseFile(file, src, parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &subject{mod: mod, index: program.New([]*ast.Module{mod})}
}

// methods returns the names of the methods that have a line with a mark.
func (s *subject) methods(mark string) []string {
	lines := strings.Split(string(s.mod.Source), "\n")
	var out []string
	ast.Inspect(s.mod, func(n ast.Node) bool {
		f, ok := n.(*ast.FunctionDef)
		if !ok {
			return true
		}
		from, _ := s.mod.Position(f.Pos())
		to, _ := s.mod.Position(f.End())
		if slices.ContainsFunc(lines[from-1:to], func(l string) bool { return strings.HasSuffix(l, "# "+mark) }) {
			out = append(out, f.Name)
		}
		return true
	})
	return out
}

// steps returns the steps of a method, as an entrypoint of its own or called by one, with one
// of some operations on a line with a mark.
func (s *subject) steps(method, mark string, ops ...flow.Op) []component.Access {
	lines := strings.Split(string(s.mod.Source), "\n")
	var out []component.Access
	seen := map[ast.Node]bool{}
	for _, e := range s.comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Src == nil || n.Fn == nil || n.Fn.Name != method || !slices.Contains(ops, n.Op) || seen[n.Src] {
				continue
			}
			if line, _ := s.mod.Position(n.Src.Pos()); strings.HasSuffix(lines[line-1], "# "+mark) {
				seen[n.Src] = true
				out = append(out, component.Access{Entry: e, ID: int32(i), Node: n})
			}
		}
	}
	return out
}

// table compares what a remedy does to each method with a mark with the golden file
// beside the subject.
func (s *subject) table(t *testing.T, file, mark string, remedy func(method string) []patch.Edit) {
	t.Helper()
	var b strings.Builder
	for _, m := range s.methods(mark) {
		b.WriteString("# " + m + "\n")
		edits := remedy(m)
		if len(edits) == 0 {
			b.WriteString("nothing\n")
			continue
		}
		after, err := patch.Apply(s.mod.Source, edits)
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		if _, err := parser.ParseFile(file, after, parser.Options{}); err != nil {
			t.Errorf("%s: the patched file does not parse: %v", m, err)
		}
		b.WriteString(patch.Unified(file, file, s.mod.Source, after))
	}
	ruletest.Golden(t, filepath.Join("testdata", strings.TrimSuffix(file, ".py")+".diff"), b.String())
}

// one returns the only step of a list.
func one(t *testing.T, what string, steps []component.Access) component.Access {
	t.Helper()
	if len(steps) != 1 {
		t.Fatalf("%s: %d steps, want one", what, len(steps))
	}
	return steps[0]
}

func TestBind(t *testing.T) {
	s := load(t, "bind.py")
	s.table(t, "bind.py", "check", func(m string) []patch.Edit {
		check := one(t, m, s.steps(m, "check", flow.Has))
		var reads []remedy.Read
		for _, a := range append(s.steps(m, "check", flow.Read), s.steps(m, "read", flow.Read)...) {
			reads = append(reads, remedy.Read{Step: a.ID, Expr: a.Src})
		}
		if len(reads) == 0 {
			t.Fatalf("%s: no read", m)
		}
		return remedy.Bind(check.Entry.Graph, check.ID, reads)
	})
}

func TestBindInsert(t *testing.T) {
	s := load(t, "bind_insert.py")
	s.table(t, "bind_insert.py", "check", func(m string) []patch.Edit {
		check := one(t, m, s.steps(m, "check", flow.Put))
		read := one(t, m, s.steps(m, "read", flow.Read))
		return remedy.Bind(check.Entry.Graph, check.ID, []remedy.Read{{Step: read.ID, Expr: read.Src}})
	})
}

func TestTolerant(t *testing.T) {
	s := load(t, "tolerant.py")
	s.table(t, "tolerant.py", "strict", func(m string) []patch.Edit {
		edits, _ := remedy.Tolerant(one(t, m, s.steps(m, "strict", flow.Read, flow.Del)).Node)
		return edits
	})
}

func TestLookUp(t *testing.T) {
	s := load(t, "lookup.py")
	s.table(t, "lookup.py", "strict", func(m string) []patch.Edit {
		return remedy.LookUp(one(t, m, s.steps(m, "strict", flow.Read)).Node)
	})
}

func TestGetter(t *testing.T) {
	s := load(t, "getter.py")
	s.table(t, "getter.py", "strict", func(m string) []patch.Edit {
		return remedy.Getter(s.comp, one(t, m, s.steps(m, "strict", flow.Read)).Node)
	})
}

// TestShare puts the steps of two methods under one lock.
func TestShare(t *testing.T) {
	for _, file := range []string{"share.py", "share_slots.py"} {
		s := load(t, file)
		s.table(t, file, "first", func(m string) []patch.Edit {
			steps := s.steps(m, "first", flow.SetFlag, flow.Put)
			for _, o := range s.methods("second") {
				steps = append(steps, s.steps(o, "second", flow.SetFlag, flow.Put)...)
			}
			edits, _ := remedy.Share(s.comp, steps)
			return edits
		})
	}
}

// TestShareAround puts a walk and what changes the container under one lock, unless the
// walk waits for something.
func TestShareAround(t *testing.T) {
	s := load(t, "share_around.py")
	s.table(t, "share_around.py", "walk", func(m string) []patch.Edit {
		walk := one(t, m, s.steps(m, "walk", flow.Next))
		var steps []component.Access
		for _, o := range s.methods("change") {
			steps = append(steps, s.steps(o, "change", flow.Put, flow.Del)...)
		}
		edits, _ := remedy.ShareAround(walk, "self", []ast.Stmt{walk.Stmt}, s.comp, steps)
		return edits
	})
}

// statements returns a method, and the statements of it that are on one line with a mark.
func (s *subject) statements(method, mark string) (*program.Func, []ast.Stmt) {
	lines := strings.Split(string(s.mod.Source), "\n")
	var f *program.Func
	var out []ast.Stmt
	ast.Inspect(s.mod, func(n ast.Node) bool {
		if d, ok := n.(*ast.FunctionDef); ok && d.Name == method {
			f = s.index.FuncOf(d)
			for _, st := range d.Body {
				ast.Inspect(st, func(n ast.Node) bool {
					if st, ok := n.(ast.Stmt); ok {
						from, _ := s.mod.Position(st.Pos())
						to, _ := s.mod.Position(st.End())
						if from == to && strings.HasSuffix(lines[from-1], "# "+mark) {
							out = append(out, st)
						}
					}
					return true
				})
			}
		}
		return true
	})
	return f, out
}

func anything([]ast.Stmt) bool { return true }

func TestFinally(t *testing.T) {
	s := parse(t, "finally.py")
	s.table(t, "finally.py", "from", func(m string) []patch.Edit {
		f, from := s.statements(m, "from")
		_, last := s.statements(m, "last")
		if len(last) == 0 {
			last = from[1:] // on one line
		}
		at, end := heads(s, m, "from", from), heads(s, m, "last", last)
		return remedy.Finally(f, at, end, anything)
	})
}

// TestFinallyTidy asks of the last statement that it only counts.
func TestFinallyTidy(t *testing.T) {
	s := load(t, "finally_tidy.py")
	s.table(t, "finally_tidy.py", "from", func(m string) []patch.Edit {
		for _, e := range s.comp.Entries {
			if e.Func.Name != m {
				continue
			}
			_, from := s.statements(m, "from")
			_, last := s.statements(m, "last")
			tidy := remedy.Tidy(e.Graph, e.Func, func(n *flow.Node) bool { return n.Loc != nil && n.Loc.Name == "used" })
			return remedy.Finally(e.Func, from[0], last[0], tidy)
		}
		t.Fatalf("%s is no entrypoint", m)
		return nil
	})
}

func TestRescue(t *testing.T) {
	s := parse(t, "rescue.py")
	s.table(t, "rescue.py", "from", func(m string) []patch.Edit {
		f, from := s.statements(m, "from")
		_, last := s.statements(m, "last")
		_, others := s.statements(m, "other")
		return remedy.Rescue(f, from[0], last[0], others, "except OSError:", []string{string(s.mod.Text(last[0]))})
	})
}

func TestFinallyYield(t *testing.T) {
	s := parse(t, "finally_yield.py")
	s.table(t, "finally_yield.py", "last", func(m string) []patch.Edit {
		f, last := s.statements(m, "last")
		return remedy.FinallyYield(f, last[0], anything)
	})
}

// heads returns the first of some statements or, without any, the condition of the if
// statement on the line with a mark.
func heads(s *subject, method, mark string, sts []ast.Stmt) ast.Node {
	if len(sts) > 0 {
		return sts[0]
	}
	lines := strings.Split(string(s.mod.Source), "\n")
	var found ast.Node
	ast.Inspect(s.mod, func(n ast.Node) bool {
		if d, ok := n.(*ast.FunctionDef); ok && d.Name != method {
			return false
		}
		if st, ok := n.(*ast.If); ok {
			if line, _ := s.mod.Position(st.Pos()); strings.HasSuffix(lines[line-1], "# "+mark) {
				found = st.Test
			}
		}
		return true
	})
	return found
}
