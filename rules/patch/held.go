package patch

import "github.com/kvrace/kvrace/parser/ast"

// LeftHeld counts the jumps of a module that leave a block between the call that acquires a
// lock and the one that releases it, both statements of the block, without a release before
// them in their own block: whoever comes next waits for ever. What a try statement releases
// in its finally clause is released whatever happens.
//
// An edit that adds such a jump, as a continue for an item that is left out, is wrong whatever
// an analysis finds, which takes a lock for held up to the release in the source.
func LeftHeld(m *ast.Module) int {
	h := held{m: m}
	h.block(m.Body)
	return h.left
}

type held struct {
	m    *ast.Module
	left int
}

func (h *held) block(block []ast.Stmt) {
	for i, st := range block {
		if lock := h.called(st, "acquire"); lock != "" {
			h.section(block[i+1:], lock)
		}
		switch st := st.(type) {
		case *ast.FunctionDef:
			h.block(st.Body)
		case *ast.ClassDef:
			h.block(st.Body)
		default:
			for _, inner := range ast.Blocks(st) {
				h.block(inner)
			}
		}
	}
}

// section counts the jumps in what follows the call that acquires a lock, up to its release;
// none if there is no release.
func (h *held) section(block []ast.Stmt, lock string) {
	for i, st := range block {
		try, ok := st.(*ast.Try)
		if h.called(st, "release") == lock || ok && h.releases(try.Finalbody, lock) {
			h.jumps(block[:i], lock, false)
			return
		}
	}
}

// releases reports whether some statements release a lock, in whatever way.
func (h *held) releases(block []ast.Stmt, lock string) bool {
	found := false
	for _, st := range block {
		ast.Inspect(st, func(n ast.Node) bool {
			if s, ok := n.(ast.Stmt); ok && h.called(s, "release") == lock {
				found = true
			}
			return !found
		})
	}
	return found
}

// jumps counts the jumps out of statements that do not come after a release of the same
// block, as the one of a lock that was acquired last. A break or continue in a loop among
// the statements stays.
func (h *held) jumps(block []ast.Stmt, lock string, inLoop bool) {
	released := false
	for _, st := range block {
		switch lock {
		case h.called(st, "release"):
			released = true
		case h.called(st, "acquire"):
			released = false
		}
		switch st := st.(type) {
		case *ast.Return, *ast.Break, *ast.Continue:
			_, out := st.(*ast.Return)
			if (out || !inLoop) && !released {
				h.left++
			}
			continue
		case *ast.FunctionDef, *ast.ClassDef:
			continue
		case *ast.Try:
			if h.releases(st.Finalbody, lock) {
				continue
			}
		}
		_, isFor := st.(*ast.For)
		_, isWhile := st.(*ast.While)
		for i, inner := range ast.Blocks(st) {
			h.jumps(inner, lock, inLoop || (isFor || isWhile) && i == 0) // the else is no part of the loop
		}
	}
}

// called returns the text of the object whose method of that name a statement calls, or "".
func (h *held) called(st ast.Stmt, method string) string {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	value := x.Value
	if aw, ok := value.(*ast.Await); ok {
		value = aw.Value
	}
	call, ok := value.(*ast.Call)
	if !ok {
		return ""
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok || at.Attr() != method {
		return ""
	}
	return string(h.m.Text(at.Value))
}
