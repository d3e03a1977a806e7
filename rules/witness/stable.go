package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// stableCond returns the identity of a condition whose outcome is the same
// wherever it is tested: one over attributes of the object that nobody
// changes.
func stableCond(n *flow.Node) (key string, ok bool) {
	if n.Test == flow.TestUnknown || n.Val == nil {
		return "", false
	}
	v, okv := stableValue(n.Val)
	w := ""
	okw := true
	switch {
	case n.Want == nil:
	case n.Want.External():
		w = n.Want.ID()
	default:
		w, okw = stableValue(n.Want)
	}
	if !okv || !okw || n.Val.Kind == flow.Const {
		return "", false
	}
	return string(rune('0'+n.Test)) + v + " " + w, true
}

// stableValue returns the identity of a value that is the same in all
// entrypoints: a constant, or an attribute that is reached through attributes
// of self.
func stableValue(v *flow.Value) (string, bool) {
	switch v.Kind {
	case flow.Const:
		return v.ID(), true
	case flow.Attribute:
		if !ofSelf(v.Base) {
			return "", false
		}
		if c := v.Base.Type.Class; c != nil {
			if o := c.AttrOwner(v.Name); o != nil {
				return o.Module.Path + "." + o.Qual + "." + v.Name, true
			}
		}
		return "", false
	case flow.Derived:
		id := v.Name + "("
		for _, a := range v.Args {
			s, ok := stableValue(a)
			if !ok {
				return "", false
			}
			id += s + ","
		}
		return id + ")", len(v.Args) > 0
	}
	return "", false
}

// ofSelf reports whether a value is self or an attribute reached from it.
func ofSelf(v *flow.Value) bool {
	for v.Kind == flow.Attribute {
		v = v.Base
	}
	return v.Kind == flow.Param && v.ID() == "self"
}

// A stableTest is a stable condition.
type stableTest struct {
	key   string
	val   string // identity of what is compared with the value below; "" when it is no comparison
	want  *flow.Value
	steps int // that test it
}

// findStableConds numbers the conditions that more than one step tests, and those that
// compare the same value with something else: of these, one can hold at most.
func (m *model) findStableConds() {
	var tests []*stableTest
	byKey := map[string]*stableTest{}
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op != flow.Branch || !m.part.has(a.Entry, int32(i)) {
				continue
			}
			key, ok := stableCond(n)
			if !ok {
				continue
			}
			t := byKey[key]
			if t == nil {
				t = &stableTest{key: key, want: n.Want}
				if n.Test == flow.TestEq && n.Want != nil {
					t.val, _ = stableValue(n.Val)
				}
				byKey[key] = t
				tests = append(tests, t)
			}
			t.steps++
		}
	}
	excludes := func(t, u *stableTest) bool { return t.val != "" && t.val == u.val && t.want.Distinct(u.want) }
	for _, t := range tests {
		if t.steps > 1 || slices.ContainsFunc(tests, func(u *stableTest) bool { return excludes(t, u) }) {
			m.conds[t.key] = len(m.conds)
		}
	}
	m.excluded = make([][]int, len(m.conds))
	for _, t := range tests {
		for _, u := range tests {
			if excludes(t, u) {
				m.excluded[m.conds[t.key]] = append(m.excluded[m.conds[t.key]], m.conds[u.key])
			}
		}
	}
}

// findLastTests finds for each stable condition the constructor after which nothing
// tests it any more: its number from 1 on, or 0 when hooks or threads test it as well.
func (m *model) findLastTests() {
	m.lastTest = make([]byte, len(m.conds))
	later := make([]bool, len(m.conds))
	for _, pr := range m.progs {
		nth := slices.Index(m.inits, pr) + 1
		for i := range pr.nodes {
			k := pr.nodes[i].cond
			switch {
			case k < 0:
			case nth == 0:
				later[k] = true
			default:
				m.lastTest[k] = max(m.lastTest[k], byte(nth))
			}
		}
	}
	for k := range later {
		if later[k] {
			m.lastTest[k] = 0
		}
	}
}

// forgetConds clears the stable conditions that nothing tests after the constructor
// that has just returned.
func (m *model) forgetConds(st state) {
	for k, nth := range m.lastTest {
		if nth > 0 && nth <= st[m.layout.init] {
			st[m.layout.conds+k] = 0
		}
	}
}
