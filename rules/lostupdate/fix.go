package lostupdate

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// locked suggests to hold a lock of the rival from the read to the write.
func (w write) locked(from int32, r *component.Rival) []rule.Fix {
	read := &w.g.Nodes[from]
	if read.Fn != w.n.Fn {
		return nil
	}
	for _, lock := range r.Locks {
		if lock.Loc == nil || w.holds(lock.Loc.ID) {
			continue
		}
		if edits := remedy.Hold(w.st.Comp, lock.Loc, w.g, w.n, w.n.Fn, read.Src, w.n.Src); edits != nil {
			return []rule.Fix{{Description: "hold " + lock.Loc.Name + ", as the other side does", Safety: report.SafetyReview, Edits: edits}}
		}
	}
	return nil
}

// shared suggests to put the write and what it loses under a lock of their own.
func (w write) shared(rivals []component.Access) []rule.Fix {
	steps := append([]component.Access{{Entry: w.entry, ID: w.id, Node: w.n}}, rivals...)
	edits, name := remedy.Share(w.st.Comp, steps)
	if len(edits) == 0 {
		return nil
	}
	return []rule.Fix{{Description: "hold " + name + " on both sides", Safety: report.SafetyReview, Edits: edits}}
}

func (w write) holds(lock string) bool {
	for _, l := range w.n.Locks {
		if l.Loc != nil && l.Loc.ID == lock {
			return true
		}
	}
	return false
}

// inPlace suggests to remove from the container itself what a comprehension
// filters out.
func (w write) inPlace() []rule.Fix {
	st, ok := w.n.Stmt.(*ast.Assign)
	if !ok || len(st.Targets) != 1 {
		return nil
	}
	target := w.text(st.Targets[0])
	var gens []*ast.Comprehension
	var taken, remove string
	kind := w.n.Loc.Type.Kind
	switch c := st.Value.(type) {
	case *ast.SetComp:
		if kind != program.Set {
			return nil
		}
		gens, taken = c.Generators, w.text(c.Elt)
		remove = target + ".discard(" + taken + ")"
	case *ast.DictComp:
		gens, taken = c.Generators, w.text(c.Key)+", "+w.text(c.Value)
		remove = target + ".pop(" + w.text(c.Key) + ", None)"
	default:
		return nil
	}
	if len(gens) != 1 || len(gens[0].Ifs) != 1 || w.targetText(gens[0].Target) != taken {
		return nil
	}
	lines := []string{
		"for " + taken + " in list(" + w.text(gens[0].Iter) + "):",
		"\tif not (" + w.text(gens[0].Ifs[0]) + "):",
		"\t\t" + remove,
	}
	edits, err := patch.NewEditor(w.n.Mod.AST).ReplaceStmts([]ast.Stmt{st}, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "remove in place what is filtered out", Safety: report.SafetySafe, Edits: edits}}
}

// targetText returns the targets of a comprehension without parentheses.
func (w write) targetText(e ast.Expr) string {
	t, ok := e.(*ast.Tuple)
	if !ok {
		return w.text(e)
	}
	text := ""
	for i, x := range t.Elts {
		if i > 0 {
			text += ", "
		}
		text += w.text(x)
	}
	return text
}

// takenOut suggests to take elements out one by one, for x.update(d) or
// x = set(d) right before d.clear().
func (w write) takenOut(from int32) []rule.Fix {
	read := &w.g.Nodes[from]
	stmts := remedy.Block(w.n.Fn.Body(), read.Src, w.n.Src)
	if read.Fn != w.n.Fn || len(stmts) != 2 || stmts[1] != w.n.Stmt {
		return nil
	}
	container := w.text(remedy.ContainerOf(w.n.Src))
	take := container + ".pop()"
	add := "add"
	switch w.n.Loc.Type.Kind {
	case program.Set:
	case program.List:
		take, add = container+".pop(0)", "append"
	default:
		return nil
	}
	var lines []string
	into := ""
	switch st := stmts[0].(type) {
	case *ast.ExprStmt:
		call, ok := st.Value.(*ast.Call)
		if !ok || len(call.Args()) != 1 || w.text(call.Args()[0]) != container {
			return nil
		}
		at, ok := call.Func.(*ast.Attribute)
		if !ok || at.Attr() != "update" && at.Attr() != "extend" {
			return nil
		}
		into = w.text(at.Value)
		if at.Attr() == "extend" {
			add = "append"
		}
	case *ast.Assign:
		name, ok := st.Targets[0].(*ast.Name)
		if !ok || len(st.Targets) != 1 {
			return nil
		}
		empty := map[string]string{
			"set(" + container + ")": "set()", container + ".copy()": "set()", "list(" + container + ")": "[]",
		}[w.text(st.Value)]
		if empty == "[]" || w.n.Loc.Type.Kind == program.List {
			empty, add = "[]", "append"
		}
		if empty == "" {
			return nil
		}
		into = name.Id()
		lines = append(lines, into+" = "+empty)
	default:
		return nil
	}
	lines = append(lines, "while "+container+":", "\t"+into+"."+add+"("+take+")")
	edits, err := patch.NewEditor(w.n.Mod.AST).ReplaceStmts(stmts, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "take the elements out one by one", Safety: report.SafetySafe, Edits: edits}}
}

// atOnce suggests to empty a container right after it was copied, before others of the
// event loop run.
func (w write) atOnce(from int32) []rule.Fix {
	read := &w.g.Nodes[from]
	stmts := remedy.Block(w.n.Fn.Body(), read.Src, w.n.Src)
	if read.Fn != w.n.Fn || len(stmts) < 3 || stmts[len(stmts)-1] != w.n.Stmt || stmts[0] != read.Stmt || !copies(stmts[0]) {
		return nil
	}
	between := stmts[1 : len(stmts)-1]
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if n.Fn == w.n.Fn && n.Loc == w.n.Loc && n.Src != nil && between[0].Pos() <= n.Src.Pos() && n.Src.End() <= between[len(between)-1].End() {
			return nil
		}
	}
	edits, err := patch.NewEditor(w.n.Mod.AST).MoveAfter(stmts[0], w.n.Stmt)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "empty it right after it is copied", Safety: report.SafetyReview, Edits: edits}}
}

// copies reports whether a statement keeps what a call makes of all elements of its
// argument, or of a container, and not the container.
func copies(st ast.Stmt) bool {
	as, ok := st.(*ast.Assign)
	if !ok {
		return false
	}
	call, ok := as.Value.(*ast.Call)
	if !ok {
		return false
	}
	switch f := call.Func.(type) {
	case *ast.Name:
		switch f.Id() {
		case "list", "set", "tuple", "dict", "sorted", "frozenset":
			return true
		}
	case *ast.Attribute:
		return f.Attr() == "join" || f.Attr() == "copy" && len(call.Args()) == 0
	}
	return false
}

func (w write) text(e ast.Expr) string { return rule.Text(w.n, e) }
