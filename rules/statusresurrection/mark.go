package statusresurrection

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
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
//
// About are the containers that are cleared with the entry: what the hook stores in them
// directly before goes with the store.
func markFix(put component.Access, about []*flow.Location, key string, removers []removal) []rule.Fix {
	decl := remedy.Declaration(put.Loc)
	name := remedy.FreshAttr(put.Loc.Owner, markNames...)
	into := remedy.ObjectText(put.Node)
	if decl == nil || name == "" || into == "" || key == "" || put.Mod != put.Loc.DeclMod {
		return nil
	}
	ed := patch.NewEditor(put.Mod.AST)
	mark := func(object string) string { return object + "." + name }
	edits := leftOut(ed, put, about, key, mark(into))
	if edits == nil {
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

// leftOut takes a key out of a set that has it instead of storing its entry. It leaves where
// nothing follows but what goes with the store, and puts that under the test otherwise; nil
// where the two cannot be told apart.
func leftOut(ed *patch.Editor, put component.Access, about []*flow.Location, key, mark string) []patch.Edit {
	at := put.Stmt
	block, _ := evidence.Block(put.Fn.Body(), put.Stmt)
	for i := slices.Index(block, put.Stmt) - 1; i >= 0; i-- {
		if _, ok := block[i].(*ast.Assign); !ok || !newRest(put, about, put.Stmt).uses(block[i]) {
			break
		}
		at = block[i]
	}
	rest := newRest(put, about, at)
	if rest.all() && !yieldsValue(put.Fn) {
		edits, err := ed.InsertBefore(at, "if "+key+" in "+mark+":", "\t"+mark+".discard("+key+")", "\t"+rest.leave)
		if err != nil {
			return nil
		}
		return edits
	}
	n, apart := rest.spans()
	if !apart {
		return nil
	}
	with := append([]ast.Stmt{at}, rest.inner[:n]...)
	edits, err := ed.WrapIf(key+" not in "+mark, with...)
	if err != nil {
		return nil
	}
	other, err := ed.InsertAfter(with[len(with)-1], "else:", "\t"+mark+".discard("+key+")")
	if err != nil {
		return nil
	}
	return append(edits, other...)
}
