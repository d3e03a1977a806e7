package threaddeath

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// An iteration owes what it has begun and not ended yet: a lock or a slot of a semaphore
// that it has acquired by hand, a count that it has raised, an event that it has cleared,
// something that it has allocated, an item that the queue counts until it is told that the
// item is done. Whoever goes on after an exception has to pay that back, or the next ones
// wait for ever.

// debt is one thing that an iteration owes.
type debt struct {
	open ast.Stmt // the statement that begins it
	key  string   // the text of what pays it back
	pay  []string // the same as lines
	what owed
}

// owed tells what a debt is about.
type owed uint8

const (
	held      owed = iota // a lock or a slot
	counted               // a number that goes up and down
	cleared               // an event
	allocated             // what a call yields
	taken                 // an item of a queue that counts them
)

// opens returns what a statement begins that has to be paid back. The text of what a
// block does, in which it stands, tells whether somebody does that.
func (t *thread) opens(n *flow.Node, block []ast.Stmt, st ast.Stmt) (debt, bool) {
	said := t.said(n, block)
	d, known := said.opened[st]
	if !known {
		d = t.opensAnew(n, said, st)
		if said.opened != nil {
			said.opened[st] = d
		}
	}
	return d, d.open != nil
}

func (t *thread) opensAnew(n *flow.Node, said *said, st ast.Stmt) debt {
	switch st := st.(type) {
	case *ast.ExprStmt:
		at, _ := method(st.Value)
		if at == nil {
			break
		}
		object := rule.Text(n, at.Value)
		switch at.Attr() {
		case "acquire":
			return owing(st, held, object+".release()")
		case "clear":
			if d := owing(st, cleared, object+".set()"); said.pays[d.key] {
				return d
			}
		}
	case *ast.If:
		if at := triesHard(st); at != nil {
			return owing(st, held, rule.Text(n, at.Value)+".release()")
		}
	case *ast.AugAssign:
		text, back := countedBack(n, st)
		if back != "" && said.pays[back] && said.counterFirst(text, back) {
			return owing(st, counted, back)
		}
	case *ast.With:
		inner := countsLocked(st)
		if inner == nil {
			break
		}
		lock := "with " + rule.Text(n, st.Items[0]) + ":"
		_, back := countedBack(n, inner)
		if key := lock + " " + back; back != "" && said.pays[key] && said.counterFirst(rule.Text(n, st), key) {
			return debt{open: st, what: counted, key: key, pay: []string{lock, "\t" + back}}
		}
	case *ast.Assign:
		if text, back := countedBack(n, st); back != "" && said.pays[back] && said.counterFirst(text, back) {
			return owing(st, counted, back)
		}
		at, call := method(st.Value)
		if at == nil || len(st.Targets) != 1 {
			break
		}
		object := rule.Text(n, at.Value)
		if d := owing(st, taken, object+".task_done()"); said.pays[d.key] {
			return d
		}
		name, ok := st.Targets[0].(*ast.Name)
		if !ok || call == nil {
			break
		}
		if text := said.givesBack(object, at.Attr(), name.Id()); text != "" && said.pays[text] {
			return owing(st, allocated, text)
		}
	}
	return debt{}
}

// countedBack returns the statement that adds to a number, or subtracts, as text, and the one
// that takes that back; "" if a statement does neither.
func countedBack(n *flow.Node, st ast.Stmt) (text, back string) {
	text, ok := countOf(n, st)
	switch {
	case !ok:
	case strings.Contains(text, "+="):
		back = strings.Replace(text, "+=", "-=", 1)
	default:
		back = strings.Replace(text, "-=", "+=", 1)
	}
	return text, back
}

// triesHard returns what acquires a lock for a statement that jumps where it does not get it:
//
//	if not lock.acquire(timeout=1):
//	    continue
func triesHard(st ast.Stmt) *ast.Attribute {
	branch, ok := st.(*ast.If)
	if !ok || len(branch.Orelse) > 0 || !jumps(branch.Body[len(branch.Body)-1]) {
		return nil
	}
	not, ok := branch.Test.(*ast.UnaryOp)
	if !ok || not.Op != ast.Not {
		return nil
	}
	if at, _ := method(not.Operand); at != nil && at.Attr() == "acquire" {
		return at
	}
	return nil
}

// rebinds reports whether a statement of a block binds a name anew that a text mentions, or an
// attribute whose value the text uses.
func rebinds(block []ast.Stmt, text string) bool {
	return len(block) > 0 && rebindsBetween(block, block[0].Pos(), block[len(block)-1].End(), text)
}

