package nodeadline

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
)

// ends returns the steps that end requests of a poller in time: in the poller
// itself, and in whatever else runs without a message.
func (c *check) ends(p *flow.Entry) []component.Access {
	var out []component.Access
	for _, e := range c.st.Comp.Entries {
		by := c.motion(e, p)
		if by == still {
			continue
		}
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if !c.concludes(n, e, p) || e != p && otherHandle(n, p) || by == ticking && !c.clock(g).decides(int32(i)) {
				continue
			}
			if by == resting && !c.reachesKey(g, n, p) {
				continue
			}
			a := component.Access{Entry: e, ID: int32(i), Node: n}
			if by == resting && c.onlyHeard(a) {
				continue
			}
			out = append(out, a)
		}
	}
	return out
}

// otherHandle reports whether a step belongs to what a method of a handle does
// whose class has a poller of its own: it ends requests of that one.
func otherHandle(n *flow.Node, p *flow.Entry) bool {
	other := func(c *program.Class) bool {
		return c != nil && p.Class != nil && c.Method(p.Func.Name) != nil && !c.IsSubclass(p.Class) && !p.Class.IsSubclass(c)
	}
	if n.Op == flow.SetFlag && other(n.On) {
		return true
	}
	for fr := n.Frame; fr != nil; fr = fr.Caller {
		if fr.Self != nil && other(fr.Self.Type.Class) {
			return true
		}
	}
	return false
}

// motion is what makes an entrypoint run again.
type motion uint8

const (
	still   motion = iota // a message, or work
	ticking               // the scheduler's loop: the clock has to be tested
	resting               // a pause: it is a matter of rounds
	timed                 // a timer that was set for it
)

// motion tells what makes an entrypoint run for requests of a poller.
func (c *check) motion(e, p *flow.Entry) motion {
	switch {
	case e == p:
		return ticking
	case setByTimer(e):
		return timed
	case ownThread(e):
		if rests(e.Graph) && !takesWork(e.Graph) {
			return resting
		}
		return still
	case e.Role == flow.Init || foreign(e, p):
		return still
	case slices.Contains(c.st.Pollers, e) || slices.Contains(c.st.Drainers, e) || len(e.Func.Params) <= 1:
		return ticking
	}
	return still
}

// foreign reports whether a hook does nothing for requests of a poller: it is
// the same method of another class of handles, or the check that these call and
// the poller does not.
func foreign(e, p *flow.Entry) bool {
	if e.Class == nil || p.Class == nil {
		return false
	}
	if e.Class != p.Class && e.Func.Name == p.Func.Name {
		return true
	}
	for _, s := range siblingChecks(p) {
		if methodOfSelf(s.stmt, s.fn) == e.Func.Name {
			return true
		}
	}
	return false
}

// setByTimer reports whether a timer starts an entrypoint.
func setByTimer(e *flow.Entry) bool {
	for _, s := range e.Spawns {
		call, ok := s.Src.(*ast.Call)
		if !ok {
			continue
		}
		switch call.Callee() {
		case "call_later", "call_at", "Timer":
			return true
		}
	}
	return e.Role == flow.Callback && startedLate(e)
}

// startedLate reports whether an entrypoint is the function of a Timer object,
// which another statement starts.
func startedLate(e *flow.Entry) bool {
	for _, s := range e.Spawns {
		if call, ok := s.Src.(*ast.Call); ok && call.Callee() == "start" {
			return true
		}
	}
	return false
}

// rests reports whether a thread pauses for a time between its rounds.
func rests(g *flow.Graph) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Sleep:
			return true
		case flow.Wait:
			if n.Mode&flow.Timeout != 0 {
				return true
			}
		case flow.Call:
			call, ok := n.Src.(*ast.Call)
			if ok && (n.Name == "sleep" || limited(call)) && len(g.LoopsAround(int32(i))) > 0 {
				return true
			}
		}
	}
	return false
}

// takesWork reports whether a thread takes what it works on from a queue.
func takesWork(g *flow.Graph) bool {
	for i := range g.Nodes {
		if g.Nodes[i].Op == flow.Dequeue {
			return true
		}
	}
	return false
}

