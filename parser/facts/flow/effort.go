package flow

import "sync/atomic"

// The searches of rules through a graph are many, and each can pass all of it:
// what they cost grows faster than the graph, and has no bound that a graph of
// thousands of branches keeps. So the work on each graph is counted, in steps that
// searches visit, never in time. Once it has reached a limit, searches find
// nothing any more; whoever runs them asks for [Program.Exhausted] and knows which
// answers are worth nothing.

// effort is the limit that the graphs of a program share.
type effort struct {
	limit   atomic.Int64
	over    atomic.Bool
	answers *Answers // nil for none
}

// Limit sets how much work may be spent on each graph from now on, in steps that
// searches visit, and forgets what has been spent. Nothing may be spent on the
// graphs of some entrypoints. It must not be called while something searches.
func (p *Program) Limit(steps int64, closed []*Entry) {
	p.effort.limit.Store(steps)
	p.effort.over.Store(false)
	for _, e := range p.Entries {
		e.Graph.spent.Store(0)
		e.Graph.reach.forget() // what was asked before is part of the work again
		e.Graph.lingers.forget()
		e.Graph.once.forget()
	}
	for _, e := range closed {
		e.Graph.spent.Store(steps)
	}
}

// Over reports whether a graph has reached the limit.
func (p *Program) Over() bool { return p.effort.over.Load() }

// Exhausted returns the entrypoints whose graphs have reached the limit.
func (p *Program) Exhausted() []*Entry {
	var out []*Entry
	if p.Over() {
		for _, e := range p.Entries {
			if e.Graph.exhausted() {
				out = append(out, e)
			}
		}
	}
	return out
}

// Work returns the steps that searches have visited since the last [Program.Limit].
func (g *Graph) Work() int64 { return g.spent.Load() }

// spend counts work.
func (g *Graph) spend(steps int) {
	if g.effort != nil && g.spent.Add(int64(steps)) >= g.effort.limit.Load() {
		g.effort.over.Store(true)
	}
}

// Spend counts work that others do on the graph, in steps, and reports whether there is
// no work left to spend.
func (g *Graph) Spend(steps int) bool {
	g.spend(steps)
	return g.exhausted()
}

// exhausted reports whether there is no work left to spend.
func (g *Graph) exhausted() bool {
	return g.effort != nil && g.spent.Load() >= g.effort.limit.Load()
}
