package partialcleanup

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to remove the entries that stay together with the one that goes.
func (c *check) fixes(l leak) []rule.Fix {
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
	what := fmt.Sprintf("remove the entry of %s as well", listed(l.names()))
	if l.renewed { // what ends the request is not known
		what = fmt.Sprintf("remove the entry of %s where that of %s is made anew; whatever ends a request has to remove both", listed(l.names()), l.member.loc.Name)
	}
	out := []rule.Fix{{Description: what, Safety: report.SafetyReview, Edits: edits}}
	if f, ok := late(l, out[0]); ok {
		out = append(out, f)
	}
	return out
}

// late adds to the removal of entries that their inserts ignore what comes for a request
// that is not known, where another thread inserts them: they would come back after the
// removal. A request is known by the entry that goes with the last one, if whoever begins
// it has made that.
func late(l leak, removal rule.Fix) (rule.Fix, bool) {
	if l.shape != never || len(l.left) != 1 || l.exit.Entry.Role != flow.Caller {
		return rule.Fix{}, false
	}
	begun := slices.ContainsFunc(l.member.inserts, func(a component.Access) bool {
		return a.Entry.Role == flow.Caller || a.Entry.Role == flow.Init
	})
	f := rule.Fix{Safety: report.SafetyReview, Edits: slices.Clone(removal.Edits)}
	f.Description = removal.Description + ", and ignore what comes for a request that is not known"
	seen, guarded := map[ast.Stmt]bool{}, false
	for _, in := range l.left[0].inserts {
		if seen[in.Stmt] {
			continue
		}
		seen[in.Stmt] = true
		if in.Entry.Role == flow.Caller || in.Entry.Role == flow.Init {
			continue // it begins the request
		}
		known, key := besides(in.Node, l.member.loc), evidence.KeyArg(in.Node)
		if known == "" || key == "" || !storesOnly(in.Node) {
			return rule.Fix{}, false
		}
		edits, err := patch.NewEditor(in.Mod.AST).WrapIf(key+" in "+known, in.Stmt)
		if err != nil {
			return rule.Fix{}, false
		}
		f.Edits, guarded = append(f.Edits, edits...), true
	}
	patch.Sort(f.Edits)
	return f, begun && guarded
}

// besides returns how another container of the same object is written where a step stores
// in one, or "".
func besides(n *flow.Node, l *flow.Location) string {
	at := evidence.ContainerExpr(n)
	if at == nil || l.Owner == nil || n.Loc.Owner == nil || !n.Loc.Owner.IsSubclass(l.Owner) && !l.Owner.IsSubclass(n.Loc.Owner) {
		return ""
	}
	return rule.Text(n, at.Value) + "." + l.Name
}

// storesOnly reports whether the statement of a step does nothing but to store, so that
// nothing misses it.
func storesOnly(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case *ast.ExprStmt:
		return st.Value == n.Src
	case *ast.Assign:
		_, ok := st.Targets[0].(*ast.Subscript)
		return ok && len(st.Targets) == 1
	}
	return false
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
