package evidence

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// FromMessage reports whether a value comes from outside of the entrypoint: from
// a queue or from a call of unknown code, such as the receiving of a message. The
// step that yields it must satisfy a condition.
func FromMessage(g *flow.Graph, v *flow.Value, at func(id int32) bool) bool {
	if v == nil {
		return false
	}
	if v.Kind == flow.Result {
		id := g.Producer(v)
		if id < 0 {
			return false
		}
		switch n := &g.Nodes[id]; n.Op {
		case flow.Dequeue:
			return at(id)
		case flow.Call:
			return n.Target == nil && at(id)
		}
		return false
	}
	for _, a := range v.Args {
		if FromMessage(g, a, at) {
			return true
		}
	}
	return FromMessage(g, v.Base, at)
}

// TagText returns the text of a constant string or bytes, and reports whether a
// value is one. The two kinds are the same tag: a message is decoded or not.
func TagText(v *flow.Value) (string, bool) {
	if v == nil || v.Kind != flow.Const || v.Cls != nil {
		return "", false
	}
	switch v.Lit {
	case ast.Str:
		return strings.TrimPrefix(v.ID(), `c"`), true
	case ast.Bytes:
		return strings.TrimPrefix(v.ID(), "c"+ast.Bytes.String()), true
	}
	return "", false
}
