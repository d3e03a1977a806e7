package evidence

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// A Check is a step after which the entry that an access needs is there: a
// membership test, a read that succeeded, an insert, or a loop that took the
// key from the container.
type Check struct {
	ID int32
	// At is the step after which the entry is known to be there, on the side
	// that begins at From.
	At, From int32
	Kind     CheckKind
}

// CheckKind is the sort of a check.
type CheckKind uint8

// The kinds of checks.
const (
	Tested CheckKind = iota
	WasRead
	Inserted
	Iterated
	// Companion marks a test of another container of the key group.
	Companion
)

var checkNames = [...]string{"tested", "read", "inserted", "iterated", "companion"}

func (k CheckKind) String() string { return checkNames[k] }

// An entry is what steps of one graph are about, see [SameEntry].
type entry struct {
	loc *flow.Location
	key string // its ID, and those of the way there
}

// entryOf returns the entry that a step is about, that of no key for a step on all.
func entryOf(n *flow.Node) entry {
	var key strings.Builder
	if n.Key != nil {
		key.WriteString(n.Key.ID())
	}
	for _, k := range n.Path {
		key.WriteString("\x00" + k.ID())
	}
	return entry{n.Loc, key.String()}
}

// A record is what the steps of a graph do with one entry.
type record struct {
	checks  []Check
	present sides   // of the checks
	removes []int32 // the steps that remove it
}

// recordOf returns the record of the entry of an access, which needs a key.
func recordOf(a component.Access) *record {
	return flow.Once(a.Entry.Graph, entryOf(a.Node), func() *record { return newRecord(a.Entry.Graph, a.Node) })
}

// Checks returns the steps of the graph of an access that establish its entry,
// in the order of the graph. The list is shared.
func Checks(a component.Access) []Check {
	if a.Key == nil {
		return nil
	}
	checks := recordOf(a).checks
	own := func(ck Check) bool { return ck.At == a.ID }
	if slices.ContainsFunc(checks, own) {
		checks = slices.DeleteFunc(slices.Clone(checks), own)
	}
	return slices.Clip(checks)
}

// newRecord looks for what the steps of a graph do with the entry of one of them.
func newRecord(g *flow.Graph, of *flow.Node) *record {
	out := &record{present: sides{}}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		id := int32(i)
		switch {
		case n.Op == flow.Del && SameEntry(n, of):
			out.removes = append(out.removes, id)
		case n.Op == flow.Put && SameEntry(n, of), n.Op == flow.Read && n.Mode&flow.Upsert != 0 && SameEntry(n, of):
			out.checks = append(out.checks, leaving(n, id, Inserted, flow.Normal)...)
		case n.Op == flow.Read && n.Mode&flow.Strict != 0 && SameEntry(n, of):
			out.checks = append(out.checks, leaving(n, id, WasRead, flow.Normal)...)
		case (n.Op == flow.LoopHead || n.Op == flow.Next) && takes(n, of):
			from := id
			if n.Op == flow.LoopHead {
				from = snapshotBefore(g, id, of.Loc)
			}
			for _, c := range leaving(n, id, Iterated, flow.True) {
				c.ID = from // the copy is as old as that
				out.checks = append(out.checks, c)
			}
		case n.Op == flow.Branch:
			for _, gd := range g.GuardsAt(id) {
				if gd.Holds && SameEntry(&g.Nodes[gd.Read], of) {
					out.checks = append(out.checks, Check{ID: gd.Read, At: id, From: gd.Edge.To, Kind: Tested})
				}
			}
		}
	}
	for _, ck := range out.checks {
		out.present.add(g, ck)
	}
	return out
}

func leaving(n *flow.Node, id int32, kind CheckKind, edge flow.EdgeKind) []Check {
	var out []Check
	for _, e := range n.Succ {
		if e.Kind == edge {
			out = append(out, Check{ID: id, At: id, From: e.To, Kind: kind})
		}
	}
	return out
}

// takes reports whether a loop takes the key of an access from its container.
func takes(head, a *flow.Node) bool {
	if head.Val == nil || a.Key == nil || a.Key.Kind != flow.Element || a.Key.Loc != a.Loc {
		return false
	}
	return ComesFrom(a.Key, head.Val)
}

