package evidence

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// A Site is where a function does something: at a step of its own, or at the
// call that leads to the step.
type Site struct {
	rule.Place
	Fn  *program.Func
	Src ast.Node
}

// SiteFor returns the site of a step in the innermost function that leads to
// another step as well: what both have in common is where one reads that they
// belong together.
func SiteFor(n, other *flow.Node) Site {
	around := map[*flow.Frame]bool{}
	for fr := other.Frame; fr != nil; fr = fr.Caller {
		around[fr] = true
	}
	if around[n.Frame] {
		return Site{rule.AtStep(n), n.Fn, n.Src}
	}
	for fr := n.Frame; fr != nil && fr.Caller != nil; fr = fr.Caller {
		if around[fr.Caller] {
			return Site{rule.At(fr.Mod, fr.Call), fr.Caller.Fn, fr.Call}
		}
	}
	return Site{rule.AtStep(n), n.Fn, n.Src}
}

// Raised words what an exception does that leaves an entrypoint.
func Raised(e *flow.Entry, exc string) string {
	switch e.Role {
	case flow.ThreadOf:
		return fmt.Sprintf("%s ends the thread %s, which nothing starts again", exc, e.Name())
	case flow.Pool, flow.Callback:
		return fmt.Sprintf("%s ends %s unseen: its future keeps the exception, the request is not concluded", exc, e.Name())
	case flow.LoopTask:
		return fmt.Sprintf("%s ends the task %s", exc, e.Name())
	}
	return fmt.Sprintf("%s leaves %s and hits the thread that calls it", exc, e.Name())
}

// Exception returns the class of the exception that a step raises.
func Exception(n *flow.Node) string {
	for _, e := range n.Succ {
		if e.Kind == flow.Exc {
			return e.Exc
		}
	}
	return ""
}

// RivalOf returns the related place of a step that comes in between, with the
// places where its entrypoint and that of the victim start.
func RivalOf(r *component.Rival, victim *flow.Entry, what string) []rule.Related {
	name := r.Entry.Name()
	if r.Entry == victim {
		name = "another " + name
	}
	out := []rule.Related{{
		Place: rule.AtStep(r.Node), Role: report.RoleRival, Entry: r.Entry,
		Message: name + " " + what,
	}}
	out = append(out, Spawns(victim)...)
	if r.Entry != victim {
		out = append(out, Spawns(r.Entry)...)
	}
	return out
}

// TolerantElsewhere returns the steps of a component that remove or read an
// entry of the same container in one step that cannot fail, at most two.
func TolerantElsewhere(c *component.Component, a component.Access) []rule.Related {
	var out []rule.Related
	seen := map[ast.Node]bool{}
	for _, x := range c.Accesses(a.Loc) {
		if x.Op != a.Op || !x.Node.Tolerant() || x.Key == nil || seen[x.Src] || x.Src == a.Src {
			continue
		}
		seen[x.Src] = true
		out = append(out, rule.Related{
			Place: rule.AtStep(x.Node), Role: report.RoleSibling,
			Message: x.Entry.Name() + " takes an absent entry into account here",
		})
		if len(out) == 2 {
			break
		}
	}
	return out
}
