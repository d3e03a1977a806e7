package missedowner

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// The names of methods that put an item into a container, and of those that
// take one out.
var (
	inserting = map[string]bool{
		"append": true, "appendleft": true, "add": true, "put": true, "put_nowait": true, "extend": true, "insert": true,
		"update": true, "setdefault": true, "push": true,
	}
	removing = map[string]bool{
		"pop": true, "popleft": true, "popitem": true, "get_nowait": true, "remove": true, "discard": true,
	}
)

// read collects what a method does. Three passes follow the names of items
// through assignments, whatever their order.
func (o *object) read(f *program.Func) *method {
	m := &method{
		fn: f, self: f.Params[0].Name, mentions: map[string]bool{}, takes: map[string]bool{},
		drops: map[string]bool{}, looked: map[string]bool{}, lastTake: map[string]ast.Pos{},
		taint: map[string]map[string]bool{}, given: map[string]bool{},
	}
	m.findGiven()
	if o.mentionsPlace(m) {
		for marked, passes := true, 0; marked && passes < 3; passes++ {
			marked = o.follow(m)
		}
	}
	removed := map[string]map[string]bool{} // names, by the place they are taken from
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			if a := o.place(m, n); a != "" {
				m.mentions[a] = true
			}
		case *ast.Compare:
			o.readCompare(m, n)
		case *ast.Subscript:
			if a := o.place(m, n.Value); a != "" && m.usesParam(n.Slice) && n.Ctx == ast.Load {
				m.looked[a] = true
			}
		case *ast.For:
			m.take(o.attrs(m, n.Iter), n)
		case *ast.Comprehension:
			m.take(o.attrs(m, n.Iter), n)
		case *ast.Delete:
			for _, t := range n.Targets {
				if sub, ok := t.(*ast.Subscript); ok {
					m.drop(o.place(m, sub.Value))
				}
			}
		case *ast.Assign:
			for _, t := range n.Targets {
				o.dropTarget(m, t)
			}
		case *ast.Call:
			o.readCall(m, n, removed)
		}
		return true
	})
	o.findPuts(m, removed)
	return m
}

func (m *method) take(attrs map[string]bool, at ast.Node) {
	for a := range attrs {
		m.takes[a] = true
		m.lastTake[a] = max(m.lastTake[a], at.Pos())
	}
}

// drop notes that a method empties a place or takes something out of it.
func (m *method) drop(a string) {
	if a != "" {
		m.drops[a] = true
	}
}

func (o *object) dropTarget(m *method, t ast.Expr) {
	if tuple, ok := t.(*ast.Tuple); ok {
		for _, x := range tuple.Elts {
			o.dropTarget(m, x)
		}
		return
	}
	m.drop(o.place(m, t))
}

// readCompare notes where a method looks for its argument: among the items of a
// place, or as a key of it.
func (o *object) readCompare(m *method, n *ast.Compare) {
	sides := append([]ast.Expr{n.Left}, n.Comparators...)
	for i, x := range sides {
		if !m.usesParam(x) {
			continue
		}
		for k, y := range sides {
			if k == i {
				continue
			}
			for a := range o.attrs(m, y) {
				m.looked[a] = true
			}
		}
	}
}

func (o *object) readCall(m *method, n *ast.Call, removed map[string]map[string]bool) {
	at, ok := n.Func.(*ast.Attribute)
	if !ok {
		return
	}
	if x, ok := at.Value.(*ast.Name); ok && x.Id() == m.self {
		m.calls = append(m.calls, at.Attr())
		m.acts = m.acts || o.class.Method(at.Attr()) == nil
		return
	}
	a := o.place(m, at.Value)
	if a == "" {
		for _, arg := range n.Args() { // item.rid.startswith(rid)
			if m.usesParam(arg) && !inserting[at.Attr()] {
				for b := range o.attrs(m, at.Value) {
					m.looked[b] = true
				}
			}
		}
		m.acts = m.acts || !inserting[at.Attr()] && !removing[at.Attr()] && at.Attr() != "get" && at.Attr() != "items" && at.Attr() != "values"
		return
	}
	for _, arg := range n.Args() {
		if !inserting[at.Attr()] && !o.objects[a] && m.usesParam(arg) {
			m.looked[a] = true
		}
	}
	if at.Attr() == "clear" || o.objects[a] && !inserting[at.Attr()] && o.empties(a, at.Attr()) {
		m.drop(a)
	}
	if removing[at.Attr()] || at.Attr() == "get" && o.queues[a] {
		m.take(map[string]bool{a: true}, n)
		m.drop(a)
		for _, arg := range n.Args() {
			if x, ok := arg.(*ast.Name); ok {
				if removed[x.Id()] == nil {
					removed[x.Id()] = map[string]bool{}
				}
				removed[x.Id()][a] = true
			}
		}
	}
}