// TakenFrom returns the container from which a loop takes a key, and the step that
// copies the container before, or the head of the loop; nil when there is none.
func TakenFrom(g *flow.Graph, head int32, key *flow.Value) (*flow.Location, int32) {
	n := &g.Nodes[head]
	if n.Val == nil || key == nil || key.Kind != flow.Element || key.Loc == nil || !ComesFrom(key, n.Val) {
		return nil, 0
	}
	if n.Op == flow.Next {
		return key.Loc, head
	}
	return key.Loc, snapshotBefore(g, head, key.Loc)
}

// snapshotBefore returns the copy of a container that a loop walks over: the
// last one before its head; the head itself when there is none.
func snapshotBefore(g *flow.Graph, head int32, l *flow.Location) int32 {
	for i := head - 1; i > 0; i-- {
		if n := &g.Nodes[i]; n.Op == flow.Iter && n.Loc == l {
			return i
		}
	}
	return head
}

// SameEntry reports whether two steps of one graph concern one entry of one
// container.
func SameEntry(a, b *flow.Node) bool {
	if a.Loc != b.Loc || a.Key == nil || !a.Key.Same(b.Key) || len(a.Path) != len(b.Path) {
		return false
	}
	for i, k := range a.Path {
		if !k.Same(b.Path[i]) {
			return false
		}
	}
	return true
}

// SamePath reports whether two steps of one graph touch the same container.
func SamePath(a, b *flow.Node) bool {
	if a.Loc != b.Loc || len(a.Path) != len(b.Path) {
		return false
	}
	for i, k := range a.Path {
		if !k.Same(b.Path[i]) {
			return false
		}
	}
	return true
}

// companions returns the tests that find the key of an access in another
// container of its group.
func companions(c *component.Component, a component.Access) []Check {
	g, group := a.Entry.Graph, c.Group(a.Loc)
	key := component.RootKey(a.Node)
	if group == nil || key == nil || len(a.Path) > 0 {
		return nil
	}
	var out []Check
	for _, gd := range g.Guards() {
		if g.Nodes[gd.ID].Op != flow.Branch || !gd.Holds {
			continue
		}
		r := &g.Nodes[gd.Read]
		if r.Loc != a.Loc && len(r.Path) == 0 && r.Key.Same(key) && group.Has(r.Loc) {
			out = append(out, Check{ID: gd.Read, At: gd.ID, From: gd.Edge.To, Kind: Companion})
		}
	}
	return out
}

// Removers returns the steps of a component that can make the entry of an access
// disappear, those that speak for themselves first. What closes the whole object does not
// count. The list is shared.
func Removers(c *component.Component, a component.Access) []component.Access {
	type removing struct {
		comp *component.Component
		of   entry
	}
	return flow.Once(a.Entry.Graph, removing{c, entryOf(a.Node)}, func() []component.Access {
		var out []component.Access
		for _, r := range c.Accesses(a.Loc) {
			if Removes(r.Node) && MayBeSameKey(r.Node, a.Node) && !ClosesObject(r) {
				out = append(out, r)
			}
		}
		byLine(out)
		slices.SortStableFunc(out, func(a, b component.Access) int { return Distance(a) - Distance(b) })
		return slices.Clip(out)
	})
}

// Distance tells how far a removal is from its entrypoint, in calls; one of a
// single entry is nearer than one of all.
func Distance(r component.Access) int {
	d := 0
	if r.Key == nil {
		d = 100
	}
	for fr := r.Frame; fr != nil; fr = fr.Caller {
		d++
	}
	return d
}

// Closes reports whether an entrypoint empties several containers as a whole,
// as a hook does that closes the object.
func Closes(e *flow.Entry) bool {
	var first *flow.Location
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op != flow.Clear || len(n.Path) > 0 {
			continue
		}
		if first != nil && first != n.Loc {
			return true
		}
		first = n.Loc
	}
	return false
}

