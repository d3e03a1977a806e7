package lostupdate

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// This file knows threads of one loop that hand on the turn. Each round of the loop begins
// with a wait for it, writes, and gives it to the next one:
//
//	while True:
//	    self.turns[i].wait()              mine.wait()     token = mine.get()    with self.cv:
//	    self.turns[i].clear()             mine.clear()                              while self.turn != i:
//	                                                                                    self.cv.wait()
//	    self.sent += 1                    self.sent += 1  self.sent += 1        self.sent += 1
//	    self.turns[(i + 1) % n].set()     other.set()     other.put(token)      with self.cv:
//	                                                                                self.turn = (i + 1) % n
//	                                                                                self.cv.notify_all()
//
// There is one turn: the constructor gives it once, and nobody else does, as only the
// constructor and the threads have what it is given with. For events and conditions, each
// thread has to have an event or number of its own.

// ring is the loop of such threads.
type ring struct {
	w     write
	fn    *program.Func
	maker *program.Func // the constructor that starts the threads
	body  []ast.Stmt    // of the loop
	// first and last are the statements of the body that write.
	first, last int
}

// handsOn reports whether instances of one loop hand on the turn for the write.
func (w write) handsOn() bool {
	r, ok := w.ringOf()
	return ok && (r.byEvents() || r.byToken() || r.byNumber())
}

// ringOf returns the loop around the write, which is all that its entrypoint does but for
// simple statements in front of it.
func (w write) ringOf() (ring, bool) {
	r := ring{w: w, fn: w.entry.Func, first: -1}
	if len(w.entry.Spawns) == 0 {
		return r, false
	}
	for _, s := range w.entry.Spawns {
		if s.By == nil || s.By.Role != flow.Init || r.maker != nil && r.maker != s.By.Func || s.By.Func.Module != r.fn.Module {
			return r, false
		}
		r.maker = s.By.Func
	}
	body := r.fn.Body()
	for i, st := range body {
		loop, ok := st.(*ast.While)
		switch {
		case ok && i == len(body)-1 && len(loop.Orelse) == 0:
			r.body = loop.Body
		case ok || len(ast.Blocks(st)) > 0:
			return r, false
		}
	}
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if n.Loc != w.n.Loc || n.Op != flow.Put && n.Op != flow.SetFlag && n.Op != flow.Del || len(n.Pred) == 0 {
			continue
		}
		at := r.index(evidence.StatementIn(n, r.fn))
		if at < 0 {
			return r, false
		}
		if r.first < 0 || at < r.first {
			r.first = at
		}
		r.last = max(r.last, at)
	}
	return r, r.first >= 0
}

// index returns which statement of the body another one is in, or -1.
func (r ring) index(st ast.Stmt) int {
	if st == nil {
		return -1
	}
	return slices.IndexFunc(r.body, func(s ast.Stmt) bool { return ast.Encloses(s, st) })
}

// byEvents reports whether each round waits for an event of its own, clears it, and sets one
// when it has written.
func (r ring) byEvents() bool {
	for i := 0; i+1 < r.first; i++ {
		waits, clears := method(r.body[i], "wait", 0), method(r.body[i+1], "clear", 0)
		if waits == nil || clears == nil || r.text(waits) != r.text(clears) || !r.own(waits) {
			continue
		}
		return r.givesOne("set", 0, waits)
	}
	return false
}

// byToken reports whether each round takes a token out of a queue, and puts it into one when
// it has written.
func (r ring) byToken() bool {
	for i := 0; i < r.first; i++ {
		takes := method(r.body[i], "get", 0)
		if as, ok := r.body[i].(*ast.Assign); ok && takes == nil {
			takes = receiver(as.Value, "get", 0)
		}
		if takes != nil && (r.passedAt(r.handed(takes)) || r.fn.SelfAttr(takes) != "") {
			return r.givesOne("put", 1, takes)
		}
	}
	return false
}

// byNumber reports whether each round waits, under a condition, until an attribute has its
// number, and changes that under the condition when it has written.
func (r ring) byNumber() bool {
	for i := 0; i < r.first; i++ {
		cv, with := r.under(r.body[i])
		if with == nil || len(with.Body) != 1 {
			continue
		}
		loop, ok := with.Body[0].(*ast.While)
		if !ok || len(loop.Body) != 1 || len(loop.Orelse) > 0 {
			continue
		}
		waits := method(loop.Body[0], "wait", 0)
		test, ok := loop.Test.(*ast.Compare)
		if !ok || waits == nil || r.text(waits) != cv || len(test.Ops) != 1 || test.Ops[0] != ast.NotEq {
			continue
		}
		turn := r.fn.SelfAttr(test.Left)
		if turn != "" && r.distinct(test.Comparators[0]) && r.setLater(turn, cv) {
			return true
		}
	}
	return false
}

