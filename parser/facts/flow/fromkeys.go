package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// FromKeys returns the container whose keys a step takes over, and the constant that it
// stores for each of them:
//
//	with self.lock:
//	    self.marks.update(dict.fromkeys(self.marks, ALIVE))
//
// Without a lock around both, the keys may be others by then, and ok is false.
func (g *Graph) FromKeys(id int32) (keys *Location, value *Value, ok bool) {
	n := &g.Nodes[id]
	at := g.Producer(n.Val)
	if n.Op != PutAll || at < 0 || g.Nodes[at].Val == nil {
		return nil, nil, false
	}
	made := &g.Nodes[at]
	call, isCall := made.Src.(*ast.Call)
	args := made.Val.Args
	if !isCall || call.Callee() != "fromkeys" || len(call.Args()) != 2 || len(args) != 2 || args[0].Kind != Container || args[1].Kind != Const {
		return nil, nil, false
	}
	if l := args[0].Loc; l.Outer != nil || len(args[0].Path()) > 0 || !l.Keyed() {
		return nil, nil, false
	}
	held := slices.ContainsFunc(n.Locks, func(lock *Value) bool { return slices.Contains(made.Locks, lock) })
	return args[0].Loc, args[1], held
}
