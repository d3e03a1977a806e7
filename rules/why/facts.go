package why

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/keymap"
	"github.com/kvrace/kvrace/rules/rule"
)

// facts returns what is known about the line.
func (v *view) facts() []Fact {
	out := v.taught()
	if s := v.reached(); !s.Holds {
		return append(out, Fact{Text: s.Text})
	}
	seen := map[*flow.Entry]bool{}
	for _, r := range v.runs {
		if !seen[r.entry] {
			seen[r.entry] = true
			out = append(out, Fact{Text: "runs as " + describe(r.entry)})
		}
	}
	return append(out, v.accesses()...)
}

// describe tells what an entrypoint is and which thread runs it.
func describe(e *flow.Entry) string {
	text := e.Name() + ": "
	switch e.Role {
	case flow.Init:
		text += "a constructor, before the object is shared"
	case flow.Caller:
		text += "a hook, on the thread that calls the hooks of the object"
	case flow.LoopTask:
		text += "on the event loop"
	case flow.Callback:
		text += "a callback, on the thread that completes what it waits for"
	case flow.Pool:
		text += "on the threads of a pool"
	default:
		text += "a thread of its own"
	}
	switch e.Thread {
	case "":
	case directives.PoolThread:
		text += "; told to run on several threads at once"
	default:
		text += fmt.Sprintf("; told to run on the thread %s", e.Thread)
	}
	if e.Many {
		text += ", several at a time"
	}
	if e.Sharded {
		text += ", each with its own keys"
	}
	var sites []string
	for _, s := range e.Spawns {
		line, _ := s.Mod.AST.Position(s.Src.Pos())
		sites = append(sites, fmt.Sprintf("%s:%d", s.Mod.File, line))
	}
	if len(sites) > 0 {
		text += ", started at " + list(sites)
	}
	return text
}

// taught returns the comments that speak of the line.
func (v *view) taught() []Fact {
	var out []Fact
	for _, d := range directives.In(v.mod.AST) {
		if d.Teaches() && (d.Line == v.line || d.Target() == v.line) {
			text := "told by a comment: " + d.Kind.String()
			if len(d.Args) > 0 {
				text += "(" + strings.Join(d.Args, ", ") + ")"
			}
			out = append(out, Fact{Text: text})
		}
	}
	return out
}

// accesses describes the steps on the line, the same step of several access
// programs once.
func (v *view) accesses() []Fact {
	steps := slices.Clone(v.steps)
	sortSteps(steps)
	var out []Fact
	for _, s := range steps {
		text := v.what(s)
		if text == "" || s.by != nil && !changes(s.Node) {
			continue
		}
		if s.by != nil {
			text = fmt.Sprintf("calls %s, which %s at line %d", s.by.Qual, text, lineOf(s.Node))
		}
		details := v.details(s)
		i := slices.IndexFunc(out, func(f Fact) bool { return f.Text == text })
		if i < 0 {
			out = append(out, Fact{Text: text})
			i = len(out) - 1
		}
		for _, d := range details {
			if !slices.Contains(out[i].Details, d) {
				out[i].Details = append(out[i].Details, d)
			}
		}
	}
	return out
}

// what says what a step does, or "" for one that is not worth a line.
func (v *view) what(s step) string {
	name := ""
	if s.Loc != nil {
		name = evidence.Access(s.Node)
	}
	strict := ""
	if s.Mode&flow.Strict != 0 {
		strict = ", and fails when there is no entry"
	}
	switch s.Op {
	case flow.Read:
		if s.Mode&flow.Upsert != 0 {
			return "reads " + name + ", and makes the entry when there is none"
		}
		if s.Mode&flow.Strict == 0 && s.Def != nil {
			return fmt.Sprintf("reads %s, or %s when there is no entry", name, s.Def)
		}
		return "reads " + name + strict
	case flow.Has:
		return "tests whether there is " + name
	case flow.Put:
		return "stores " + name + v.meaning(s)
	case flow.Del:
		return "removes " + name + strict
	case flow.Iter:
		if s.Mode&flow.Live != 0 {
			return "walks over " + name + " itself"
		}
		return "takes a copy of " + name + " in one step"
	case flow.Clear:
		return "empties " + name
	case flow.Rebind:
		return "binds " + name + " to another container"
	case flow.PutAll:
		return "stores several entries in " + name
	case flow.DelAll:
		return "removes several entries from " + name
	case flow.GetFlag:
		return "reads the flag " + name
	case flow.SetFlag:
		return "sets the flag " + name + v.meaning(s)
	case flow.Acquire:
		return "takes the lock " + s.Lock.String()
	case flow.Release:
		return "gives back the lock " + s.Lock.String()
	case flow.Wait:
		return "waits" + limit(s.Node)
	case flow.Enqueue:
		return "puts an item into a queue"
	case flow.Dequeue:
		return "takes an item from a queue" + limit(s.Node)
	case flow.Spawn:
		if s.Node.Entry != nil {
			return "starts " + s.Node.Entry.Name()
		}
		return "starts a thread"
	case flow.Await:
		return "awaits: other tasks of the loop can run"
	case flow.Branch:
		return "branches on " + rule.Text(s.Node, s.Src)
	case flow.Raise, flow.Assert:
		return "can raise"
	case flow.Return:
		return "answers " + s.Val.String()
	}
	return ""
}