// under returns the condition and the statement where a statement holds one of self.
func (r ring) under(st ast.Stmt) (string, *ast.With) {
	with, ok := st.(*ast.With)
	if !ok || len(with.Items) != 1 || r.fn.SelfAttr(with.Items[0].ContextExpr) == "" {
		return "", nil
	}
	return r.text(with.Items[0].ContextExpr), with
}

// setLater reports whether all that sets an attribute, its constructor apart, are statements
// under a condition behind the write.
func (r ring) setLater(attr, cv string) bool {
	later := map[ast.Node]bool{}
	for _, st := range r.body[r.last+1:] {
		held, with := r.under(st)
		if with == nil || held != cv {
			continue
		}
		for _, s := range with.Body {
			if as, ok := s.(*ast.Assign); ok && len(as.Targets) == 1 && r.fn.SelfAttr(as.Targets[0]) == attr {
				later[as.Targets[0]] = true
			}
		}
	}
	return len(later) == 1 && !slices.ContainsFunc(r.mentioned(attr), func(at *ast.Attribute) bool {
		return at.Ctx() != ast.Load && !later[at] && !r.within(at, r.maker)
	})
}

// mentioned returns where the program mentions an attribute of the name that may be one of
// the object: not one of self in a class that no object has together with that of the loop.
func (r ring) mentioned(attr string) []*ast.Attribute {
	other := map[*ast.Attribute]bool{}
	for _, f := range r.w.prog.Funcs {
		if c := f.SelfClass(); c == nil || r.fn.SelfClass() == nil || r.related(c) {
			continue
		}
		ast.EachInScope(f.Body(), func(n ast.Node) {
			if at, ok := n.(*ast.Attribute); ok && f.OnSelf(at.Value) {
				other[at] = true
			}
		})
	}
	var out []*ast.Attribute
	for _, m := range r.w.prog.Modules {
		ast.Inspect(m.AST, func(n ast.Node) bool {
			if at, ok := n.(*ast.Attribute); ok && at.Attr() == attr && !other[at] {
				out = append(out, at)
			}
			return true
		})
	}
	return out
}

// related reports whether an object may have the methods of a class and those of the loop.
func (r ring) related(c *program.Class) bool {
	own := r.fn.SelfClass()
	return slices.ContainsFunc(r.w.prog.Classes, func(k *program.Class) bool { return k.IsSubclass(c) && k.IsSubclass(own) })
}

// within reports whether a node is one of those in a function.
func (r ring) within(at ast.Node, f *program.Func) bool {
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		found = found || n == at
		return !found
	})
	return found
}

// givesOne reports whether the loop gives the turn once in a round, behind the write, the
// constructor once, and nobody else: what is waited for is a parameter, or an element of
// an attribute, and only those two have it.
func (r ring) givesOne(name string, args int, waited ast.Expr) bool {
	given := 0
	for i, st := range r.body {
		if to := method(st, name, args); to != nil && i > r.last {
			given++
		}
	}
	if given != 1 || countCalls(r.fn.Node, name) != 1 {
		return false
	}
	if attr := r.fn.SelfAttr(base(waited)); attr != "" {
		if !r.keeps(attr) {
			return false
		}
	} else if !r.keepsPassed() {
		return false
	}
	first, looped := 0, false
	var walk func(block []ast.Stmt, inLoop bool)
	walk = func(block []ast.Stmt, inLoop bool) {
		for _, st := range block {
			if method(st, name, args) != nil {
				first++
				looped = looped || inLoop
			}
			_, loop := st.(*ast.For)
			_, while := st.(*ast.While)
			for _, b := range ast.Blocks(st) {
				walk(b, inLoop || loop || while)
			}
		}
	}
	walk(r.maker.Body(), false)
	return first <= 1 && !looped && countCalls(r.maker.Node, name) == first
}

// countCalls counts the calls of a method in a function.
func countCalls(f ast.Node, name string) int {
	count := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if at, ok := call.Func.(*ast.Attribute); ok && at.Attr() == name {
				count++
			}
		}
		return true
	})
	return count
}

// base returns the expression of which another one is an element.
func base(x ast.Expr) ast.Expr {
	if sub, ok := x.(*ast.Subscript); ok {
		return sub.Value
	}
	return x
}

