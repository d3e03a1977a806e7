package lostupdate

import (
	"strings"

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
// filters out. The loop would show what the filter asks of the container while elements
// go, and its variables to the rest of the function; calls in the filter may look at the
// container as well.
func (w write) inPlace() []rule.Fix {
	st, ok := w.n.Stmt.(*ast.Assign)
	if !ok || len(st.Targets) != 1 || !remedy.Plain(st.Targets[0]) || remedy.Hidden(w.n.Fn, "list") {
		return nil
	}
	if remedy.Commented(w.n.Mod, int(st.Pos()), int(st.End())) {
		return nil
	}
	target := w.text(st.Targets[0])
	var gens []*ast.Comprehension
	var taken, remove, walked string
	kind := w.n.Loc.Type.Kind
	switch c := st.Value.(type) {
	case *ast.SetComp:
		if kind != program.Set {
			return nil
		}
		gens, taken, walked = c.Generators, w.text(c.Elt), target
		remove = target + ".discard(" + taken + ")"
	case *ast.DictComp:
		gens, taken, walked = c.Generators, w.text(c.Key)+", "+w.text(c.Value), target+".items()"
		remove = target + ".pop(" + w.text(c.Key) + ", None)"
	default:
		return nil
	}
	if len(gens) != 1 || gens[0].IsAsync || len(gens[0].Ifs) != 1 || w.targetText(gens[0].Target) != taken || w.text(gens[0].Iter) != walked {
		return nil
	}
	filter := gens[0].Ifs[0]
	if remedy.Mentions(w.n.Mod, filter, target) || w.binds(gens[0].Target, st) || w.kept(target) {
		return nil
	}
	lines := []string{
		"for " + taken + " in list(" + w.text(gens[0].Iter) + "):",
		"\tif not (" + w.text(filter) + "):",
		"\t\t" + remove,
	}
	edits, err := patch.NewEditor(w.n.Mod.AST).ReplaceStmts([]ast.Stmt{st}, lines...)
	if err != nil {
		return nil
	}
	safety := report.SafetySafe
	if remedy.Acts(filter) {
		safety = report.SafetyReview
	}
	return []rule.Fix{{Description: "remove in place what is filtered out", Safety: safety, Edits: edits}}
}

// kept reports whether the function of a write keeps the container itself, or hands it to
// somebody who may: it is not to change then.
func (w write) kept(target string) bool {
	found := false
	for _, st := range w.n.Fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Assign:
				found = found || w.text(x.Value) == target
			case *ast.Return:
				found = found || x.Value != nil && w.text(x.Value) == target
			case *ast.Call:
				if _, builtin := x.Func.(*ast.Name); builtin && len(x.Args()) == 1 {
					break // len(d), sorted(d)
				}
				for _, a := range x.Args() {
					found = found || w.text(a) == target
				}
			}
			return !found
		})
	}
	return found
}