// place returns the attribute of the object that an expression is, if it can
// hold requests.
func (o *object) place(m *method, e ast.Expr) string {
	at, ok := e.(*ast.Attribute)
	if !ok || !o.isOwner[at.Attr()] {
		return ""
	}
	if x, ok := at.Value.(*ast.Name); !ok || x.Id() != m.self {
		return ""
	}
	return at.Attr()
}

// attrs returns the places that an expression takes its value from.
func (o *object) attrs(m *method, e ast.Node) map[string]bool {
	if e == nil {
		return nil
	}
	var out map[string]bool
	add := func(a string) {
		if out == nil {
			out = map[string]bool{}
		}
		out[a] = true
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			if a := o.place(m, n); a != "" {
				add(a)
				return false
			}
		case *ast.Name:
			for a := range m.taint[n.Id()] {
				add(a)
			}
		case *ast.Lambda:
			return false
		}
		return true
	})
	return out
}

// mentionsPlace reports whether a method mentions a place.
func (o *object) mentionsPlace(m *method) bool {
	found := false
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok {
			found = found || o.place(m, at) != ""
		}
		return !found
	})
	return found
}

// follow marks the names that items of the places are bound to. It reports whether
// it has found some more.
func (o *object) follow(m *method) bool {
	more := false
	mark := func(target ast.Expr, attrs map[string]bool) {
		if len(attrs) == 0 || target == nil {
			return
		}
		ast.Inspect(target, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Id() != m.self {
				if m.taint[x.Id()] == nil {
					m.taint[x.Id()] = map[string]bool{}
				}
				for a := range attrs {
					more = more || !m.taint[x.Id()][a]
					m.taint[x.Id()][a] = true
				}
			}
			_, sub := n.(*ast.Subscript)
			_, at := n.(*ast.Attribute)
			return !sub && !at
		})
	}
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.For:
			mark(n.Target, o.attrs(m, n.Iter))
		case *ast.Comprehension:
			mark(n.Target, o.attrs(m, n.Iter))
		case *ast.Assign:
			o.followAssign(m, n, mark)
		case *ast.NamedExpr:
			mark(n.Target, o.attrs(m, n.Value))
		case *ast.Call: // rest.append(item)
			if at, ok := n.Func.(*ast.Attribute); ok && inserting[at.Attr()] {
				if x, ok := at.Value.(*ast.Name); ok {
					for _, arg := range n.Args() {
						mark(x, o.attrs(m, arg))
					}
				}
			}
		}
		return true
	})
	return more
}

func (o *object) followAssign(m *method, n *ast.Assign, mark func(ast.Expr, map[string]bool)) {
	for _, t := range n.Targets {
		left, ok := t.(*ast.Tuple)
		right, pair := n.Value.(*ast.Tuple)
		if ok && pair && len(left.Elts) == len(right.Elts) {
			for i := range left.Elts {
				mark(left.Elts[i], o.attrs(m, right.Elts[i]))
			}
			continue
		}
		mark(t, o.attrs(m, n.Value))
	}
}

// findPuts records the statements that put items into the places.
func (o *object) findPuts(m *method, removed map[string]map[string]bool) {
	put := func(to string, item ast.Node, at ast.Node) {
		if to == "" || item == nil {
			return
		}
		p := move{to: to, fn: m.fn, at: at, names: names(item, m.self)}
		from := o.attrs(m, item)
		if len(from) == 0 && len(p.names) == 0 {
			return // it is made empty
		}
		p.fresh = len(from) == 0
		if _, rebinds := at.(*ast.Assign); rebinds && from[to] {
			from = nil // what is left of it
		}
		for x := range p.names {
			for a := range removed[x] {
				if from == nil {
					from = map[string]bool{}
				}
				from[a] = true
			}
		}
		o.puts = append(o.puts, p)
		if m.usesParam(item) && len(from) == 0 {
			m.notes = append(m.notes, to)
		}
		for _, a := range o.owners {
			if from[a] && a != to && m.drops[a] && whole(item) {
				m.moves = true
				q := p
				q.from = a
				o.moves = append(o.moves, q)
			}
		}
	}
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			at, ok := n.Func.(*ast.Attribute)
			if !ok || len(n.Args()) == 0 {
				break
			}
			if x, ok := at.Value.(*ast.Name); ok && x.Id() == m.self {
				for to, i := range o.putBy(o.class.Method(at.Attr())) {
					if i < len(n.Args()) {
						put(to, n.Args()[i], n)
					}
				}
			}
			if inserting[at.Attr()] {
				put(o.place(m, at.Value), n.Args()[len(n.Args())-1], n)
			}
		case *ast.Assign:
			for _, t := range n.Targets {
				o.putTarget(m, t, n, put)
			}
		case *ast.AugAssign:
			put(o.place(m, n.Target), n.Value, n)
		}
		return true
	})
	for _, a := range m.notes {
		m.puts = m.puts || o.isOwner[a] && len(m.takesBeside(a)) > 0
	}
}

