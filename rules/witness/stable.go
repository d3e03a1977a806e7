package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// A stableCond is a condition whose outcome is the same wherever it is tested: what it
// asks, and the identities of the values.
type stableCond struct {
	test      flow.Test
	val, want string
}

// stableCondOf returns the stable condition that a step of an entrypoint tests: one over
// attributes of the object that nobody changes, or nobody but constructors.
func stableCondOf(e *flow.Entry, n *flow.Node) (c stableCond, ok bool) {
	if n.Test == flow.TestUnknown || n.Val == nil || n.Val.Kind == flow.Const {
		return c, false
	}
	c.test = n.Test
	if l := n.Val.Loc; n.Val.Kind == flow.Result && l != nil && l.Settled {
		c.val, ok = l.ID, e.Role != flow.Init // which may be about to assign it
	} else {
		c.val, ok = stableValue(n.Val)
	}
	switch {
	case !ok || n.Want == nil:
	case n.Want.External():
		c.want = n.Want.ID()
	default:
		c.want, ok = stableValue(n.Want)
	}
	return c, ok
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

// A stableTest is a stable condition with the steps that test it.
type stableTest struct {
	stableCond
	compared *flow.Value // with this value; nil when it is no comparison
	steps    int
}

// maxModes is up to how many values that one attribute is compared with are known to
// exclude each other: to say so takes a pair for each two of them.
const maxModes = 32

// findStableConds numbers the conditions that more than one step tests, and those that
// compare the same value with something else: of these, one can hold at most.
func (m *model) findStableConds() {
	var tests []*stableTest
	byCond := map[stableCond]*stableTest{}
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op != flow.Branch || !m.part.has(a.Entry, int32(i)) {
				continue
			}
			c, ok := stableCondOf(a.Entry, n)
			if !ok {
				continue
			}
			t := byCond[c]
			if t == nil {
				t = &stableTest{stableCond: c}
				if n.Test == flow.TestEq {
					t.compared = n.Want
				}
				byCond[c] = t
				tests = append(tests, t)
			}
			t.steps++
		}
	}
	byVal := map[string]int{}
	for _, t := range tests {
		byVal[t.val]++
	}
	excludes := func(t, u *stableTest) bool {
		return byVal[t.val] <= maxModes && t.compared != nil && u.compared != nil && t.val == u.val && t.compared.Distinct(u.compared)
	}
	for _, t := range tests {
		if t.steps > 1 || slices.ContainsFunc(tests, func(u *stableTest) bool { return excludes(t, u) }) {
			m.conds[t.stableCond] = len(m.conds)
		}
	}
	m.excluded = make([][]int, len(m.conds))
	for _, t := range tests {
		for _, u := range tests {
			if excludes(t, u) {
				m.excluded[m.conds[t.stableCond]] = append(m.excluded[m.conds[t.stableCond]], m.conds[u.stableCond])
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
