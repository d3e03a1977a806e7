package nodeadline

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// The limits that fixes suggest, in seconds. What is right is for the author to say.
const (
	callLimit    = "30"
	requestLimit = "300"
)

// limitFix gives a blocking call a limit. What waits for an event or condition says
// whether it has come; the others raise an exception by themselves.
func limitFix(n *flow.Node) []rule.Fix {
	call, ok := n.Src.(*ast.Call)
	if !ok || len(call.Args()) > 0 || len(call.Keywords()) > 0 {
		return nil
	}
	ed := patch.NewEditor(n.Mod.AST)
	text := strings.TrimSuffix(rule.Text(n, call), ")") + "timeout=" + callLimit + ")"
	fix := rule.Fix{Description: "give up after a while", Safety: report.SafetyReview}
	if call.Callee() != "wait" {
		fix.Edits = []patch.Edit{ed.ReplaceExpr(call, text)}
		return []rule.Fix{fix}
	}
	st, ok := n.Stmt.(*ast.ExprStmt)
	if !ok || st.Value != call {
		return nil
	}
	edits, err := ed.ReplaceStmts([]ast.Stmt{st}, "if not "+text+":", "\traise TimeoutError(\"nothing came in time\")")
	if err != nil {
		return nil
	}
	fix.Edits = edits
	return []rule.Fix{fix}
}

// deadlineFix lets a poller of a handle answer that the request has failed once it
// has waited for long: from when the handle was made.
func deadlineFix(st *status.Facts, p *flow.Entry) []rule.Fix {
	if p.Class == nil || p.Class == st.Comp.Class {
		return nil
	}
	begin := p.Class.Methods["__init__"]
	if begin == nil || p.Func.Class != p.Class || len(begin.Body()) == 0 || len(p.Func.Params) == 0 {
		return nil
	}
	over, tuple, pending, failed := constants(st, p.Func)
	name := remedy.FreshAttr(p.Class, "give_up_at", "waits_until", "fails_at")
	if failed == "" || name == "" || mentionsName(p.Func, "answer") {
		return nil
	}
	late := remedy.MonotonicTime + " > " + p.Func.Params[0].Name + "." + name
	ed := patch.NewEditor(p.Func.Module.AST)
	var edits []patch.Edit
	for _, ret := range returns(p.Func) {
		text := string(p.Func.Module.AST.Text(ret.Value))
		lines := []string{"answer = " + text, "if answer not in " + tuple + " and " + late + ":", "\tanswer = " + failed, "return answer"}
		if pending[text] {
			lines = []string{"if " + late + ":", "\treturn " + failed, "return " + text}
		} else if _, ok := ret.Value.(*ast.Attribute); ok || over[text] {
			continue // a status that ends the request, or what was answered before
		}
		more, err := ed.ReplaceStmts([]ast.Stmt{ret}, lines...)
		if err != nil || strings.Contains(text, "\n") {
			return nil
		}
		edits = append(edits, more...)
	}
	if len(edits) == 0 {
		return nil
	}
	inits := begin.Body()
	more, err := ed.InsertAfter(inits[len(inits)-1], begin.Params[0].Name+"."+name+" = "+remedy.MonotonicTime+" + "+requestLimit)
	if err != nil {
		return nil
	}
	edits = append(edits, more...)
	if edits, err = remedy.ImportClock(ed, p.Func.Module, edits); err != nil {
		return nil
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "fail what has waited for long", Safety: report.SafetyReview, Edits: edits}}
}

// returns returns the statements by which a function answers something.
func returns(f *program.Func) []*ast.Return {
	var out []*ast.Return
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Return:
				if n.Value != nil {
					out = append(out, n)
				}
			case *ast.FunctionDef, *ast.Lambda:
				return false
			}
			return true
		})
	}
	return out
}

// constants returns the terminal statuses as a module writes them, and in a tuple, the
// others, and one that tells of a failure; "" when it does not write such a one.
func constants(st *status.Facts, f *program.Func) (over map[string]bool, tuple string, pending map[string]bool, failed string) {
	over, pending = map[string]bool{}, map[string]bool{}
	var ends []string
	for _, v := range st.Values {
		text := remedy.Spelled(f.Module, v.Const)
		if text == "" || v.Const.IsNone() {
			continue
		}
		if !v.Terminal {
			pending[text] = true
			continue
		}
		over[text] = true
		ends = append(ends, text)
	}
	if len(ends) == 1 {
		ends = append(ends, "") // a tuple of one
	}
	failed = remedy.Ending{Facts: st, Func: f}.Failure()
	return over, "(" + strings.TrimSpace(strings.Join(ends, ", ")) + ")", pending, failed
}

func mentionsName(f *program.Func, name string) bool {
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Id() == name {
			found = true
		}
		return !found
	})
	return found
}