// putBy returns the places into which a method puts one of its arguments, or what
// it makes of it, and the number of the argument.
func (o *object) putBy(f *program.Func) map[string]int {
	if f == nil || len(f.Params) < 2 {
		return nil
	}
	out := map[string]int{}
	made := map[string]int{} // variables, by the argument they are made of
	for i, p := range f.Params[1:] {
		made[p.Name] = i
	}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			if call, ok := n.Value.(*ast.Call); ok && len(n.Targets) == 1 {
				if x, ok := n.Targets[0].(*ast.Name); ok {
					if i, ok := argument(call, made); ok {
						made[x.Id()] = i
					}
				}
			}
		case *ast.Call:
			at, ok := n.Func.(*ast.Attribute)
			if !ok || !inserting[at.Attr()] || len(n.Args()) != 1 {
				break
			}
			place, ok := at.Value.(*ast.Attribute)
			if !ok || !o.isOwner[place.Attr()] {
				break
			}
			if x, ok := place.Value.(*ast.Name); !ok || x.Id() != f.Params[0].Name {
				break
			}
			switch item := n.Args()[0].(type) {
			case *ast.Name:
				if i, ok := made[item.Id()]; ok {
					out[place.Attr()] = i
				}
			case *ast.Call:
				if i, ok := argument(item, made); ok {
					out[place.Attr()] = i
				}
			}
		}
		return true
	})
	return out
}

// argument returns the number of the first of some variables that a call is given.
func argument(call *ast.Call, vars map[string]int) (int, bool) {
	args := call.Args()
	for _, k := range call.Keywords() {
		args = append(args[:len(args):len(args)], k.Value)
	}
	for _, a := range args {
		if x, ok := a.(*ast.Name); ok {
			if i, ok := vars[x.Id()]; ok {
				return i, true
			}
		}
	}
	return 0, false
}

// whole reports whether an expression is an item itself, or what a call makes of
// it: not a part of it or a computation.
func whole(e ast.Node) bool {
	switch e := e.(type) {
	case *ast.Subscript:
		return whole(e.Value)
	case *ast.Name, *ast.Attribute, *ast.BinOp, *ast.ListComp, *ast.List:
		return true
	case *ast.Call:
		for _, a := range e.Args() {
			if !whole(a) {
				return false
			}
		}
		return true
	case *ast.Constant:
		return true
	}
	return false
}

// takesBeside returns the places other than one that a method takes items from.
func (m *method) takesBeside(a string) []string {
	var out []string
	for x := range m.takes {
		if x != a {
			out = append(out, x)
		}
	}
	return out
}

func (o *object) putTarget(m *method, t ast.Expr, n *ast.Assign, put func(string, ast.Node, ast.Node)) {
	switch t := t.(type) {
	case *ast.Attribute:
		if c, none := n.Value.(*ast.Constant); !none || c.Kind() != ast.None {
			put(o.place(m, t), n.Value, n)
		}
	case *ast.Subscript:
		put(o.place(m, t.Value), n.Value, n)
	case *ast.Tuple:
		if v, ok := n.Value.(*ast.Tuple); ok && len(v.Elts) == len(t.Elts) {
			for i, x := range t.Elts {
				if at, ok := x.(*ast.Attribute); ok {
					if c, none := v.Elts[i].(*ast.Constant); !none || c.Kind() != ast.None {
						put(o.place(m, at), v.Elts[i], n)
					}
				}
			}
		}
	}
}

// names returns the variables that an expression mentions.
func names(e ast.Node, self string) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Id() != self {
			out[x.Id()] = true
		}
		return true
	})
	return out
}

// usesParam reports whether an expression mentions an argument of the method,
// or a variable that is made from one.
func (m *method) usesParam(e ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			found = found || m.given[x.Id()]
		}
		return !found
	})
	return found
}

// findGiven collects the arguments of the method, and the variables that are
// assigned one, or a value made from one.
func (m *method) findGiven() {
	params := map[string]bool{}
	for _, p := range m.fn.Params[1:] {
		params[p.Name], m.given[p.Name] = true, true
	}
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		a, ok := n.(*ast.Assign)
		if !ok {
			return true
		}
		for _, t := range a.Targets {
			if x, ok := t.(*ast.Name); ok && overlap(names(a.Value, m.self), params) {
				m.given[x.Id()] = true
			}
		}
		return true
	})
}
