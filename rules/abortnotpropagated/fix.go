package abortnotpropagated

import (
	"regexp"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// markFix suggests to write the mark as another entrypoint does, after the statement
// of a function that leads to the failure, where the words mean the same there.
func markFix(a component.Access, fn *program.Func, model *component.Access) []rule.Fix {
	if model == nil || model.Stmt == nil || model.Mod != fn.Module || model.Fn.Class != fn.Class {
		return nil
	}
	at := evidence.StatementIn(a.Node, fn)
	if at == nil || !known(a, fn, model) {
		return nil
	}
	return insertAfter(fn.Module, at, model.Loc, evidence.Lines(model.Mod, model.Stmt))
}

// known reports whether the names that a statement of the model uses mean the same
// in a function: its parameters, or what it takes from the container from which the
// model takes it.
func known(a component.Access, fn *program.Func, model *component.Access) bool {
	have := map[string]bool{}
	for _, p := range fn.Params {
		have[p.Name] = true
	}
	if o := model.Obj; o != nil {
		for _, l := range elementsOf(o) {
			if name := takenFrom(a.Entry.Graph, fn, l); name != "" {
				have[name] = true
			}
		}
	}
	ok := true
	ast.Inspect(model.Stmt, func(n ast.Node) bool {
		if x, is := n.(*ast.Name); is {
			ok = ok && (have[x.Id()] || strings.ToUpper(x.Id()) == x.Id())
		}
		return ok
	})
	return ok
}

// elementsOf returns the containers whose elements a value is read from.
func elementsOf(v *flow.Value) []*flow.Location {
	if v == nil {
		return nil
	}
	out := elementsOf(v.Base)
	if v.Loc != nil {
		out = append(out, v.Loc)
	}
	return out
}

// takenFrom returns the variable in which a loop of a function keeps the values of a
// container.
func takenFrom(g *flow.Graph, fn *program.Func, l *flow.Location) string {
	name := ""
	for _, st := range fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			loop, ok := n.(*ast.For)
			if !ok {
				return true
			}
			pair, ok := loop.Target.(*ast.Tuple)
			if !ok || len(pair.Elts) != 2 || !walksItems(g, loop, l) {
				return true
			}
			if x, ok := pair.Elts[1].(*ast.Name); ok {
				name = x.Id()
			}
			return true
		})
	}
	return name
}

// walksItems reports whether a loop goes over the items of a container.
func walksItems(g *flow.Graph, loop *ast.For, l *flow.Location) bool {
	items := false
	ast.Inspect(loop.Iter, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && at.Attr() == "items" {
			items = true
		}
		return true
	})
	if !items {
		return false
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Iter && n.Loc == l && n.Src != nil && ast.Encloses(loop.Iter, n.Src) {
			return true
		}
	}
	return false
}

// tellFix suggests to conclude the request in the container that is left alone as
// well, after the step that concludes it elsewhere.
func tellFix(c *check, a component.Access, l *flow.Location) []rule.Fix {
	key := keyOf(c, a, l)
	lines := remedy.Ending{Facts: c.st, Func: a.Fn, Key: key, Locks: a.Locks, In: l}.Lines()
	if lines == nil || a.Stmt == nil {
		return nil
	}
	return insertAfter(a.Fn.Module, a.Stmt, l, lines)
}

// keyOf returns the request as the function of a step writes it: the key of the step,
// or the attribute of the handle under which others of its class find it.
func keyOf(c *check, a component.Access, l *flow.Location) string {
	if a.Key != nil {
		return evidence.KeyArg(a.Node)
	}
	home := a.Fn.SelfFunc()
	if home == nil || home.Class == nil {
		return ""
	}
	for _, x := range c.st.Comp.Accesses(l) {
		k := x.Key
		if k == nil || k.Kind != flow.Attribute || k.Base == nil || k.Base.Base != nil || x.Entry.Class == nil {
			continue
		}
		if own := x.Entry.Class; (own.IsSubclass(home.Class) || home.Class.IsSubclass(own)) && home.Class.AttrOwner(k.Name) != nil {
			return home.Params[0].Name + "." + k.Name
		}
	}
	return ""
}

// twinFix suggests to do for a second container what is done for the first one, in
// the same words.
func twinFix(a component.Access, l *flow.Location) []rule.Fix {
	st := a.Stmt
	if a.Loc.Outer != nil || l.Outer != nil || a.Loc.Owner == nil || a.Loc.Owner != l.Owner || st == nil {
		return nil
	}
	if guard := onlyIn(a.Fn, st); guard != nil {
		st = guard
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(a.Loc.Name) + `\b`)
	lines := evidence.Lines(a.Mod, st)
	for i := range lines {
		lines[i] = word.ReplaceAllString(lines[i], l.Name)
	}
	return insertAfter(a.Mod, st, l, lines)
}

// onlyIn returns the if statement whose only statement is a given one, or nil.
func onlyIn(f *program.Func, st ast.Stmt) ast.Stmt {
	var out ast.Stmt
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if x, ok := n.(*ast.If); ok && len(x.Body) == 1 && x.Body[0] == st && len(x.Orelse) == 0 {
			out = x
		}
		return out == nil
	})
	return out
}

func insertAfter(mod *program.Module, st ast.Stmt, l *flow.Location, lines []string) []rule.Fix {
	edits, err := patch.NewEditor(mod.AST).InsertAfter(st, indented(mod, lines)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "tell " + l.Name + " as well", Safety: report.SafetyReview, Edits: edits}}
}

// indented turns the indentation of lines of a module into tabs, which stand for one
// level each.
func indented(mod *program.Module, lines []string) []string {
	unit := patch.NewEditor(mod.AST).IndentUnit()
	out := make([]string, len(lines))
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(line, "\t") && unit != "\t" {
			out[i] = line
			continue
		}
		level := (len(line) - len(rest)) / len(unit)
		out[i] = strings.Repeat("\t", level) + rest
	}
	return out
}
