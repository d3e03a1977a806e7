package statusresurrection

import (
	"slices"
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

// A setter stores whatever status its callers pass, the first one of a request as
// well as a later one. Which is which is told by those who call it while they make
// the object of a request: the constants that they pass begin one, and no other does.

// begins returns the constants by which constructors register requests at the place of
// a store, or nil when there is none, or one of them passes what is no constant.
func (c *check) begins(put component.Access) []*flow.Value {
	var made []component.Access
	for _, a := range c.registrations(put.Loc) {
		if a.Src == put.Src && constructs(a) {
			made = append(made, a)
		}
	}
	return constants(made)
}

// constants returns what steps store, or nil where one of them stores what is no constant.
func constants(puts []component.Access) []*flow.Value {
	var out []*flow.Value
	for _, a := range puts {
		if a.Val == nil {
			return nil
		}
		for _, v := range a.Val.Leaves() {
			if v.Kind != flow.Const {
				return nil
			}
			if !slices.ContainsFunc(out, v.Same) {
				out = append(out, v)
			}
		}
	}
	return out
}

// constructs reports whether a step is part of making an object.
func constructs(a component.Access) bool {
	if a.Entry.Role == flow.Init {
		return true
	}
	for fr := a.Frame; fr != nil; fr = fr.Caller {
		if fr.Fn != nil && fr.Fn.Class != nil && fr.Fn.Class.Methods["__init__"] == fr.Fn {
			return true
		}
	}
	return false
}

// begun reports whether a store passes constants that begin no request to a setter
// through which constructors begin them: the request was known before.
func (c *check) begun(put component.Access) bool {
	if put.Val == nil {
		return false
	}
	first := c.begins(put)
	return len(first) > 0 && !slices.ContainsFunc(put.Val.Leaves(), func(v *flow.Value) bool {
		return v.Kind != flow.Const || slices.ContainsFunc(first, v.Same)
	})
}

// firstWords returns the constants with which requests are registered in a container, or
// nil where one is registered with something else as well.
func (c *check) firstWords(l *flow.Location) []*flow.Value { return constants(c.registrations(l)) }

// letsInFirstWords reports whether every walk to a store of what is only known when the
// program runs has found it to be one with which requests are registered: whoever tells
// that tells of a new one.
func (c *check) letsInFirstWords(put component.Access) bool {
	if put.Val == nil || put.Val.Kind == flow.Const {
		return false
	}
	words := c.firstWords(put.Loc)
	if len(words) == 0 {
		return false
	}
	return put.Entry.Graph.Find(flow.Search{
		Track: []*flow.Value{put.Val}, To: []int32{put.ID},
		Goal: func(id int32, _ *flow.Node, f flow.Facts) bool {
			if id != put.ID {
				return false
			}
			held, _ := f.Holds(put.Val)
			return !slices.ContainsFunc(words, func(w *flow.Value) bool { return w.ID() == held })
		},
	}) == nil
}

// firstWordFix lets a setter make a request known only by what registers one, where the
// setter itself is what registers them.
func (c *check) firstWordFix(p component.Access) []rule.Fix {
	as, ok := p.Stmt.(*ast.Assign)
	if !ok || absentGuard(p) == nil {
		return nil
	}
	value, ok := as.Value.(*ast.Name)
	if !ok || !slices.ContainsFunc(p.Fn.Params, func(q *program.Param) bool { return q.Name == value.Id() }) {
		return nil
	}
	var words []string
	for _, w := range c.firstWords(p.Loc) {
		word := remedy.Spelled(p.Mod, w)
		if word == "" {
			return nil
		}
		words = append(words, word)
	}
	slices.Sort(words)
	var test, holds string
	switch len(words) {
	case 0:
		return nil
	case 1:
		test, holds = value.Id()+" != "+words[0], value.Id()+" == "+words[0]
	default:
		among := "in (" + strings.Join(words, ", ") + ")"
		test, holds = value.Id()+" not "+among, value.Id()+" "+among
	}
	rest := newRest(p, nil, p.Stmt)
	ed := patch.NewEditor(p.Mod.AST)
	var edits []patch.Edit
	if have := refusesOne(p, value.Id(), words); have != nil {
		edits = []patch.Edit{ed.ReplaceExpr(have, test)}
	} else if rest.all() && !yieldsValue(p.Fn) {
		edits, _ = ed.InsertBefore(p.Stmt, "if "+test+":", "\t"+rest.leave)
	} else if n, apart := rest.spans(); apart {
		edits, _ = ed.WrapIf(holds, append([]ast.Stmt{p.Stmt}, rest.inner[:n]...)...)
	}
	if edits == nil {
		return nil
	}
	return []rule.Fix{{Description: "let nothing but its first status make a request known", Safety: report.SafetyReview, Edits: edits}}
}

// refusesOne returns the test of the statement directly before a store that leaves for
// one status, which begins no request, or nil.
func refusesOne(p component.Access, given string, first []string) ast.Expr {
	block, _ := evidence.Block(p.Fn.Body(), p.Stmt)
	at := slices.Index(block, p.Stmt)
	if at < 1 {
		return nil
	}
	st, ok := block[at-1].(*ast.If)
	if !ok || len(st.Orelse) > 0 || len(st.Body) != 1 {
		return nil
	}
	leave, ok := st.Body[0].(*ast.Return)
	if !ok || leave.Value != nil {
		return nil
	}
	cmp, ok := st.Test.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Eq {
		return nil
	}
	left, ok := cmp.Left.(*ast.Name)
	if !ok || left.Id() != given || remedy.Acts(cmp) || slices.Contains(first, rule.Text(p.Node, cmp.Comparators[0])) {
		return nil
	}
	return cmp
}
