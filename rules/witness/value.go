package witness

import (
	"strconv"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// code is an abstract value. In a location it also says that there is an entry;
// zero is no entry, an unset flag or a register that does not matter.
type code uint8

// The abstract values that are no constants. Constants are numbered from
// firstConst in the order in which they are met.
const (
	absent code = iota
	anything
	notNone
	truthy
	falsy
	foreign // belongs to another key; not None and true
	none
	yes
	no
	firstConst = none
	maxCode    = 250
)

// consts numbers constants.
type consts struct {
	vals []constant // by code - firstConst; the first three are not used
	byID map[string]code
	// asked are the strings and other constants without a number that something
	// is compared with. Of the rest only the truth matters.
	asked map[string]bool
}

// constant is a constant of the program, or a number that a counter reached.
type constant struct {
	val   *flow.Value // nil for a number that was computed
	num   int64
	isNum bool
}

func newConsts() *consts {
	return &consts{vals: make([]constant, 3), byID: map[string]code{}, asked: map[string]bool{}}
}

// ask notes that values are compared with v.
func (c *consts) ask(v *flow.Value) {
	if v != nil && v.Kind == flow.Const {
		c.asked[v.ID()] = true
	}
}

// of returns the code of a constant.
func (c *consts) of(v *flow.Value) code {
	switch {
	case v.IsNone():
		return none
	case v.IsBool(true):
		return yes
	case v.IsBool(false):
		return no
	}
	if !v.HasInt && v.Cls == nil && !c.asked[v.ID()] {
		if v.Lit == ast.Str && v.Name == "" {
			return falsy
		}
		return truthy
	}
	id := v.ID() + " " + v.Name
	if have, ok := c.byID[id]; ok {
		return have
	}
	var x code
	if v.HasInt && v.Cls == nil && v.Name == strconv.FormatInt(v.Int, 10) {
		x = c.number(v.Int)
	}
	if x == absent || x == anything {
		x = c.add(constant{val: v, num: v.Int, isNum: v.HasInt})
	}
	c.byID[id] = x
	return x
}

func (c *consts) add(k constant) code {
	n := firstConst + code(len(c.vals))
	if n >= maxCode {
		return anything
	}
	c.vals = append(c.vals, k)
	return n
}

// number returns the code of an integer that a program computes. A counter
// without bound must not make states without bound, so large ones are
// approximated.
func (c *consts) number(n int64) code {
	for i, k := range c.vals {
		if k.isNum && k.num == n && k.val == nil {
			return firstConst + code(i)
		}
	}
	if n < -8 || n > 8 {
		return anything
	}
	return c.add(constant{num: n, isNum: true})
}

// constant returns the constant that x stands for, if it is one beside None,
// True and False.
func (c *consts) constant(x code) (constant, bool) {
	if x <= no {
		return constant{}, false
	}
	return c.vals[x-firstConst], true
}

// int returns the number of a constant that has one.
func (c *consts) int(x code) (int64, bool) {
	switch x {
	case yes:
		return 1, true
	case no:
		return 0, true
	}
	if k, ok := c.constant(x); ok && k.isNum {
		return k.num, true
	}
	return 0, false
}

// name returns a value in the words of the source.
func (c *consts) name(x code) string {
	switch x {
	case absent:
		return "absent"
	case none:
		return "None"
	case yes:
		return "True"
	case no:
		return "False"
	}
	k, ok := c.constant(x)
	switch {
	case !ok:
		return "present"
	case k.val == nil:
		return strconv.FormatInt(k.num, 10)
	}
	return k.val.String()
}

// truth is the answer to a test.
type truth uint8

const (
	unknown truth = iota
	holds
	fails
)

func truthOf(b bool) truth {
	if b {
		return holds
	}
	return fails
}

// isTrue tells whether a value is true.
func (c *consts) isTrue(x code) truth {
	switch x {
	case truthy, foreign, yes:
		return holds
	case falsy, none, no:
		return fails
	case absent, anything, notNone:
		return unknown
	}
	k, _ := c.constant(x)
	switch {
	case k.isNum:
		return truthOf(k.num != 0)
	case k.val.Cls != nil:
		return holds // a member of an enumeration without a number
	}
	return truthOf(k.val.Lit != ast.Str || k.val.Name != "")
}

// isNone tells whether a value is None.
func (c *consts) isNone(x code) truth {
	switch x {
	case none:
		return holds
	case absent, anything, falsy:
		return unknown
	}
	return fails
}

// equal tells whether two values are equal.
func (c *consts) equal(a, b code) truth {
	if a >= firstConst && b >= firstConst {
		if a == b {
			return holds
		}
		m, okm := c.int(a)
		n, okn := c.int(b)
		if okm && okn && c.comparable(a, b) {
			return truthOf(m == n)
		}
		return fails
	}
	if a == none && c.isNone(b) == fails || b == none && c.isNone(a) == fails {
		return fails
	}
	if s, t := c.isTrue(a), c.isTrue(b); s != unknown && t != unknown && s != t {
		return fails
	}
	return unknown
}

// comparable reports whether the numbers of two constants can be equal: not
// those of different classes of constants.
func (c *consts) comparable(a, b code) bool {
	k, _ := c.constant(a)
	l, _ := c.constant(b)
	return k.val == nil || l.val == nil || k.val.Cls == nil || l.val.Cls == nil || k.val.Cls == l.val.Cls
}

// less tells whether a < b.
func (c *consts) less(a, b code) truth {
	m, okm := c.int(a)
	n, okn := c.int(b)
	if okm && okn {
		return truthOf(m < n)
	}
	return unknown
}

// refine returns what is known about a value after a test.
func (c *consts) refine(x code, t flow.Test, want code, outcome bool) code {
	if x != anything && x != notNone && x != truthy && x != falsy {
		return x
	}
	switch {
	case t == flow.TestNone && outcome:
		return none
	case t == flow.TestNone && x == anything:
		return notNone
	case t == flow.TestEq && outcome && want >= firstConst:
		return want
	case t == flow.TestTruth && outcome:
		return truthy
	case t == flow.TestTruth && x == anything:
		return falsy
	}
	return x
}

// arithmetic returns a op b.
func (c *consts) arithmetic(op exprKind, a, b code) code {
	m, okm := c.int(a)
	n, okn := c.int(b)
	if !okm || !okn {
		if op == exprMax || op == exprMin {
			if a == b {
				return a
			}
			return anything
		}
		return notNone
	}
	switch op {
	case exprAdd:
		return c.number(m + n)
	case exprSub:
		return c.number(m - n)
	case exprMax:
		if n > m {
			return b
		}
		return a
	case exprMin:
		if n < m {
			return b
		}
		return a
	}
	return anything
}
