package flow

import (
	"maps"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// This file puts into the graphs what people tell about a program: functions
// that run on some thread although nothing shows who starts it, and locks that
// are held although nothing shows who takes them.

// several reports whether several instances of an entrypoint run at once, given
// whether the program starts it several times.
func (e *Entry) several(started bool) bool {
	switch e.Thread {
	case "":
		return started
	case directives.PoolThread:
		return true
	}
	return false
}

// addTaught makes entrypoints of the functions whose thread is told and which
// the program neither starts nor offers as hooks.
func (p *Program) addTaught(wanted func(*program.Class) bool) {
	known := map[*program.Func]bool{}
	for _, e := range p.Entries {
		known[e.Func] = true
	}
	for _, v := range p.nested {
		if known[v.Fn] {
			continue
		}
		var c *program.Class
		if fr := v.more().frame; fr != nil && fr.Self != nil {
			c = fr.Self.Type.Class
		}
		p.newEntry(v.Fn, c, ThreadOf, v, v.Args, nil)
	}
	for _, f := range p.Taught.Functions() {
		if known[f] || f.Class == nil || f.Outer != nil || !f.IsMethod() || !p.touchesFunc(f) {
			continue
		}
		for _, c := range p.Index.Classes {
			if c.Method(f.Name) == f && wanted(c) && p.concrete(c) {
				p.newEntry(f, c, callerRole(f), nil, nil, nil)
			}
		}
	}
	p.lowerPending()
}

// taughtLock returns the location of a lock that a comment names: an attribute,
// perhaps of an attribute, or a variable of the module. A lock that the program
// does not show has a location of its own, the same for all that name it so in
// one class.
func (p *Program) taughtLock(text string, owner *program.Class, mod *program.Module) *Location {
	parts := strings.Split(text, ".")
	if owner != nil && parts[0] == "self" {
		parts = parts[1:]
	}
	home := mod.Path
	if owner != nil {
		home += "." + owner.Qual
		c := owner
		for len(parts) > 1 && c != nil {
			c = p.Index.AttrType(c, parts[0]).Class
			parts = parts[1:]
		}
		if c != nil && len(parts) == 1 {
			if l := p.attrLocation(c, parts[0]); l != nil {
				return l
			}
		}
	}
	if len(parts) == 1 {
		if bind := mod.Scope.Own(parts[0]); bind != nil {
			if l := p.locs[mod.Path+":"+parts[0]]; l != nil {
				return l
			}
			return p.register(&Location{ID: mod.Path + ":" + parts[0], Name: parts[0], Mod: mod, Type: &program.Type{Kind: program.Lock}})
		}
	}
	id := home + " " + text
	if l := p.locs[id]; l != nil {
		return l
	}
	return p.register(&Location{ID: id, Name: strings.TrimPrefix(text, "self."), Owner: owner, Mod: mod, Type: &program.Type{Kind: program.Lock}})
}

// guarded adds the locks that comments tell of to the steps on what they guard.
// Nothing shows where such a lock is taken and given back, so it is taken to be
// held from one use to the next as well, unless the thread waits in between,
// begins another round of an endless loop, or visibly takes or leaves the lock.
func (g *Graph) guarded() {
	byLock := map[*Location]map[int32]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc == nil {
			continue
		}
		lock := n.Loc.Root().Guard
		if lock == nil || holdsLock(n, lock) {
			continue
		}
		if byLock[lock] == nil {
			byLock[lock] = map[int32]bool{}
		}
		byLock[lock][int32(i)] = true
	}
	locks := slices.SortedFunc(maps.Keys(byLock), func(a, b *Location) int { return strings.Compare(a.ID, b.ID) })
	for _, lock := range locks {
		uses := byLock[lock]
		held := &Value{Kind: Container, Loc: lock, Type: lock.Type, id: "@" + lock.ID}
		after := g.stretch(uses, lock, func(n *Node, visit func(int32)) {
			for _, e := range n.Succ {
				visit(e.To)
			}
		})
		before := g.stretch(uses, lock, func(n *Node, visit func(int32)) {
			for _, p := range n.Pred {
				visit(p)
			}
		})
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if uses[int32(i)] || after[i] && before[i] && !holdsLock(n, lock) {
				n.Locks = append(n.Locks[:len(n.Locks):len(n.Locks)], held)
			}
		}
	}
}

// stretch returns the steps that walks from the uses come to before the lock may
// be left.
func (g *Graph) stretch(uses map[int32]bool, lock *Location, next func(*Node, func(int32))) []bool {
	seen := make([]bool, len(g.Nodes))
	var work []int32
	for id := range uses {
		work = append(work, id)
	}
	for len(work) > 0 {
		n := &g.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		next(n, func(id int32) {
			if m := &g.Nodes[id]; !seen[id] && !m.leaves(lock) {
				seen[id] = true
				work = append(work, id)
			}
		})
	}
	return seen
}

// leaves reports whether a lock that is not seen to be taken is not held any more
// at a step.
func (n *Node) leaves(lock *Location) bool {
	switch n.Op {
	case Start, Exit, Fail, Wait, Dequeue, Sleep, Join:
		return true
	case LoopHead:
		return n.Mode&Forever != 0
	case Acquire, Release:
		return n.Lock != nil && n.Lock.Loc == lock
	}
	return false
}

func holdsLock(n *Node, lock *Location) bool {
	for _, l := range n.Locks {
		if l.Loc == lock {
			return true
		}
	}
	return false
}
