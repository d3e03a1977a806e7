package patch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/rules/patch"
)

// A randomEdit is one call of an Editor, with what tree.py needs to make the
// same change in the tree.
type randomEdit struct {
	Edit   string   `json:"edit"`
	Start  int      `json:"start"`
	Count  int      `json:"count"`
	Target int      `json:"target"`
	Lines  []string `json:"lines"` // as a program: those of a wrap have a body
	Before []byte   `json:"before"`
	After  []byte   `json:"after"`
}

// TestEditorRandom makes random edits of programs and of files of the standard
// library, and compares the tree of the result with the one that the same
// change of the tree gives. So it also sees that no string changed.
func TestEditorRandom(t *testing.T) {
	requireTool(t, "python3")
	r := rand.New(rand.NewPCG(3, 4))
	var sources [][]byte
	for range 60 {
		sources = append(sources, randomProgram(r))
	}
	sources = append(sources, libraryFiles(t, r, 6)...)
	var cases []randomEdit
	for _, m := range parsePython(t, "f.py", sources...) {
		stmts := blockStatements(m)
		e := patch.NewEditor(m)
		for range 25 {
			c, edits, err := randomCall(r, e, stmts)
			if err != nil {
				if !strings.Contains(err.Error(), "target") {
					t.Errorf("%s at %d: %v", c.Edit, c.Start, err)
				}
				continue
			}
			after, err := patch.Apply(m.Source, edits)
			if err != nil {
				t.Errorf("%s at %d: %v of\n%s", c.Edit, c.Start, err, m.Source)
				continue
			}
			c.Before, c.After = m.Source, after
			cases = append(cases, c)
		}
	}
	if len(cases) < 1000 {
		t.Errorf("only %d edits were made", len(cases))
	}
	var wrong []string
	python(t, map[string]any{"op": "check", "cases": cases}, &wrong)
	for i, msg := range wrong {
		if c := cases[i]; msg != "" {
			t.Errorf("%s of %d at %d, target %d: %s\n%s", c.Edit, c.Count, c.Start, c.Target, msg,
				patch.Unified("f.py", "f.py", c.Before, c.After))
		}
	}
}

// blockStatements returns the statements of each block with those after them.
func blockStatements(m *ast.Module) [][]ast.Stmt {
	var all [][]ast.Stmt
	add := func(block []ast.Stmt) {
		for i, s := range block {
			if n, ok := s.(*ast.If); ok && strings.HasPrefix(string(m.Text(n)), "elif") {
				continue
			}
			all = append(all, block[i:])
		}
	}
	ast.Inspect(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Module:
			add(n.Body)
		case *ast.FunctionDef:
			add(n.Body)
		case *ast.ClassDef:
			add(n.Body)
		case *ast.If:
			add(n.Body)
			add(n.Orelse)
		case *ast.For:
			add(n.Body)
			add(n.Orelse)
		case *ast.While:
			add(n.Body)
			add(n.Orelse)
		case *ast.With:
			add(n.Body)
		case *ast.Try:
			add(n.Body)
			add(n.Orelse)
			add(n.Finalbody)
		case *ast.ExceptHandler:
			add(n.Body)
		case *ast.MatchCase:
			add(n.Body)
		}
		return true
	})
	return all
}

// randomCall calls a random method for random statements.
func randomCall(r *rand.Rand, e *patch.Editor, stmts [][]ast.Stmt) (c randomEdit, edits []patch.Edit, err error) {
	from := stmts[r.IntN(len(stmts))]
	from = from[:1+r.IntN(min(len(from), 3))]
	target := stmts[r.IntN(len(stmts))][0]
	c = randomEdit{Start: int(from[0].Pos()), Target: int(target.Pos()), Count: len(from)}
	c.Lines = []string{"MARK()"}
	if r.IntN(3) == 0 {
		c.Lines = []string{"if MARK:", "\tNARK()", "OARK()"}
	}
	if s, ok := from[0].(*ast.If); ok && r.IntN(2) == 0 {
		c.Edit = "AddElse"
		edits, err = e.AddElse(s, c.Lines...)
		return c, edits, err
	}
	switch r.IntN(8) {
	case 0:
		c.Edit = "InsertBefore"
		edits, err = e.InsertBefore(from[0], c.Lines...)
	case 1:
		c.Edit = "InsertAfter"
		edits, err = e.InsertAfter(from[0], c.Lines...)
	case 2:
		c.Edit = "Delete"
		edits, err = e.Delete(from...)
	case 3:
		c.Edit = "ReplaceStmts"
		edits, err = e.ReplaceStmts(from, c.Lines...)
	case 4:
		c.Edit = "MoveBefore"
		edits, err = e.MoveBefore(target, from...)
	case 5:
		c.Edit = "MoveAfter"
		edits, err = e.MoveAfter(target, from...)
	case 6:
		c.Edit, c.Lines = "WrapWith", []string{"with MARK:", "\tpass"}
		edits, err = e.WrapWith("MARK", from...)
	default:
		c.Edit, c.Lines = "WrapIf", []string{"if MARK:", "\tpass"}
		edits, err = e.WrapIf("MARK", from...)
	}
	return c, edits, err
}

