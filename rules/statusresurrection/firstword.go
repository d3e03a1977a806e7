package statusresurrection

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// firstWords returns the constants with which requests are registered in a container, or
// nil where one is registered with something else as well.
func (c *check) firstWords(l *flow.Location) []*flow.Value {
	var out []*flow.Value
	for _, a := range c.registrations(l) {
		if a.Val == nil || a.Val.Kind != flow.Const {
			return nil
		}
		if !slices.ContainsFunc(out, a.Val.Same) {
			out = append(out, a.Val)
		}
	}
	return out
}

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
	leave := "return"
	if inLoop(p) {
		leave = "continue"
	}
	var test string
	switch len(words) {
	case 0:
		return nil
	case 1:
		test = value.Id() + " != " + words[0]
	default:
		test = value.Id() + " not in (" + strings.Join(words, ", ") + ")"
	}
	edits, err := patch.NewEditor(p.Mod.AST).InsertBefore(p.Stmt, "if "+test+":", "\t"+leave)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "let nothing but its first status make a request known", Safety: report.SafetyReview, Edits: edits}}
}
