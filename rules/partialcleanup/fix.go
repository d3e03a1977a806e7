package partialcleanup

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to remove the entries that stay together with the one that goes.
func (c *check) fixes(l leak) []rule.Fix {
	if l.renewed {
		return nil // what ends the request is not known
	}
	d := l.exit.Node
	key := evidence.KeyArg(d)
	var lines []string
	for _, m := range l.left {
		container, ok := c.spelled(d, m.loc)
		if !ok || key == "" || m.loc.Type.Element().Kind.IsLock() { // others may be waiting for a lock
			return nil
		}
		if m.loc.Type.Kind == program.Set {
			lines = append(lines, fmt.Sprintf("%s.discard(%s)", container, key))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s.pop(%s, None)", container, key))
	}
	edits, err := insert(d, lines)
	if err != nil {
		return nil
	}
	return []rule.Fix{{
		Description: fmt.Sprintf("remove the entry of %s as well", listed(l.names())),
		Safety:      report.SafetyReview, Edits: edits,
	}}
}

// spelled returns how the function of a removal can write another container,
// from how it writes the one that it removes from. Where the objects need not
// have the other attribute, that is asked for with a default.
func (c *check) spelled(d *flow.Node, l *flow.Location) (string, bool) {
	if l.Owner == nil {
		return l.Name, l.Mod == d.Mod
	}
	at := evidence.ContainerExpr(d)
	if at == nil || d.Loc.Owner == nil {
		return "", false
	}
	holder := rule.Text(d, at.Value)
	if d.Loc.Owner.AttrOwner(l.Name) != nil {
		return holder + "." + l.Name, true
	}
	if name := c.keptAs(d.Loc.Owner, l.Owner); name != "" {
		return holder + "." + name + "." + l.Name, true
	}
	empty := "{}"
	if l.Type.Kind == program.Set {
		empty = "set()"
	}
	return fmt.Sprintf("getattr(%s, %q, %s)", holder, l.Name, empty), true
}

// keptAs returns the attribute in which objects of a class keep one of another
// class, or "".
func (c *check) keptAs(holder, record *program.Class) string {
	for _, k := range holder.MRO {
		for _, name := range slices.Sorted(maps.Keys(k.Attrs)) {
			t := c.index.AttrType(holder, name)
			if t.Kind == program.Instance && (t.Class == record || slices.Contains(t.Others, record)) {
				return name
			}
		}
	}
	return ""
}

// insert puts lines next to a removal: after it, or before a statement that the
// removal is the condition or result of. A test of whether there is an entry to
// remove does not concern the others.
func insert(d *flow.Node, lines []string) ([]patch.Edit, error) {
	ed := patch.NewEditor(d.Mod.AST)
	switch d.Stmt.(type) {
	case *ast.ExprStmt, *ast.Assign, *ast.AnnAssign, *ast.Delete:
		if test := onlyWhenPresent(d); test != nil {
			return ed.InsertAfter(test, lines...)
		}
		return ed.InsertAfter(d.Stmt, lines...)
	}
	return ed.InsertBefore(d.Stmt, lines...)
}

// onlyWhenPresent returns the if statement that only asks for the entry that a
// removal takes, or nil.
func onlyWhenPresent(d *flow.Node) *ast.If {
	var found *ast.If
	for _, st := range d.Fn.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			i, ok := n.(*ast.If)
			if !ok || len(i.Body) != 1 || i.Body[0] != d.Stmt || len(i.Orelse) > 0 {
				return true
			}
			if cmp, ok := i.Test.(*ast.Compare); ok && len(cmp.Ops) == 1 && cmp.Ops[0] == ast.In {
				if at, ok := cmp.Comparators[0].(*ast.Attribute); ok && at.Attr() == d.Loc.Name {
					found = i
				}
			}
			return true
		})
	}
	return found
}