// binds reports whether the function of a write uses one of the names of a target
// outside a statement, where the target is not of a comprehension that keeps it for itself.
func (w write) binds(target ast.Expr, st ast.Stmt) bool {
	if w.n.Fn.Node == nil {
		return true
	}
	names := map[string]bool{}
	ast.Inspect(target, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			names[x.Id()] = true
		}
		return true
	})
	found := false
	ast.Inspect(w.n.Fn.Node, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			found = found || names[x.Id()]
		case *ast.Arg:
			found = found || names[x.Arg()]
		case *ast.Assign:
			return x != st
		}
		return !found
	})
	// The statement itself may read the name outside the comprehension, as in its target.
	for _, t := range st.(*ast.Assign).Targets {
		ast.Inspect(t, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok {
				found = found || names[x.Id()]
			}
			return !found
		})
	}
	return found
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
// x = set(d) right before d.clear(). Only a copy that is of the same type as what the
// elements are then put into may be taken apart.
func (w write) takenOut(from int32) []rule.Fix {
	stmts, held, take := w.taking(from)
	if stmts == nil {
		return nil
	}
	container, own := w.text(held), "set()"
	if w.n.Loc.Type.Kind == program.List {
		own = "[]"
	}
	var lines []string
	into, add := "", ""
	switch st := stmts[0].(type) {
	case *ast.ExprStmt:
		call, ok := st.Value.(*ast.Call)
		if !ok || len(call.Args()) != 1 || len(call.Keywords()) > 0 || w.text(call.Args()[0]) != container {
			return nil
		}
		at, ok := call.Func.(*ast.Attribute)
		if !ok || !remedy.Plain(at.Value) || w.text(at.Value) == container {
			return nil
		}
		into = w.text(at.Value)
		switch {
		case at.Attr() == "extend":
			add = "append"
		case at.Attr() == "update" && w.isSet(at.Value, st):
			add = "add"
		default:
			return nil
		}
	case *ast.Assign:
		name, ok := st.Targets[0].(*ast.Name)
		if !ok || len(st.Targets) != 1 || remedy.Mentions(w.n.Mod, held, name.Id()) {
			return nil
		}
		empty := w.copied(st.Value, container, own)
		switch empty {
		case "[]":
			add = "append"
		case "set()":
			add = "add"
		default:
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

// taking returns the statement that copies a container and the next one, which empties it,
// with the container, and how an element is taken out; nil where that is not so.
func (w write) taking(from int32) (stmts []ast.Stmt, held ast.Expr, take string) {
	read := &w.g.Nodes[from]
	stmts = remedy.Block(w.n.Fn.Body(), read.Src, w.n.Src)
	if read.Fn != w.n.Fn || len(stmts) != 2 || stmts[1] != w.n.Stmt || remedy.Commented(w.n.Mod, int(stmts[0].Pos()), int(stmts[1].End())) {
		return nil, nil, ""
	}
	held = remedy.ContainerOf(w.n.Src)
	if held == nil || !remedy.Plain(held) {
		return nil, nil, ""
	}
	switch w.n.Loc.Type.Kind {
	case program.Set:
		return stmts, held, w.text(held) + ".pop()"
	case program.List:
		return stmts, held, w.text(held) + ".pop(0)"
	}
	return nil, nil, ""
}

// takenAside suggests to take the elements out into a list, and to let what makes something
// of them have that in place of the container which it goes over.
func (w write) takenAside(from int32) []rule.Fix {
	stmts, held, take := w.taking(from)
	if stmts == nil {
		return nil
	}
	var call *ast.Call
	switch st := stmts[0].(type) {
	case *ast.ExprStmt:
		if x, ok := st.Value.(*ast.Call); ok && x.Callee() == "update" {
			call = x
		}
	case *ast.Assign:
		call = consumer(st.Value)
	}
	container, aside := w.text(held), remedy.FreshVar(w.n.Fn, "taken", "moved", "present")
	if call == nil || aside == "" || len(call.Args()) != 1 || w.text(call.Args()[0]) != container {
		return nil
	}
	text, at := string(w.n.Mod.AST.Text(stmts[0])), call.Args()[0]
	begin := int(at.Pos() - stmts[0].Pos())
	if strings.Contains(text, "\n") || strings.Count(text, container) != 1 {
		return nil
	}
	edits, err := patch.NewEditor(w.n.Mod.AST).ReplaceStmts(stmts,
		aside+" = []", "while "+container+":", "\t"+aside+".append("+take+")",
		text[:begin]+aside+text[begin+int(at.End()-at.Pos()):])
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "take the elements out one by one", Safety: report.SafetyReview, Edits: edits}}
}

// whatWasCopied suggests to remove from a set, in place of all elements, those that a
// variable holds a copy of, and to walk over that copy.
func (w write) whatWasCopied(from int32) []rule.Fix {
	read := &w.g.Nodes[from]
	as, ok := read.Stmt.(*ast.Assign)
	emptied, alone := w.n.Stmt.(*ast.ExprStmt)
	if !ok || !alone || emptied.Value != w.n.Src || read.Fn != w.n.Fn || len(as.Targets) != 1 {
		return nil
	}
	name, ok := as.Targets[0].(*ast.Name)
	held := remedy.ContainerOf(w.n.Src)
	stmts := remedy.Block(w.n.Fn.Body(), read.Src, w.n.Src)
	if !ok || w.n.Loc.Type.Kind != program.Set || held == nil || !remedy.Plain(held) || len(stmts) < 2 || stmts[0] != read.Stmt || !w.staysAsItIs(name.Id(), stmts[1:]) {
		return nil
	}
	container, call := w.text(held), consumer(as.Value)
	if w.copied(as.Value, container, "set()") == "" && (call == nil || len(call.Args()) != 1 || w.text(call.Args()[0]) != container) {
		return nil
	}
	ed := patch.NewEditor(w.n.Mod.AST)
	edits, err := ed.ReplaceStmts([]ast.Stmt{emptied}, container+".difference_update("+name.Id()+")")
	if err != nil {
		return nil
	}
	for _, st := range stmts[1:] {
		ast.Inspect(st, func(n ast.Node) bool {
			if loop, ok := n.(*ast.For); ok && loop.Pos() < emptied.Pos() && w.text(loop.Iter) == container {
				edits = append(edits, ed.ReplaceExpr(loop.Iter, name.Id()))
			}
			return true
		})
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "remove only what has been copied", Safety: report.SafetyReview, Edits: edits}}
}