// ClosesObject reports whether a step belongs to an entrypoint that empties
// several containers to close the object.
func ClosesObject(a component.Access) bool { return a.Op == flow.Clear && Closes(a.Entry) }

// Established reports whether every walk to an access within its iteration has
// found or stored the entry before.
func Established(a component.Access) bool {
	return len(a.Path) == 0 && a.Key != nil && !unproven(a, Checks(a))
}

// Unchecked reports whether a walk of the iteration leads to an access without a
// check of its entry, be it of another container of the key group.
func Unchecked(c *component.Component, a component.Access) bool {
	return unproven(a, append(Checks(a), companions(c, a)...))
}

// unproven reports whether a walk of the iteration leads to an access past all
// of some checks.
func unproven(a component.Access, checks []Check) bool {
	g := a.Entry.Graph
	checked := sides{}
	for _, ck := range checks {
		checked.add(g, ck)
	}
	s := IterationAround(g, a.ID, component.RootKey(a.Node)).search()
	s.Blind, s.Edge = true, checked.notTaken
	s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID }
	if g.Find(s) == nil {
		return false // cheap, and true of most
	}
	s.Blind = false
	return g.Find(s) != nil
}

// Removes reports whether a step can take an entry out of its container.
func Removes(n *flow.Node) bool {
	switch n.Op {
	case flow.Del, flow.Clear, flow.DelAll:
		return true
	case flow.Rebind:
		return n.Mode&flow.Initial == 0 && (n.Mode&flow.Filter != 0 || storesNothing(n))
	}
	return false
}

// storesNothing reports whether a Rebind stores an empty container.
func storesNothing(n *flow.Node) bool {
	st, ok := n.Stmt.(*ast.Assign)
	if !ok {
		return false
	}
	switch v := st.Value.(type) {
	case *ast.Dict:
		return len(v.Keys) == 0
	case *ast.List:
		return len(v.Elts) == 0
	case *ast.Call:
		return len(v.Args()) == 0 && len(v.Keywords()) == 0 && n.Val != nil && n.Val.Type.Kind.Keyed()
	}
	return false
}

// takenFrom returns the container out of which an entrypoint took a key itself,
// so that no other one has it; nil when the key is known to others.
func takenFrom(g *flow.Graph, key *flow.Value) *flow.Location {
	for key != nil {
		switch key.Kind {
		case flow.Result:
			at := g.Producer(key)
			if at < 0 || g.Nodes[at].Op != flow.Del {
				return nil
			}
			return g.Nodes[at].Loc
		case flow.Attribute:
			key = key.Base
		case flow.Derived:
			if len(key.Args) == 0 {
				return nil
			}
			key = key.Args[0]
		case flow.Phi:
			return takenOnAll(g, key)
		default:
			return nil
		}
	}
	return nil
}

// takenOnAll is takenFrom for a value with several alternatives, leaving None
// aside.
func takenOnAll(g *flow.Graph, key *flow.Value) *flow.Location {
	var from *flow.Location
	for _, leaf := range key.Leaves() {
		if leaf.IsNone() {
			continue
		}
		if from = takenFrom(g, leaf); from == nil {
			return nil
		}
	}
	return from
}

// removesOwn reports whether a removal only takes out what its entrypoint has
// put in: every walk to it passes an insert of the entry.
func removesOwn(r component.Access) bool {
	if r.Key == nil || r.Op != flow.Del {
		return false
	}
	type removal int32 // a step
	return flow.Once(r.Entry.Graph, removal(r.ID), func() bool { return findsOwn(r) })
}

func findsOwn(r component.Access) bool {
	g := r.Entry.Graph
	puts := func(_ int32, n *flow.Node) bool { return n.Op == flow.Put && SameEntry(n, r.Node) }
	found := false
	for i := range g.Nodes {
		found = found || puts(int32(i), &g.Nodes[i])
	}
	return found && g.Find(flow.Search{
		Avoid: puts, Edge: flow.AllEdges, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == r.ID },
	}) == nil
}

