package counterimbalance

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A counter is a container with a number for each request that goes up and down.
type counter struct {
	loc       *flow.Location
	ups, down []component.Access
}

// countersOf returns the counters of a component, in the order of its groups.
func countersOf(comp *component.Component) []counter {
	var out []counter
	for _, g := range comp.Groups {
		for _, l := range g.Locs {
			switch l.Type.Kind {
			case program.Dict, program.DefaultDict, program.Counter:
			default:
				continue
			}
			c := counter{loc: l}
			for _, a := range comp.Accesses(l) {
				switch step(a.Node) {
				case up:
					c.ups = append(c.ups, a)
				case down:
					c.down = append(c.down, a)
				}
			}
			if len(c.ups) > 0 && len(c.down) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// direction is what a step does to a number.
type direction uint8

const (
	none direction = iota
	up
	down
)

// step returns the direction in which a step changes the number of a key: d[k] +=
// n, or d[k] = d[k] + n in any of its spellings.
func step(n *flow.Node) direction {
	if n.Op != flow.Put || n.Key == nil || n.Key.Kind == flow.Const {
		return none
	}
	if n.Mode&flow.Counting != 0 {
		if n.Mode&flow.Down != 0 {
			return down
		}
		return up
	}
	v := n.Val
	if v == nil || v.Kind != flow.Derived || len(v.Args) != 2 || v.Args[0].Kind != flow.Result || v.Args[0].Loc != n.Loc {
		return none
	}
	switch v.Name {
	case ast.Add.String():
		return up
	case ast.Sub.String():
		return down
	}
	return none
}

// downEntries returns the entrypoints that count down, each once.
func (c counter) downEntries() []*flow.Entry {
	var out []*flow.Entry
	seen := map[*flow.Entry]bool{}
	for _, a := range c.down {
		if !seen[a.Entry] {
			seen[a.Entry] = true
			out = append(out, a.Entry)
		}
	}
	return out
}
