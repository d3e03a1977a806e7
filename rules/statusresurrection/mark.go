package statusresurrection

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// markNames are the attributes that a fix may introduce.
var markNames = []string{"ended_early", "over_before_added", "early_ends"}

// markFix lets what ends a request leave a mark when the request is not there
// yet, and the store take the mark back instead: nothing else tells a request
// that comes late from a new one. absent is the condition, in the words of the
// remover, under which the request is not there, ended its key.
func markFix(put, remover component.Access, key, ended string, absent func(container string) string) []rule.Fix {
	decl := remedy.Declaration(put.Loc)
	name := freshAttr(put.Loc.Owner)
	into, from := objectOf(put.Node), objectOf(remover.Node)
	if decl == nil || name == "" || into == "" || from == "" || key == "" || ended == "" || put.Mod != remover.Mod || put.Mod != put.Loc.DeclMod {
		return nil
	}
	ed := patch.NewEditor(put.Mod.AST)
	mark := func(object string) string { return object + "." + name }
	leave := "return"
	if inLoop(put) {
		leave = "continue"
	}
	edits, err := ed.InsertBefore(put.Stmt, "if "+key+" in "+mark(into)+":", "\t"+mark(into)+".discard("+key+")", "\t"+leave)
	if err != nil {
		return nil
	}
	more, err := ed.InsertBefore(remover.Stmt, "if "+absent(rule.Text(remover.Node, remedy.ContainerOf(remover.Src)))+":", "\t"+mark(from)+".add("+ended+")")
	if err != nil {
		return nil
	}
	edits = append(edits, more...)
	if more, err = ed.InsertAfter(decl, remedy.SelfOf(put.Loc)+"."+name+" = set()"); err != nil {
		return nil
	}
	edits = append(edits, more...)
	patch.Sort(edits)
	return []rule.Fix{{Description: "note what has ended before it is there", Safety: report.SafetyReview, Edits: edits}}
}

// freshAttr returns an attribute that a class does not have yet, or "".
func freshAttr(c *program.Class) string {
	if c == nil {
		return ""
	}
	for _, name := range markNames {
		if c.AttrOwner(name) == nil && c.Method(name) == nil {
			return name
		}
	}
	return ""
}

// objectOf returns the object whose container a step touches, as the source
// writes it, or "".
func objectOf(n *flow.Node) string {
	if at, ok := remedy.ContainerOf(n.Src).(*ast.Attribute); ok {
		return rule.Text(n, at.Value)
	}
	return ""
}