// libraryFiles returns n files of the standard library of Python.
func libraryFiles(t *testing.T, r *rand.Rand, n int) [][]byte {
	out, err := exec.Command("python3", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	var sources [][]byte
	for _, i := range r.Perm(len(names)) {
		src, err := os.ReadFile(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 2_000 && len(src) < 30_000 && len(sources) < n {
			sources = append(sources, src)
		}
	}
	return sources
}

// A programWriter writes random programs in all the layouts that Python
// allows, with one unit of indentation.
type programWriter struct {
	strings.Builder
	r          *rand.Rand
	unit, eol  string
	statements int
}

func randomProgram(r *rand.Rand) []byte {
	w := &programWriter{r: r, unit: pick(r, "    ", "  ", "\t"), eol: pick(r, "\n", "\n", "\r\n")}
	if r.IntN(10) == 0 {
		w.WriteString("\ufeff")
	}
	w.block("", 3)
	src := w.String()
	if r.IntN(4) == 0 {
		src = strings.TrimSuffix(src, w.eol)
	}
	return []byte(src)
}

func pick(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

// block writes an indented block.
func (w *programWriter) block(indent string, depth int) {
	for n := 1 + w.r.IntN(4); n > 0; n-- {
		switch w.r.IntN(8) {
		case 0:
			w.WriteString(indent + "# above" + pick(w.r, "", ` \`) + w.eol)
		case 1:
			w.WriteString(w.eol)
		case 2:
			w.WriteString("# outside" + w.eol)
		}
		if depth > 0 && w.r.IntN(3) == 0 {
			w.compound(indent, depth-1)
		} else {
			w.WriteString(indent)
			w.simple(indent)
		}
		if w.r.IntN(8) == 0 {
			w.WriteString(indent + "# below" + w.eol)
		}
	}
}

// simple writes simple statements on one line.
func (w *programWriter) simple(indent string) {
	for n := w.r.IntN(4); n > 1; n-- {
		w.statement(indent)
		w.WriteString(pick(w.r, "; ", ";", " ; \\"+w.eol+"  "))
	}
	w.statement(indent)
	w.WriteString(pick(w.r, "", "", ";", "  # end", "; # end", " ") + w.eol)
}

// statement writes a simple statement, which differs from all others.
func (w *programWriter) statement(indent string) {
	w.statements++
	inner := pick(w.r, "", indent, indent+w.unit)
	w.WriteString(fmt.Sprintf(pick(w.r, "s%d()", "s%d = 1", "del s%d", "(s%d)", "s%d(1,"+w.eol+inner+"2)",
		"s%d('''a"+w.eol+inner+"b''')", "s%d(f'''{x:{y}}"+w.eol+inner+"{'}'}''',"+w.eol+inner+"z)",
		"s%d = rb'\\\\' + \\"+w.eol+inner+"b'#\\"+w.eol+inner+"'", "s%d['#']: int", "s%d = {1:'a', # k"+w.eol+inner+"}"), w.statements))
}

// suite writes what follows a colon.
func (w *programWriter) suite(indent string, depth int) {
	if w.r.IntN(3) == 0 {
		w.WriteString(pick(w.r, " ", "", " \\"+w.eol+"   "))
		w.simple(indent)
		return
	}
	w.WriteString(pick(w.r, "", "  # header") + w.eol)
	w.block(indent+w.unit, depth)
}

// compound writes a compound statement. Each string of its headers starts a
// line.
func (w *programWriter) compound(indent string, depth int) {
	headers := [][]string{
		{"if a:"}, {"if a:", "else:"}, {"if (a and" + w.eol + "  b):", "elif c:"}, {"if a:", "elif b:", "elif c:", "else:"},
		{"while a:", "else:"}, {"for a in b:"}, {"with a as b:"}, {"try:", "except A:", "except B:"}, {"try:", "finally:"},
		{"try:", "except A as b:", "else:", "finally:"}, {"def f(a, b: int = 1):"}, {"class C:"}, {"async def f():"},
		{"@d" + w.eol + indent + "@e(1)  # @x" + w.eol + indent + "def f():"}, {"@d" + w.eol + indent + "class C(B):"},
	}
	for _, h := range headers[w.r.IntN(len(headers))] {
		w.WriteString(indent + h)
		w.suite(indent, depth)
	}
}
