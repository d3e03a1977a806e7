package directives

import "github.com/kvrace/kvrace/parser/ast"

// Subject returns the statement that a teaching comment speaks of: the function
// of a thread, the assignment of what is guarded or confined, the class or
// assignment of what takes terminal values. It returns nil when the line of the
// comment has no such statement, and for other directives.
func (d *Directive) Subject(m *ast.Module) ast.Stmt {
	if !d.Teaches() {
		return nil
	}
	var found ast.Stmt
	ast.Inspect(m, func(n ast.Node) bool {
		st, ok := n.(ast.Stmt)
		if ok && found == nil && d.about(st) && d.onHead(m, st) {
			found = st
		}
		return found == nil
	})
	return found
}

// Teaches reports whether the directive tells the analysis something about the
// program.
func (d *Directive) Teaches() bool {
	switch d.Kind {
	case Thread, GuardedBy, Confined, Terminal:
		return true
	}
	return false
}

// about reports whether the directive can speak of a kind of statement.
func (d *Directive) about(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.FunctionDef:
		return d.Kind == Thread
	case *ast.ClassDef:
		return d.Kind == Terminal
	case *ast.Assign, *ast.AnnAssign:
		return d.Kind != Thread
	}
	return false
}

// onHead reports whether the line that the directive speaks of belongs to a
// statement, of a function or class to what stands before its body.
func (d *Directive) onHead(m *ast.Module, st ast.Stmt) bool {
	first, _ := m.Position(st.Pos())
	last, _ := m.Position(max(st.Pos(), st.End()-1))
	head := func(decorators []ast.Expr, name ast.Pos, body []ast.Stmt) {
		if len(decorators) > 0 {
			first, _ = m.Position(decorators[0].Pos())
		}
		named, _ := m.Position(name)
		begins, _ := m.Position(body[0].Pos())
		last = max(named, begins-1)
	}
	switch st := st.(type) {
	case *ast.FunctionDef:
		head(st.DecoratorList, st.NamePos, st.Body)
	case *ast.ClassDef:
		head(st.DecoratorList, st.NamePos, st.Body)
	}
	line := d.Target()
	return first <= line && line <= last
}

// belongs says where a teaching comment has to stand.
var belongs = map[Kind]string{
	Thread:    "thread speaks of a function: write it at its def",
	GuardedBy: "guarded-by speaks of an attribute or variable: write it where that is assigned",
	Confined:  "confined speaks of an attribute or variable: write it where that is assigned",
	Terminal:  "terminal speaks of a class of statuses or of what holds them: write it at the class or the assignment",
}

// Misplaced returns what is wrong with the place of a teaching comment, or "".
func (d *Directive) Misplaced(m *ast.Module) string {
	if !d.Teaches() || d.Subject(m) != nil {
		return ""
	}
	return belongs[d.Kind]
}