func limit(n *flow.Node) string {
	if n.Mode&flow.Timeout != 0 {
		return ", for a limited time"
	}
	return ", without a limit"
}

// meaning says what a stored value tells about a request.
func (v *view) meaning(s step) string {
	switch {
	case s.st.Concludes(s.Node):
		return ", which ends the request"
	case s.st.MayConclude(s.Node):
		return ", which may end the request"
	case s.st.IsStatus(s.Val):
		return ", a status that does not end the request"
	}
	return ""
}

// details tells what is around a step: locks, guards, the key group, rivals.
func (v *view) details(s step) []string {
	if s.Loc == nil {
		return nil
	}
	where := "component " + s.st.Comp.Class.Qual
	if g := s.st.Comp.Group(s.Loc); g != nil && s.Loc.Keyed() {
		var names []string
		for _, l := range g.Locs {
			names = append(names, l.String())
		}
		where += ", key group " + list(names)
	}
	if s.st.IsMap(s.Loc) {
		where += "; a status map"
	} else if s.st.IsDrained(s.Loc) {
		where += "; what is in it is over, since a hook returns it"
	} else if s.st.IsFlag(s.Loc) {
		where += "; a poller goes by it"
	}
	out := []string{where}
	if names := lockNames(s.Node); len(names) > 0 {
		out = append(out, "under "+list(names))
	} else {
		out = append(out, "under no lock")
	}
	if g := keymap.GuardsAt(s.Entry.Graph, s.ID); len(g) > 0 {
		out = append(out, "only when "+list(g))
	}
	if s.Loc.Root().Confined {
		out = append(out, "told to belong to one thread")
	}
	return append(out, rivals(s)...)
}

func lockNames(n *flow.Node) []string {
	var names []string
	for _, l := range n.Locks {
		name := l.String()
		if l.Loc != nil {
			name = l.Loc.String()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// rivals tells which other steps touch the same place, and why they can or cannot
// come between: those that can one by one, the others by the reason.
func rivals(s step) []string {
	var out, reasons []string
	excluded := map[string][]string{}
	for _, a := range s.st.Comp.Accesses(s.Loc) {
		if a.Src == nil || a.Src == s.Src || !changes(a.Node) && !changes(s.Node) || a.Entry == s.Entry && !a.Entry.Many {
			continue
		}
		line, _ := a.Mod.AST.Position(a.Src.Pos())
		text := fmt.Sprintf("%s %s it at %s:%d", a.Entry.Name(), verb(a.Node), a.Mod.File, line)
		how, can := relation(s.st, s.Access, a)
		switch {
		case can && !slices.Contains(out, text+": "+how):
			out = append(out, text+": "+how)
		case !can && excluded[how] == nil:
			reasons = append(reasons, how)
			fallthrough
		case !can && !slices.Contains(excluded[how], text):
			excluded[how] = append(excluded[how], text)
		}
	}
	for _, how := range reasons {
		out = append(out, how+": "+list(excluded[how]))
	}
	return out
}

// relation says how two steps can interleave, and why; can reports whether they
// can at all.
func relation(st *status.Facts, a, b component.Access) (how string, can bool) {
	switch meet := st.Comp.Meet(a.Entry, b); {
	case a.Mode&flow.Initial != 0 || b.Mode&flow.Initial != 0 || a.Entry.Role == flow.Init && a.Entry.Class == st.Comp.Class || b.Entry.Role == flow.Init && b.Entry.Class == st.Comp.Class:
		return "never at once, one of them runs before the object is shared", false
	case meet == component.Ordered && b.Loc != nil && b.Loc.Root().Confined:
		return "never at once, told to belong to one thread", false
	case meet == component.Ordered && a.Entry == b.Entry && a.Entry.Sharded:
		return "never at once for one key, each instance has its own", false
	case meet == component.Ordered:
		return "never at once, both run on one thread", false
	case st.Comp.Apart(a, b):
		return "on another object", false
	case component.CommonLock(a.Node, b.Node) != nil:
		return "not at once, both hold " + component.CommonLock(a.Node, b.Node).Loc.String(), false
	case meet == component.AtAwait:
		return "can come between where there is an await", true
	}
	return "can run at the same time", true
}

// reason is what relation says.
func reason(st *status.Facts, a, b component.Access) string {
	how, _ := relation(st, a, b)
	return how
}

// changes reports whether a step changes what it is on.
func changes(n *flow.Node) bool {
	switch n.Op {
	case flow.Put, flow.Del, flow.Clear, flow.Rebind, flow.PutAll, flow.DelAll, flow.SetFlag:
		return true
	}
	return n.Op == flow.Read && n.Mode&flow.Upsert != 0
}

func verb(n *flow.Node) string {
	switch n.Op {
	case flow.Put, flow.PutAll:
		return "stores"
	case flow.Del, flow.DelAll:
		return "removes"
	case flow.Clear:
		return "empties"
	case flow.Rebind:
		return "replaces"
	case flow.SetFlag:
		return "sets"
	case flow.Iter, flow.Next:
		return "walks over"
	case flow.Has, flow.Size:
		return "tests"
	}
	return "reads"
}
