package statusresurrection

import (
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// markNames are the attributes that a fix may introduce.
var markNames = []string{"ended_early", "over_before_added", "early_ends"}

// A removal ends a request whose store may come later: the key, and the condition
// under which the request is not there, in words of the remover.
type removal struct {
	component.Access
	ended  string
	absent func(container string) string
}

// markFix lets what ends a request leave a mark when the request is not there
// yet, and the store take the mark back instead: nothing else tells a request
// that comes late from a new one.
func markFix(put component.Access, key string, removers []removal) []rule.Fix {
	decl := remedy.Declaration(put.Loc)
	name := remedy.FreshAttr(put.Loc.Owner, markNames...)
	into := remedy.ObjectText(put.Node)
	if decl == nil || name == "" || into == "" || key == "" || put.Mod != put.Loc.DeclMod {
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
	for _, r := range removers {
		from := remedy.ObjectText(r.Node)
		if from == "" || r.ended == "" || r.Mod != put.Mod {
			return nil
		}
		more, err := ed.InsertBefore(r.Stmt, "if "+r.absent(rule.Text(r.Node, remedy.ContainerOf(r.Src)))+":", "\t"+mark(from)+".add("+r.ended+")")
		if err != nil {
			return nil
		}
		edits = append(edits, more...)
	}
	more, err := ed.InsertAfter(decl, remedy.SelfOf(put.Loc)+"."+name+" = set()")
	if err != nil {
		return nil
	}
	edits = append(edits, more...)
	patch.Sort(edits)
	return []rule.Fix{{Description: "note what has ended before it is there", Safety: report.SafetyReview, Edits: edits}}
}