// MayBeSameKey reports whether the keys of two steps on one location can be
// equal: they are no different constants.
func MayBeSameKey(a, b *flow.Node) bool {
	differ := func(x, y *flow.Value) bool {
		return x != nil && y != nil && x.Kind == flow.Const && y.Kind == flow.Const && x.ID() != y.ID()
	}
	for i := range a.Path {
		if i < len(b.Path) && differ(a.Path[i], b.Path[i]) {
			return false
		}
	}
	return !differ(a.Key, b.Key)
}

// A Lapse is a strict access whose entry can be gone, although the entrypoint
// has reason to take it for present.
type Lapse struct {
	Access component.Access
	Check  Check
	// Rival is the removal by another thread that comes after the check; nil
	// when the entrypoint itself removes the entry, at Own.
	Rival *component.Rival
	Own   int32
}

// LapseOf returns the lapse of a strict access, or nil when every check before
// it holds until it, or there is none.
func LapseOf(c *component.Component, a component.Access) *Lapse {
	g := a.Entry.Graph
	it := IterationAround(g, a.ID, component.RootKey(a.Node))
	if own := it.removedBefore(a); own != 0 {
		return &Lapse{Access: a, Own: own}
	}
	removers := Removers(c, a)
	if len(removers) == 0 || takenFrom(g, a.Key) != nil {
		return nil
	}
	checks := Checks(a)
	if len(checks) == 0 {
		checks = companions(c, a)
	}
	var open []Lapse
	safe := sides{}
	all := c.Rivals(a.Entry, a.ID, removers)
	some := map[bool]*component.Rivals{} // after an insert, and after something else
	for _, ck := range checks {
		r := all.After(ck.ID, ck.From)
		if r != nil {
			inserted := ck.Kind == Inserted
			if some[inserted] == nil {
				some[inserted] = c.Rivals(a.Entry, a.ID, rivalsOf(c, a, inserted))
			}
			r = some[inserted].After(ck.ID, ck.From)
		}
		if r != nil {
			if !relates(g, ck, a) {
				continue
			}
			open = append(open, Lapse{Access: a, Check: ck, Rival: r})
		} else {
			safe.add(g, ck)
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		if l := open[i]; it.arrives(l.Check.From, a, safe) {
			return &l
		}
	}
	return nil
}

// relates reports whether one can read from the source that an access rests on
// a check: one of them is in code around the other, or the check is a test.
func relates(g *flow.Graph, ck Check, a component.Access) bool {
	c := &g.Nodes[ck.ID]
	return ck.Kind == Tested && c.Fn != a.Fn || around(c.Frame, a.Frame) || ck.Kind != Companion && around(a.Frame, c.Frame)
}

// around reports whether a call is, or leads to, another one.
func around(outer, inner *flow.Frame) bool {
	for fr := inner; fr != nil; fr = fr.Caller {
		if fr == outer {
			return true
		}
	}
	return false
}

// rivalsOf returns those of the removers of the entry of an access that can hit it after
// a check. One that takes out only what its own entrypoint has put in leaves alone what
// an insert has put in; one whose key its entrypoint has taken from a container for itself
// leaves alone what this one knows from elsewhere.
func rivalsOf(c *component.Component, a component.Access, inserted bool) []component.Access {
	type hitting struct {
		comp     *component.Component
		of       entry
		inserted bool
	}
	return flow.Once(a.Entry.Graph, hitting{c, entryOf(a.Node), inserted}, func() []component.Access {
		var out []component.Access
		for _, r := range Removers(c, a) {
			if inserted && removesOwn(r) {
				continue
			}
			if from := takenFrom(r.Entry.Graph, r.Key); from != nil && !mentions(a.Key, from) {
				continue
			}
			out = append(out, r)
		}
		return out
	})
}

// mentions reports whether a value was computed from what was in a container.
func mentions(v *flow.Value, l *flow.Location) bool {
	if v == nil {
		return false
	}
	if v.Loc == l {
		return true
	}
	for _, x := range v.Args {
		if mentions(x, l) {
			return true
		}
	}
	return v.Kind != flow.Result && mentions(v.Base, l)
}

// removedBefore returns a step of the iteration that removes the entry of an
// access before it, with no insert in between; zero when there is none.
func (it Iteration) removedBefore(a component.Access) int32 {
	if a.Key == nil {
		return 0
	}
	var open *opening
	for _, id := range recordOf(a).removes {
		if id == a.ID {
			continue
		}
		if open == nil {
			open = it.opening(a)
		}
		for _, e := range it.g.Nodes[id].Succ {
			if e.Kind == flow.Normal && it.leads(id, e.To, open) {
				return id
			}
		}
	}
	return 0
}

// An opening is what is known of the walks to an access on which its entry is neither
// found nor stored.
type opening struct {
	rest flow.Search // for such a walk, from anywhere
	from []bool      // the steps from which one may lead
}

func (it Iteration) opening(a component.Access) *opening {
	o := &opening{rest: flow.Search{
		Edge: recordOf(a).present.notTaken, To: []int32{a.ID}, // a walk ends at the access, whatever that establishes
		Avoid: func(id int32, n *flow.Node) bool {
			return it.Ends(id) || n.Op == flow.LoopHead || n.Op == flow.Next || id != a.ID && n.Op == flow.Del && SameEntry(n, a.Node)
		},
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID },
	}}
	o.from = it.g.LeadingTo(o.rest)
	return o
}