// keeps reports whether only the constructor and the loop use an attribute, which the
// constructor makes.
func (r ring) keeps(attr string) bool {
	for _, at := range r.mentioned(attr) {
		if !r.within(at, r.maker) && !r.within(at, r.fn) {
			return false
		}
	}
	is := func(f *program.Func) func(ast.Expr) bool {
		return func(x ast.Expr) bool { return f.SelfAttr(x) == attr }
	}
	return r.onlyUses(r.maker, is(r.maker)) && r.onlyUses(r.fn, is(r.fn))
}

// keepsPassed reports whether only the constructor and the loop use what the threads get.
func (r ring) keepsPassed() bool {
	for _, s := range r.w.entry.Spawns {
		params := r.fn.Params
		if r.fn.SelfFunc() == r.fn {
			params = params[1:]
		}
		for i, x := range argsOf(s) {
			root := base(x)
			if _, ok := root.(*ast.Constant); ok || r.counts(x, s.Src) {
				continue
			}
			if i >= len(params) || params[i].Variadic != program.Single || !r.onlyUses(r.fn, named(params[i].Name)) {
				return false
			}
			if attr := r.maker.SelfAttr(root); attr != "" {
				if !r.keeps(attr) {
					return false
				}
				continue
			}
			local, ok := root.(*ast.Name)
			if !ok || r.maker.Param(local.Id()) != nil || r.maker.Scope.Own(local.Id()) == nil || !r.onlyUses(r.maker, named(local.Id())) {
				return false
			}
		}
	}
	return true
}

func named(name string) func(ast.Expr) bool {
	return func(x ast.Expr) bool {
		n, ok := x.(*ast.Name)
		return ok && n.Id() == name
	}
}

// onlyUses reports whether a function does nothing with something, or with its elements, but
// to make it, to take and to give the turn, to count the elements, and to pass it to the threads.
func (r ring) onlyUses(f *program.Func, is func(ast.Expr) bool) bool {
	fine := true
	var around []ast.Node
	ast.Walk(f.Node, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && is(x) && !r.handles(x, around, f == r.maker) {
			fine = false
		}
		around = append(around, n)
		return true
	}, func() { around = around[:len(around)-1] })
	return fine
}

// handles reports whether an expression is used as [ring.onlyUses] says, given the nodes
// around it.
func (r ring) handles(x ast.Expr, around []ast.Node, makes bool) bool {
	up := func() (out ast.Node) {
		out, around = around[len(around)-1], around[:len(around)-1]
		return out
	}
	over := up()
	if sub, ok := over.(*ast.Subscript); ok && sub.Value == x && sub.Ctx == ast.Load {
		x, over = sub, up()
	}
	switch n := over.(type) {
	case *ast.Attribute:
		call, ok := up().(*ast.Call)
		return ok && call.Func == ast.Expr(n) && slices.Contains(turning, n.Attr())
	case *ast.Call:
		f, ok := n.Func.(*ast.Name)
		return ok && (f.Id() == "len" || f.Id() == "enumerate" && numbers(up(), n))
	case *ast.Assign:
		return makes && len(n.Targets) == 1 && n.Targets[0] == x && r.makes(n.Value)
	case *ast.Tuple:
		if slices.Contains(r.passed(), x) {
			return true
		}
		as, ok := up().(*ast.Assign)
		return ok && makes && len(as.Targets) == 1 && as.Targets[0] == ast.Expr(n) && r.makes(as.Value)
	}
	return false
}

// turning are the methods that take or give a turn.
var turning = []string{"wait", "clear", "set", "get", "put"}

// numbers reports whether a loop takes the numbers that enumerate returns, and not the elements.
func numbers(loop ast.Node, call *ast.Call) bool {
	f, ok := loop.(*ast.For)
	if !ok || f.Iter != ast.Expr(call) {
		return false
	}
	tuple, ok := f.Target.(*ast.Tuple)
	return ok && len(tuple.Elts) == 2 && named("_")(tuple.Elts[1])
}

// makes reports whether an expression of the constructor makes new events or queues, or
// several of them.
func (r ring) makes(x ast.Expr) bool {
	all := func(elts []ast.Expr) bool {
		return !slices.ContainsFunc(elts, func(x ast.Expr) bool { return !r.makes(x) })
	}
	switch x := x.(type) {
	case *ast.Call:
		made := r.w.prog.Resolve(x.Func, r.maker, r.maker.Module).External
		return strings.HasPrefix(made, "threading.") || strings.HasPrefix(made, "queue.")
	case *ast.List:
		return all(x.Elts)
	case *ast.Tuple:
		return all(x.Elts)
	case *ast.ListComp:
		return r.makes(x.Elt)
	}
	return false
}