// staysAsItIs reports whether a variable, which the function binds once, holds the same
// elements after some statements: they only walk over it, or ask for its elements.
func (w write) staysAsItIs(name string, stmts []ast.Stmt) bool {
	if b := w.n.Fn.Scope.Own(name); b == nil || len(b.Defs) != 1 {
		return false
	}
	uses, looks := 0, 0
	names := func(x ast.Expr) bool {
		n, ok := x.(*ast.Name)
		return ok && n.Id() == name && n.Pos() < w.n.Src.Pos()
	}
	for _, st := range stmts {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Name:
				if names(x) {
					uses++
				}
			case *ast.For:
				if names(x.Iter) {
					looks++
				}
			case *ast.Comprehension:
				if names(x.Iter) {
					looks++
				}
			case *ast.Compare:
				for _, c := range x.Comparators {
					if names(c) {
						looks++
					}
				}
			case *ast.Call:
				if f, ok := x.Func.(*ast.Name); ok && f.Id() == "len" && len(x.Args()) == 1 && names(x.Args()[0]) {
					looks++
				}
			}
			return true
		})
	}
	return uses == looks
}

// consumer returns a call that makes something of the elements of its argument, whatever
// kind of container that is; nil for another expression.
func consumer(x ast.Expr) *ast.Call {
	call, ok := x.(*ast.Call)
	if !ok {
		return nil
	}
	if _, builtin := call.Func.(*ast.Name); !builtin {
		return nil
	}
	switch call.Callee() {
	case "sorted", "tuple", "frozenset", "Counter":
		return call
	}
	return nil
}

// copied returns how an empty container of the type is written that an expression makes
// of a container: "[]" or "set()", or "" when it is no plain copy. Own is that of the
// container itself.
func (w write) copied(e ast.Expr, container, own string) string {
	switch text := w.text(e); {
	case text == "list("+container+")" && !remedy.Hidden(w.n.Fn, "list"):
		return "[]"
	case text == "set("+container+")" && !remedy.Hidden(w.n.Fn, "set"):
		return "set()"
	case text == container+".copy()", text == container+"[:]" && own == "[]":
		if own == "set()" && remedy.Hidden(w.n.Fn, "set") {
			return ""
		}
		return own
	}
	return ""
}

// isSet reports whether an expression that a statement adds to is known to be a set: it
// is a container of that type, or a variable that only holds what set makes.
func (w write) isSet(e ast.Expr, st ast.Stmt) bool {
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if n.Stmt == st && n.Loc != nil && n.Loc != w.n.Loc && n.Loc.Type.Kind == program.Set && remedy.ContainerOf(n.Src) == e {
			return true
		}
	}
	name, ok := e.(*ast.Name)
	if !ok || remedy.Hidden(w.n.Fn, "set") {
		return false
	}
	made, only := false, true
	for _, s := range w.n.Fn.Body() {
		if s.Pos() >= st.Pos() {
			break
		}
		as, ok := s.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		if t, ok := as.Targets[0].(*ast.Name); ok && t.Id() == name.Id() {
			made = true // on every way to the statement
		}
	}
	bound := 0
	for _, s := range w.n.Fn.Body() {
		ast.Inspect(s, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Name:
				if x.Id() == name.Id() && x.Ctx() != ast.Load {
					bound++
				}
			case *ast.Assign:
				if t, ok := x.Targets[0].(*ast.Name); ok && len(x.Targets) == 1 && t.Id() == name.Id() {
					bound--
					only = only && makesSet(x.Value)
				}
			}
			return true
		})
	}
	return made && only && bound == 0
}

// makesSet reports whether an expression makes a new set.
func makesSet(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Set, *ast.SetComp:
		return true
	case *ast.Call:
		name, ok := x.Func.(*ast.Name)
		return ok && name.Id() == "set"
	}
	return false
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
		if n.Fn == w.n.Fn && n.Loc == w.n.Loc && n.Src != nil && ast.Covers(between, n.Src) {
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
