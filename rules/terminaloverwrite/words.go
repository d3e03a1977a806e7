package terminaloverwrite

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// base returns what the findings of a write have in common.
func (c *check) base(w component.Access, place rule.Place, function string) rule.Finding {
	return rule.Finding{
		Place: place, Function: function, Entry: w.Entry, Component: c.st.Comp.Class,
		Containers: []string{c.loc.Name}, Key: evidence.KeyText(w.Node),
		Shape:  "overwrite:" + c.loc.Name,
		Threat: &rule.Threat{Property: rule.StaysEnded, Status: c.st, Steps: []rule.Step{{Entry: w.Entry, ID: w.ID}}},
	}
}

// lost is the finding of a join that never stores a terminal status.
func (c *check) lost(w component.Access, join, t, pending *flow.Value) rule.Finding {
	f := c.base(w, rule.AtStep(w.Node), w.Fn.Qual)
	f.Message = fmt.Sprintf("%s never stores %s in %s while it holds %s: %s is %d, %s is %d",
		join.Name, t.Name, evidence.Access(w.Node), pending.Name, t.Name, t.Int, pending.Name, pending.Int)
	seen := map[rule.Place]bool{}
	for _, o := range c.writes {
		if o.Src != w.Src || o.Frame.Call == nil || !joins(o.Val, t) {
			continue
		}
		if len(seen) == 0 {
			f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: o.Entry, ID: o.ID}}}
		}
		p := rule.At(o.Frame.Mod, o.Frame.Call)
		if !seen[p] {
			seen[p] = true
			f.Related = append(f.Related, rule.Related{
				Place: p, Role: report.RoleRival, Entry: o.Entry,
				Message: fmt.Sprintf("the %s of %s has no effect here", t.Name, o.Entry.Name()),
			})
		}
	}
	f.Consequence = evidence.NeverConcludes(c.st)
	f.Fixes = c.letThrough(w, join, t)
	return f
}

func joins(v, t *flow.Value) bool {
	for _, leaf := range v.Leaves() {
		for _, a := range leaf.Args {
			if isJoin(leaf) && a.ID() == t.ID() {
				return true
			}
		}
	}
	return false
}

// goesOn is the finding of a walk that stores two statuses.
func (c *check) goesOn(w component.Access, e end, spot evidence.Spot) rule.Finding {
	f := c.base(w, spot.Place(), spot.Frame.Fn.Qual)
	f.Message = fmt.Sprintf("%s is stored in %s after %s may have been stored on the same path (line %d)",
		c.stored(w, e.status), evidence.Access(w.Node), e.status.Name, e.Line())
	f.Related = []rule.Related{{
		Place: rule.AtStep(e.Node), Role: report.RoleRival, Entry: e.Entry,
		Message: fmt.Sprintf("%s is stored here, and the walk goes on", e.status.Name),
	}}
	if e.Frame != w.Frame && e.Frame.Call != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.At(e.Frame.Mod, e.Frame.Call), Role: report.RoleContext, Entry: e.Entry,
			Message: "it is called here, and nothing tests what came of it",
		})
	}
	f.Consequence = c.consequence(w, e)
	f.Fixes = c.guardAt(w, e, spot)
	return f
}

// replacing is the finding of a write that comes after that of another thread.
func (c *check) replacing(w component.Access, e end) rule.Finding {
	f := c.base(w, rule.AtStep(w.Node), w.Fn.Qual)
	f.Message = fmt.Sprintf("%s is stored in %s although %s may have stored %s there (%s:%d)",
		c.stored(w, e.status), evidence.Access(w.Node), e.Entry.Name(), e.status.Name, e.Mod.File, e.Line())
	f.Related = []rule.Related{{
		Place: rule.AtStep(e.Node), Role: report.RoleRival, Entry: e.Entry,
		Message: fmt.Sprintf("%s stores %s here", e.Entry.Name(), e.status.Name),
	}}
	if w.Frame.Call != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.At(w.Frame.Mod, w.Frame.Call), Role: report.RoleContext, Entry: w.Entry,
			Message: fmt.Sprintf("%s stores %s through this call", w.Entry.Name(), c.stored(w, e.status)),
		})
	}
	f.Related = append(f.Related, evidence.Spawns(w.Entry)...)
	f.Related = append(f.Related, evidence.Spawns(e.Entry)...)
	f.Consequence = c.consequence(w, e)
	f.Fixes = c.guardAt(w, e, evidence.Spot{Frame: w.Frame, Src: w.Src, Stmt: w.Stmt})
	return f
}

// stored names what a write stores in place of a status.
func (c *check) stored(w component.Access, t *flow.Value) string {
	for _, leaf := range w.Val.Leaves() {
		switch {
		case leaf.Kind == flow.Const && leaf.ID() != t.ID() && (!c.st.Terminal(leaf) || !c.st.Failure(leaf.ID())):
			return leaf.Name
		case isJoin(leaf):
			for _, a := range leaf.Args {
				if a.Kind == flow.Const {
					return a.Name
				}
			}
		}
	}
	return w.Val.String()
}

func (c *check) consequence(w component.Access, e end) string {
	if !c.revives(w) {
		return fmt.Sprintf("a request that has ended as %s is reported as %s", e.status.Name, c.stored(w, e.status))
	}
	if s := evidence.NeverConcludes(c.st); s != "" {
		return fmt.Sprintf("a request that has ended as %s is alive again; %s", e.status.Name, s)
	}
	return ""
}