// passedAt reports whether each thread gets something as a parameter.
func (r ring) passedAt(at int) bool {
	return at >= 0 && !slices.ContainsFunc(r.w.entry.Spawns, func(s flow.SpawnSite) bool {
		return at >= len(argsOf(s)) || s.Mod != r.maker.Module
	})
}

// own reports whether an event belongs to the thread that waits for it: a parameter, or an
// element of an attribute at a place that is one.
func (r ring) own(x ast.Expr) bool {
	if sub, ok := x.(*ast.Subscript); ok {
		return r.fn.SelfAttr(sub.Value) != "" && r.distinct(sub.Slice)
	}
	return r.distinct(x)
}

// handed returns the position of a parameter, self apart, that the loop does not bind; -1 for
// anything else.
func (r ring) handed(x ast.Expr) int {
	name, ok := x.(*ast.Name)
	if !ok {
		return -1
	}
	bound := false
	ast.EachInScope(r.fn.Body(), func(n ast.Node) {
		other, is := n.(*ast.Name)
		bound = bound || is && other.Id() == name.Id() && other.Ctx() != ast.Load
	})
	for i, p := range r.fn.Params {
		if p.Name == name.Id() && !bound {
			if r.fn.SelfFunc() == r.fn {
				i--
			}
			return i
		}
	}
	return -1
}

// distinct reports whether each thread gets something else for a parameter.
func (r ring) distinct(x ast.Expr) bool {
	at := r.handed(x)
	if at < 0 {
		return false
	}
	seen := map[string]bool{}
	for _, s := range r.w.entry.Spawns {
		args := argsOf(s)
		if at >= len(args) || s.Mod != r.fn.Module {
			return false
		}
		if s.Looped {
			return len(r.w.entry.Spawns) == 1 && r.counts(args[at], s.Src)
		}
		switch args[at].(type) {
		case *ast.Name, *ast.Constant:
		default:
			return false
		}
		text := r.text(args[at])
		if seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

// counts reports whether an expression is the count of the for statement around a place.
func (r ring) counts(x ast.Expr, at ast.Node) bool {
	var loop *ast.For
	ast.Inspect(r.maker.Node, func(n ast.Node) bool {
		if f, ok := n.(*ast.For); ok && ast.Encloses(f, at) {
			loop = f
		}
		return true
	})
	name, ok := x.(*ast.Name)
	if loop == nil || !ok {
		return false
	}
	target := loop.Target
	call, ok := loop.Iter.(*ast.Call)
	if !ok {
		return false
	}
	f, _ := call.Func.(*ast.Name)
	switch {
	case f != nil && f.Id() == "range":
	case f != nil && f.Id() == "enumerate":
		tuple, ok := target.(*ast.Tuple)
		if !ok || len(tuple.Elts) != 2 {
			return false
		}
		target = tuple.Elts[0]
	default:
		return false
	}
	t, ok := target.(*ast.Name)
	return ok && t.Id() == name.Id()
}

// passed returns the arguments of all threads.
func (r ring) passed() []ast.Expr {
	var out []ast.Expr
	for _, s := range r.w.entry.Spawns {
		out = append(out, argsOf(s)...)
	}
	return out
}

// argsOf returns the arguments of the thread that a site starts; none where they are not all
// known by their positions.
func argsOf(s flow.SpawnSite) []ast.Expr {
	call, ok := s.Src.(*ast.Call)
	if !ok || len(call.Args()) > 0 {
		return nil
	}
	var out []ast.Expr
	for _, k := range call.Keywords() {
		switch k.Arg() {
		case "args":
			if t, ok := k.Value.(*ast.Tuple); ok {
				out = t.Elts
			}
		case "target", "daemon", "name":
		default:
			return nil
		}
	}
	if slices.ContainsFunc(out, func(x ast.Expr) bool { _, ok := x.(*ast.Starred); return ok }) {
		return nil
	}
	return out
}

// method returns the object whose method a statement calls, and does nothing else, or nil.
func method(st ast.Stmt, name string, args int) ast.Expr {
	if ex, ok := st.(*ast.ExprStmt); ok {
		return receiver(ex.Value, name, args)
	}
	return nil
}

func receiver(x ast.Expr, name string, args int) ast.Expr {
	call, ok := x.(*ast.Call)
	if !ok || len(call.Args()) != args || len(call.Keywords()) > 0 {
		return nil
	}
	if at, ok := call.Func.(*ast.Attribute); ok && at.Attr() == name {
		return at.Value
	}
	return nil
}

func (r ring) text(x ast.Expr) string { return rule.Text(r.w.n, x) }
