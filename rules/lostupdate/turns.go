package lostupdate

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// takesTurns reports whether instances of one loop take turns at what the write does: each
// round begins it after it has waited for an event of its own, and has not yet let the
// next one go on.
func (w write) takesTurns() bool {
	for _, head := range w.g.LoopsAround(w.id) {
		waits := map[int32]bool{}
		for i := range w.g.Nodes {
			if n := &w.g.Nodes[i]; w.g.Around(head, int32(i)) && ownEvent(n, &w.g.Nodes[head]) && (n.Op == flow.Wait && n.Mode&flow.Timeout == 0 || calls(n, "wait")) {
				waits[int32(i)] = true
			}
		}
		elsewhere := func(id int32, _ *flow.Node) bool { return waits[id] || id == head }
		if len(waits) > 0 && !w.g.LeadsWithout(head, w.id, elsewhere) && !w.letGo(waits) && !w.opens(head, elsewhere) {
			return true
		}
	}
	return false
}

// opens reports whether a round sets an event before it waits, which may be its own.
func (w write) opens(head int32, elsewhere func(int32, *flow.Node) bool) bool {
	for i := range w.g.Nodes {
		if calls(&w.g.Nodes[i], "set") && w.g.LeadsWithout(head, int32(i), elsewhere) {
			return true
		}
	}
	return false
}

// letGo reports whether the next one may go on before the write, after one of some waits.
func (w write) letGo(waits map[int32]bool) bool {
	again := func(id int32, _ *flow.Node) bool { return waits[id] }
	for i := range w.g.Nodes {
		if !calls(&w.g.Nodes[i], "set") || !w.g.LeadsWithout(int32(i), w.id, again) {
			continue
		}
		for from := range waits {
			if w.g.LeadsWithout(from, int32(i), again) {
				return true
			}
		}
	}
	return false
}

// ownEvent reports whether a step calls a method of what a local variable holds that each
// round of a loop sets anew: not of what all instances share, or what stays set.
func ownEvent(n, head *flow.Node) bool {
	call, ok := n.Src.(*ast.Call)
	if !ok || n.Fn == nil {
		return false
	}
	fr, fn := n.Frame, n.Fn
	for fr != nil && fr.Caller != nil && fn.OnSelf(rootOf(call)) { // what it is called for
		if call, ok = fr.Call.(*ast.Call); !ok {
			return false
		}
		fr = fr.Caller
		fn = fr.Fn
	}
	name, ok := rootOf(call).(*ast.Name)
	if !ok || fn.OnSelf(name) || fn.Scope.Own(name.Id()) == nil {
		return false
	}
	return slices.ContainsFunc(fn.Scope.Own(name.Id()).Defs, func(d program.Def) bool {
		return d.Node != nil && ast.Encloses(head.Src, d.Node)
	})
}

// rootOf returns the object whose method, or that of one of its parts, is called.
func rootOf(call *ast.Call) ast.Expr {
	e := call.Func
	for {
		at, ok := e.(*ast.Attribute)
		if !ok {
			return e
		}
		e = at.Value
	}
}

// calls reports whether a step calls a method without arguments, itself or in the function
// that it calls.
func calls(n *flow.Node, method string) bool {
	call, ok := n.Src.(*ast.Call)
	return ok && (isCall(call, method) || n.Target != nil && bodyCalls(n.Target, method))
}

func bodyCalls(f *program.Func, method string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			found = found || ok && isCall(call, method)
			return !found
		})
	}
	return found
}

func isCall(call *ast.Call, method string) bool {
	at, ok := call.Func.(*ast.Attribute)
	return ok && at.Attr() == method && len(call.Args()) == 0 && len(call.Keywords()) == 0
}
