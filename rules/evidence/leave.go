package evidence

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// Leaving returns what has to be the case at a step of a walk for the walk to go on as it
// does: that it raises, or which side of a branch it takes. It reports false where the step
// leaves no choice.
func Leaving(g *flow.Graph, path *flow.Path, i int) (rule.When, bool) {
	if i >= len(path.Edges) {
		return rule.Any, false
	}
	switch e := path.Edges[i]; {
	case e.Kind == flow.Exc:
		return rule.Raises, true
	case g.Nodes[path.Nodes[i]].Op != flow.Branch:
	case e.Kind == flow.True:
		return rule.Holds, true
	case e.Kind == flow.False:
		return rule.Fails, true
	}
	return rule.Any, false
}
