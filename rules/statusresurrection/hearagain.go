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

// A hook takes the words that have come and ignores those about requests that are not known.
// Which of these come early and which late it cannot tell: one that is late belongs to a
// request that a sweep has given up, and nothing remembers these. So it keeps all of them,
// hears them again whenever it is called, and forgets them after a while:
//
//	for word in self.line.words():
//	    self.heard_early.append((word, time.monotonic()))
//	heard, self.heard_early = self.early_words, []
//	for word, since in heard:
//	    request, readers = word.split(":")
//	    if request not in self.until:
//	        if time.monotonic() - since > 60:
//	            continue
//	        self.heard_early.append((word, since))
//	        continue
//
// What is heard about a request that has been entered meanwhile ends it as it always does, so
// that nothing else of the hook changes, and whoever else ends requests need not know of it.

// hearAgain is the fix that lets a hook hear again what it has ignored, where the loop over
// what has come is of that form: nothing acts before the test, and nothing leaves the loop.
// The hook alone touches what it keeps. A thread that waits for the next word is none: it
// would hear the ones before only then.
func hearAgain(put component.Access, r refusal) []rule.Fix {
	if !evidence.IsHook(r.Entry) {
		return nil
	}
	loop, test := refusing(r)
	if loop == nil {
		return nil
	}
	word, ok := loop.Target.(*ast.Name)
	decl, object := remedy.Declaration(put.Loc), remedy.ObjectText(r.Node)
	name := remedy.FreshAttr(put.Loc.Owner, "heard_early", "early_words", "too_early")
	heard, since := remedy.FreshVar(r.Fn, "heard", "all_words", "to_hear"), remedy.FreshVar(r.Fn, "since", "heard_at", "come_at")
	if !ok || decl == nil || object == "" || name == "" || heard == "" || since == "" || r.Mod != put.Loc.DeclMod ||
		remedy.Commented(r.Mod, int(loop.Pos()), int(loop.Iter.End())) {
		return nil
	}
	kept := object + "." + name
	ed := patch.NewEditor(r.Mod.AST)
	before, err := ed.InsertBefore(loop,
		"for "+word.Id()+" in "+rule.Text(r.Node, loop.Iter)+":",
		"\t"+kept+".append(("+word.Id()+", "+remedy.MonotonicTime+"))",
		heard+", "+kept+" = "+kept+", []",
	)
	if err != nil {
		return nil
	}
	given, err := ed.WrapIf(remedy.MonotonicTime+" - "+since+" > "+patience, test.Body...)
	if err != nil {
		return nil
	}
	again, err := ed.InsertAfter(test.Body[len(test.Body)-1], kept+".append(("+word.Id()+", "+since+"))", "continue")
	if err != nil {
		return nil
	}
	made, err := ed.InsertAfter(decl, remedy.SelfOf(put.Loc)+"."+name+" = []")
	if err != nil {
		return nil
	}
	edits := slices.Concat(before, given, again, made, []patch.Edit{ed.ReplaceExpr(word, word.Id()+", "+since), ed.ReplaceExpr(loop.Iter, heard)})
	if edits, err = remedy.ImportClock(ed, r.Mod, edits); err != nil || remedy.Hidden(r.Fn, "time") {
		return nil
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "hear again what comes before its request, for up to a minute", Safety: report.SafetyReview, Edits: edits}}
}

// patience is how long, in seconds, what has come early waits for its request. What is late
// waits as long for nothing.
const patience = "60"

// refusing returns the loop over what has come, and the test by which it goes on to the next
// where a request is not known; nil where they are not of the form that can be heard again.
func refusing(r refusal) (*ast.For, *ast.If) {
	test, ok := r.Stmt.(*ast.If)
	if !ok || len(test.Orelse) > 0 {
		return nil, nil
	}
	if _, ok := test.Body[len(test.Body)-1].(*ast.Continue); !ok {
		return nil, nil
	}
	var loop *ast.For
	ast.Inspect(r.Fn.Node, func(n ast.Node) bool {
		if st, ok := n.(*ast.For); ok && slices.Contains(st.Body, ast.Stmt(test)) {
			loop = st
		}
		return loop == nil
	})
	if loop == nil || loop.Async || len(loop.Orelse) > 0 || loops(r.Fn.Body(), loop) || escapes(loop.Body) || touched(r, loop.Iter) {
		return nil, nil
	}
	at := slices.Index(loop.Body, ast.Stmt(test))
	for _, st := range loop.Body[:at] {
		if _, ok := st.(*ast.Assign); !ok || touched(r, st) || asksSelf(r, st) {
			return nil, nil
		}
	}
	return loop, test
}

// asksSelf reports whether a statement calls something of the object of the method, which may
// count what it is given.
func asksSelf(r refusal, st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			root := call.Func
			for {
				at, ok := root.(*ast.Attribute)
				if !ok {
					break
				}
				root = at.Value
			}
			name, ok := root.(*ast.Name)
			found = found || ok && len(r.Fn.Params) > 0 && name.Id() == r.Fn.Params[0].Name
		}
		return !found
	})
	return found
}

// touched reports whether a step of the entrypoint on shared state is within a node.
func touched(r refusal, at ast.Node) bool {
	return slices.ContainsFunc(r.Entry.Graph.Nodes, func(n flow.Node) bool {
		return n.Loc != nil && n.Fn == r.Fn && n.Src != nil && ast.Encloses(at, n.Src)
	})
}

// loops reports whether a statement is in another loop of its function.
func loops(body []ast.Stmt, of ast.Stmt) bool {
	found := false
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.While, *ast.For:
				found = found || n != ast.Node(of) && ast.Encloses(n, of)
			}
			return !found
		})
	}
	return found
}

// escapes reports whether statements leave the loop that they are the body of, or are a
// generator's: what has not been heard then would be lost.
func escapes(body []ast.Stmt) bool {
	var look func(n ast.Node, inner bool) bool
	look = func(n ast.Node, inner bool) bool {
		found := false
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.Return, *ast.Raise, *ast.Yield, *ast.YieldFrom, *ast.Await:
				found = true
			case *ast.Break:
				found = found || !inner
			case *ast.For, *ast.While:
				if x != n {
					found = found || look(x, true)
					return false
				}
			case *ast.FunctionDef, *ast.Lambda, *ast.ClassDef:
				return false
			}
			return !found
		})
		return found
	}
	return slices.ContainsFunc(body, func(st ast.Stmt) bool {
		switch st.(type) {
		case *ast.For, *ast.While:
			return look(st, true)
		}
		return look(st, false)
	})
}