// limited reports whether a call that receives something is given a limit.
func limited(call *ast.Call) bool {
	name := call.Callee()
	if !strings.HasPrefix(name, "get") && !strings.HasPrefix(name, "recv") && !strings.HasPrefix(name, "poll") && !strings.HasPrefix(name, "wait") {
		return false
	}
	for _, k := range call.Keywords() {
		if strings.Contains(k.Arg(), "timeout") {
			return true
		}
	}
	return false
}

// concludes reports whether a step of an entrypoint ends a request, or makes the
// answer of a poller terminal.
func (c *check) concludes(n *flow.Node, e, p *flow.Entry) bool {
	switch n.Op {
	case flow.Put:
		return c.st.MayConclude(n) || n.Mode&flow.Initial == 0 && n.Key != nil && !c.pending(n.Val) && looksIn(p.Graph, n.Loc)
	case flow.SetFlag:
		return n.Mode&flow.Initial == 0 && n.Val != nil && !n.Val.IsNone() &&
			(c.st.IsFlag(n.Loc) || c.st.MayBeTerminal(n.Val) || e != p && n.Val.Kind == flow.Const && c.answersBy(p, n.Loc))
	case flow.Call: // what is old is put with what has finished
		return slices.Contains(c.st.Drainers, e) && (n.Name == "add" || n.Name == "append" || n.Name == "update")
	case flow.Return, flow.Move:
		return e == p && n.Val.Kind == flow.Const && c.st.Terminal(n.Val)
	}
	return false
}

// pending reports whether a value is a status that is not terminal, for sure.
func (c *check) pending(v *flow.Value) bool {
	for _, s := range c.st.Values {
		if v != nil && s.ID == v.ID() && s.Score < 0 {
			return true
		}
	}
	return false
}

// looksIn reports whether a poller takes something from a container, or asks
// for its key there.
func looksIn(g *flow.Graph, l *flow.Location) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc == l && (n.Op == flow.Has || n.Op == flow.Del && n.Res != nil && n.Mode&flow.AnyKey == 0) {
			return true
		}
	}
	return false
}

// reachesKey reports whether a step of a thread that runs by itself can concern
// requests of a poller: it does not when the key is that of a message, or comes
// from a container that only objects of other classes fill.
func (c *check) reachesKey(g *flow.Graph, n *flow.Node, p *flow.Entry) bool {
	if n.Key == nil {
		return true
	}
	l, message := origin(g, n.Key)
	if message {
		return false
	}
	if l == nil || p.Class == nil || p.Class == c.st.Comp.Class {
		return true
	}
	filled := false
	for _, e := range c.st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Put || n.Mode&flow.Initial != 0 || n.Key == nil || n.Loc.Root() != l {
				continue
			}
			filled = true
			if e.Class == nil || e.Class == p.Class || e.Class == c.st.Comp.Class {
				return true
			}
		}
	}
	return !filled
}

// origin returns the container that a key was taken from by a loop, or nil, and
// whether the key is part of something that was received.
func origin(g *flow.Graph, v *flow.Value) (l *flow.Location, message bool) {
	for hops := 0; v != nil && hops < 8; hops++ {
		switch {
		case v.Kind == flow.Container:
			return v.Loc.Root(), false
		case v.Kind == flow.Result && v.Loc != nil:
			return v.Loc.Root(), false
		case v.Kind == flow.Result:
			at := g.Producer(v)
			return nil, at >= 0 && (g.Nodes[at].Op == flow.Dequeue || g.Nodes[at].Op == flow.Call || g.Nodes[at].Op == flow.Await)
		case v.Base == nil && len(v.Args) > 0:
			v = v.Args[0]
		default:
			v = v.Base
		}
	}
	return nil, false
}

// influence knows which branches of a graph depend on something: the time, or
// what is kept somewhere.
type influence struct {
	g        *flow.Graph
	source   func(*flow.Node) bool // yields it
	values   map[string]bool       // registers that depend on it
	branches map[int32]bool
}

// clock returns the influence of the time.
func (c *check) clock(g *flow.Graph) *influence {
	if k := c.clocks[g]; k != nil {
		return k
	}
	k := influenceOf(g, func(n *flow.Node) bool {
		return n.Op == flow.Clock || n.Op == flow.Call && deadlineName(n.Name)
	})
	c.clocks[g] = k
	return k
}

func influenceOf(g *flow.Graph, source func(*flow.Node) bool) *influence {
	k := &influence{g: g, source: source, values: map[string]bool{}, branches: map[int32]bool{}}
	for changed := true; changed; {
		changed = false
		for i := range g.Nodes {
			changed = k.visit(int32(i)) || changed
		}
	}
	return k
}