// rebindsBetween is [rebinds] for what lies between two places of a block, however deep.
func rebindsBetween(block []ast.Stmt, from, to ast.Pos, text string) bool {
	words, used := map[string]bool{}, map[string]bool{}
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for rest := text; rest != ""; {
		start := strings.IndexFunc(rest, inWord)
		if start < 0 {
			break
		}
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		rest = rest[end:]
		words[word] = true
		used[word] = used[word] || rest != "" && strings.ContainsRune(".[],):", rune(rest[0]))
	}
	found := false
	for _, st := range block {
		ast.Inspect(st, func(x ast.Node) bool {
			if found || x.End() <= from || x.Pos() >= to {
				return false
			}
			if x.Pos() < from {
				return true
			}
			switch x := x.(type) {
			case *ast.Name:
				found = x.Ctx() != ast.Load && words[x.Id()]
			case *ast.Attribute:
				found = x.Ctx() != ast.Load && used[x.Attr()]
			case *ast.ExceptHandler:
				found = x.Name != "" && words[x.Name]
			}
			return !found
		})
	}
	return found
}

// countsLocked returns the statement that adds to a number, or subtracts, if that is all that a
// with statement does.
func countsLocked(st ast.Stmt) *ast.AugAssign {
	with, ok := st.(*ast.With)
	if !ok || len(with.Body) != 1 || len(with.Items) != 1 || with.Async {
		return nil
	}
	inner, _ := with.Body[0].(*ast.AugAssign)
	return inner
}

func owing(st ast.Stmt, what owed, key string) debt {
	return debt{open: st, what: what, key: key, pay: []string{key}}
}

// method returns the method that an expression calls, or awaits, and the call; nil if none.
func method(e ast.Expr) (*ast.Attribute, *ast.Call) {
	if aw, ok := e.(*ast.Await); ok {
		e = aw.Value
	}
	call, ok := e.(*ast.Call)
	if !ok {
		return nil, nil
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return nil, nil
	}
	return at, call
}

// statements visits all statements of a block, those within others as well, but for those
// of functions and classes, and a number that changes under a lock of its own.
func statements(block []ast.Stmt, visit func(block []ast.Stmt, i int)) {
	for i, st := range block {
		visit(block, i)
		if countsLocked(st) != nil {
			continue
		}
		for _, inner := range ast.Blocks(st) {
			statements(inner, visit)
		}
	}
}

// givesUp reports whether a block ends right after one of its statements, by a raise, a return
// or a break.
func givesUp(block []ast.Stmt, i int) bool {
	if i+1 == len(block) {
		return false
	}
	switch block[i+1].(type) {
	case *ast.Raise, *ast.Return, *ast.Break:
		return true
	}
	return false
}

// says reports whether a block has a statement of that text.
func (t *thread) says(n *flow.Node, block []ast.Stmt, text string) bool {
	return t.said(n, block).count[text] > 0
}

// account is what an iteration owes where it has come to.
type account struct {
	t     *thread
	n     *flow.Node // the head of the loop: all is written in its module
	loop  []ast.Stmt
	said  *said
	debts []debt
	gone  bool // a jump has been taken
}

// owedAt returns what an iteration owes when it comes to a statement of the loop, that which
// was begun last at the end. It reports false where that is not certain, or where the loop
// does not go on with its next iteration from there.
func (t *thread) owedAt(loop []ast.Stmt, st ast.Stmt) ([]debt, bool) {
	a := t.open(loop)
	if !a.come(loop, st) {
		return nil, false
	}
	return a.debts, true
}

// open returns the account of an iteration that begins.
func (t *thread) open(loop []ast.Stmt) *account {
	a := t.account(&t.g.Nodes[t.head], loop)
	if each, ok := a.n.Src.(*ast.For); ok {
		if call, ok := each.Iter.(*ast.Call); ok && len(call.Args()) > 0 {
			if get, ok := call.Args()[0].(*ast.Attribute); ok {
				if d := owing(each, taken, rule.Text(a.n, get.Value)+".task_done()"); a.said.count[d.key] > 0 {
					a.debts = append(a.debts, d)
				}
			}
		}
	}
	return a
}

func (t *thread) account(n *flow.Node, block []ast.Stmt) *account {
	return &account{t: t, n: n, loop: block, said: t.said(n, block)}
}

// owedIn is [thread.owedAt] for a block of a function: the body of a loop, or its own.
func (t *thread) owedIn(n *flow.Node, block []ast.Stmt, st ast.Stmt) ([]debt, bool) {
	a := t.account(n, block)
	if !a.come(block, st) {
		return nil, false
	}
	return a.debts, true
}