// leads reports whether a walk within the iteration leads from a removal to an
// access without finding or storing its entry again, as on certain sides.
func (it Iteration) leads(del, from int32, o *opening) bool {
	if !o.from[from] || o.rest.Avoid(from, &it.g.Nodes[from]) {
		return false
	}
	begin := it.search()
	begin.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == del }
	before := it.g.Find(begin)
	if before == nil {
		return false
	}
	rest := o.rest
	rest.From, rest.Begin = []int32{from}, before.Facts
	return it.g.Find(rest) != nil
}

// arrives reports whether a walk within the iteration leads from a step to an
// access without removing its entry and without taking certain sides.
func (it Iteration) arrives(from int32, a component.Access, barred sides) bool {
	removes := func(id int32, n *flow.Node) bool {
		return id != a.ID && n.Op == flow.Del && SameEntry(n, a.Node)
	}
	if it.Ends(from) || removes(from, &it.g.Nodes[from]) {
		return false
	}
	return it.g.Find(flow.Search{
		From: []int32{from}, Stop: it.Ends, Edge: barred.notTaken, Avoid: removes,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID },
	}) != nil
}

// sides are ways out of steps.
type sides map[side]bool

type side struct {
	at *flow.Node
	to int32
}

func (s sides) add(g *flow.Graph, ck Check) { s[side{&g.Nodes[ck.At], ck.From}] = true }

// notTaken allows the edges that are known to be taken, but for the sides.
func (s sides) notTaken(n *flow.Node, e flow.Edge) bool {
	return flow.KnownEdges(n, e) && !s[side{n, e.To}]
}

// Escapes reports whether the exception of a step leaves the entrypoint, itself
// or as what a handler raises in its place.
func Escapes(g *flow.Graph, id int32) bool {
	return leaves(g, id, func(n *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc || n.Op == flow.Raise })
}

// Unhandled reports whether no handler takes the exception of a step.
func Unhandled(g *flow.Graph, id int32) bool {
	return leaves(g, id, func(_ *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc })
}

func leaves(g *flow.Graph, id int32, edge func(*flow.Node, flow.Edge) bool) bool {
	for _, e := range g.Nodes[id].Succ {
		if e.Kind != flow.Exc {
			continue
		}
		if e.To == flow.FailNode || g.Find(flow.Search{
			From: []int32{e.To}, Blind: true, Edge: edge,
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.FailNode },
			Stop: func(id int32) bool { return g.Nodes[id].Op == flow.LoopHead || g.Nodes[id].Op == flow.Next },
		}) != nil {
			return true
		}
	}
	return false
}

// StandsAlone reports whether a removal is a statement of its own, whose result nobody uses.
func StandsAlone(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case *ast.Delete:
		return len(st.Targets) == 1
	case *ast.ExprStmt:
		return st.Value == n.Src
	}
	return false
}