// answersBy reports whether a poller concludes because of what another
// entrypoint keeps in a field.
func (c *check) answersBy(p *flow.Entry, l *flow.Location) bool {
	g := p.Graph
	k := influenceOf(g, func(n *flow.Node) bool { return n.Op == flow.GetFlag && n.Loc == l })
	if len(k.branches) == 0 {
		return false
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		ends := n.Op == flow.Return && c.st.MayBeTerminal(n.Val) || n.Op == flow.SetFlag && c.st.IsConclusion(n.Loc)
		if ends && k.decides(int32(i)) {
			return true
		}
	}
	return false
}

// onlyHeard reports whether a step is only taken for requests of which a message
// has come: it asks for the entry of the request in a container that nothing but
// messages fill.
func (c *check) onlyHeard(a component.Access) bool {
	asked := map[*flow.Location]bool{}
	for _, g := range a.Entry.Graph.Guards() {
		l := a.Entry.Graph.Nodes[g.Read].Loc.Root()
		if !g.Holds || asked[l] {
			continue
		}
		asked[l] = true
		if c.filledByMessages(l) && evidence.Requires(a, l) {
			return true
		}
	}
	return false
}

// filledByMessages reports whether only what a message tells puts something into
// a container.
func (c *check) filledByMessages(l *flow.Location) bool {
	filled := false
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Mode&flow.Initial != 0 || a.Key == nil || a.Op != flow.Put && (a.Op != flow.Read || a.Mode&flow.Upsert == 0) {
			continue
		}
		if _, message := origin(a.Entry.Graph, a.Key); message {
			filled = true
		} else if !evidence.Requires(a, l) {
			return false
		}
	}
	return filled
}

// visit takes one step into account and reports whether that is news.
func (k *influence) visit(id int32) bool {
	n := &k.g.Nodes[id]
	mark := func(v *flow.Value) bool {
		if v == nil || k.values[v.ID()] {
			return false
		}
		k.values[v.ID()] = true
		return true
	}
	if k.source(n) {
		return mark(n.Res)
	}
	switch n.Op {
	case flow.Branch:
		if !k.branches[id] && (k.mentions(n.Val) || k.mentions(n.Want)) {
			k.branches[id] = true
			return true
		}
	case flow.Move:
		if k.mentions(n.Val) || n.Val.Kind == flow.Const && k.follows(id) {
			return mark(n.Res)
		}
	}
	return false
}

// follows reports whether a step comes directly after a branch that depends on it.
func (k *influence) follows(id int32) bool {
	for _, p := range k.g.Nodes[id].Pred {
		if k.branches[p] {
			return true
		}
	}
	return false
}

func (k *influence) mentions(v *flow.Value) bool {
	if v == nil {
		return false
	}
	if k.values[v.ID()] {
		return true
	}
	for _, a := range v.Args {
		if k.mentions(a) {
			return true
		}
	}
	return v.Kind == flow.Phi && v.Base != nil && k.mentions(v.Base)
}

// decides reports whether a branch that depends on it decides about a step.
func (k *influence) decides(at int32) bool {
	for b := range k.branches {
		n := &k.g.Nodes[b]
		back := map[int32]bool{b: true}
		for _, h := range k.g.LoopsAround(b) {
			back[h] = true
		}
		onward := func(_ *flow.Node, e flow.Edge) bool { return !back[e.To] }
		if len(n.Succ) != 2 {
			continue
		}
		first, second := n.Succ[0].To, n.Succ[1].To
		x, y := evidence.Reaches(k.g, first, at, onward), evidence.Reaches(k.g, second, at, onward)
		if x != y || x && k.partOfOne(n, first, second) {
			return true
		}
	}
	return false
}

// partOfOne reports whether a branch is one of several tests of one condition.
func (k *influence) partOfOne(n *flow.Node, first, second int32) bool {
	for _, to := range []int32{first, second} {
		if m := &k.g.Nodes[to]; m.Op == flow.Branch && m.Stmt == n.Stmt {
			return true
		}
	}
	return false
}

// deadlineName reports whether the name of a function says that it looks at the
// time.
func deadlineName(name string) bool {
	name = strings.ToLower(name)
	for _, w := range []string{"expir", "timeout", "timed_out", "deadline", "overdue", "elapsed"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