// come runs the statements of a block up to one of them or of a block within. It reports false
// where it does not get there, or does not know what it owes then.
func (a *account) come(block []ast.Stmt, to ast.Stmt) bool {
	for _, st := range block {
		if st == to {
			return !a.gone
		}
		if st.Pos() > to.Pos() || to.End() > st.End() {
			if !a.run(st) || a.gone {
				return false
			}
			continue
		}
		switch st := st.(type) {
		case *ast.If, *ast.Match:
			for _, inner := range ast.Blocks(st) {
				if ast.Covers(inner, to) {
					return a.come(inner, to)
				}
			}
		case *ast.With:
			return a.come(st.Body, to)
		case *ast.Try:
			return a.comeInTry(st, to)
		}
		return false // the loop does not go on from there
	}
	return false
}

func (a *account) comeInTry(try *ast.Try, to ast.Stmt) bool {
	before := a.debts
	switch {
	case ast.Covers(try.Finalbody, to):
		return false
	case ast.Covers(try.Body, to):
		if !a.come(try.Body, to) {
			return false
		}
	case ast.Covers(try.Orelse, to):
		if !a.block(try.Body) || a.gone || !a.come(try.Orelse, to) {
			return false
		}
	default:
		if a.touches(try.Body) || !slices.ContainsFunc(try.Handlers, func(h *ast.ExceptHandler) bool { return ast.Covers(h.Body, to) && a.come(h.Body, to) }) || len(a.debts) < len(before) {
			return false
		}
	}
	for _, st := range try.Finalbody { // which is done on the way out, and with what is held
		if text := a.said.texts[st]; !a.paid(text) && (len(before) > 0 || a.touches([]ast.Stmt{st})) {
			return false
		}
	}
	return true
}

// touches reports whether statements begin something or pay it back.
func (a *account) touches(block []ast.Stmt) bool {
	found := false
	statements(block, func(in []ast.Stmt, i int) {
		_, opens := a.t.opens(a.n, a.loop, in[i])
		found = found || opens || slices.ContainsFunc(a.debts, func(d debt) bool { return d.key == a.said.texts[in[i]] })
	})
	return found
}

// paid takes the debt that a statement of that text pays back off the account.
func (a *account) paid(text string) bool {
	for i, d := range slices.Backward(a.debts) {
		if d.key == text {
			a.debts = slices.Delete(slices.Clone(a.debts), i, i+1)
			return true
		}
	}
	return false
}

// block runs the statements of a block.
func (a *account) block(block []ast.Stmt) bool {
	for _, st := range block {
		if !a.run(st) {
			return false
		}
		if a.gone {
			break
		}
	}
	return true
}

// run does what a statement does to the account. It reports false where that is not certain.
func (a *account) run(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.Return, *ast.Break, *ast.Continue, *ast.Raise:
		a.gone = true
		return true
	}
	if a.paid(a.said.texts[st]) {
		return true
	}
	if d, ok := a.t.opens(a.n, a.loop, st); ok {
		if _, call := method(valueOf(st)); d.what == held && call != nil && len(call.Args())+len(call.Keywords()) > 0 {
			return false // it may not have got it
		}
		a.debts = append(slices.Clone(a.debts), d)
		return true
	}
	switch st := st.(type) {
	case *ast.With:
		return a.block(st.Body)
	case *ast.If:
		return a.branches(ast.Blocks(st))
	case *ast.Match:
		return a.branches(append(ast.Blocks(st), nil)) // there may be no case for it
	case *ast.Try:
		if len(st.Handlers) > 0 && a.touches(st.Body) {
			return false
		}
		return a.block(st.Body) && a.block(st.Orelse) && (a.gone || a.block(st.Finalbody))
	default:
		for _, inner := range ast.Blocks(st) {
			if a.touches(inner) {
				return false
			}
		}
	}
	return true
}

func valueOf(st ast.Stmt) ast.Expr {
	if st, ok := st.(*ast.ExprStmt); ok {
		return st.Value
	}
	return nil
}

// branches runs one of several blocks: those that go on have to agree.
func (a *account) branches(blocks [][]ast.Stmt) bool {
	start, first := a.debts, true
	for _, block := range blocks {
		b := account{t: a.t, n: a.n, loop: a.loop, said: a.said, debts: start}
		if !b.block(block) {
			return false
		}
		if b.gone {
			continue
		}
		if !first && !slices.EqualFunc(a.debts, b.debts, func(x, y debt) bool { return x.key == y.key }) {
			return false
		}
		a.debts, first = b.debts, false
	}
	a.gone = first
	return true
}
