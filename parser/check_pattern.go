package parser

import (
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

func (c *checker) matchStmt(n *ast.Match) {
	c.expr(n.Subject)
	for i, k := range n.Cases {
		names := map[string]bool{}
		c.pattern(k.Pattern, names)
		if i < len(n.Cases)-1 && k.Guard == nil {
			c.irrefutable(k.Pattern)
		}
		c.optional(k.Guard)
		c.stmts(k.Body)
	}
}

// irrefutable reports a pattern that matches anything although other patterns
// follow.
func (c *checker) irrefutable(p ast.Pattern) {
	switch p := p.(type) {
	case *ast.MatchAs:
		switch {
		case p.Pattern != nil:
			c.irrefutable(p.Pattern)
		case p.Name == "":
			c.fail(p, "wildcard makes remaining patterns unreachable")
		default:
			c.fail(p, "name capture '%s' makes remaining patterns unreachable", p.Name)
		}
	case *ast.MatchOr:
		c.irrefutable(p.Patterns[len(p.Patterns)-1])
	}
}

// pattern visits a pattern and adds the names that it binds to names.
func (c *checker) pattern(p ast.Pattern, names map[string]bool) {
	switch p := p.(type) {
	case *ast.MatchValue:
		c.patternValue(p.Value, "patterns may only match literals and attribute lookups")
	case *ast.MatchSequence:
		c.sequencePattern(p, names)
	case *ast.MatchMapping:
		c.mappingPattern(p, names)
	case *ast.MatchClass:
		c.classPattern(p, names)
	case *ast.MatchStar:
		c.capture(p, p.Name, names)
	case *ast.MatchAs:
		if p.Pattern != nil {
			c.pattern(p.Pattern, names)
		}
		c.capture(p, p.Name, names)
	case *ast.MatchOr:
		c.orPattern(p, names)
	}
}

func (c *checker) patternValue(x ast.Expr, msg string) {
	if _, ok := x.(*ast.JoinedStr); ok {
		c.fail(x, "%s", msg)
	}
	if _, ok := x.(*ast.TemplateStr); ok {
		c.fail(x, "%s", msg)
	}
	c.expr(x)
}

func (c *checker) capture(p ast.Pattern, name string, names map[string]bool) {
	if name == "" {
		return
	}
	if names[name] {
		c.fail(p, "multiple assignments to name '%s' in pattern", name)
	}
	names[name] = true
	c.bind(name, p, isBound)
}

func (c *checker) sequencePattern(p *ast.MatchSequence, names map[string]bool) {
	stars := 0
	for _, sub := range p.Patterns {
		if _, ok := sub.(*ast.MatchStar); ok {
			if stars++; stars == 2 {
				c.fail(sub, "multiple starred names in sequence pattern")
			}
		}
		c.pattern(sub, names)
	}
}

func (c *checker) mappingPattern(p *ast.MatchMapping, names map[string]bool) {
	seen := map[mappingKey]bool{}
	for i, key := range p.Keys {
		if k, ok := keyOf(key); ok {
			if seen[k] {
				c.fail(key, "mapping pattern checks duplicate key")
			}
			seen[k] = true
		}
		c.patternValue(key, "mapping pattern keys may only match literals and attribute lookups")
		c.pattern(p.Patterns[i], names)
	}
	c.capture(p, p.Rest, names)
}

func (c *checker) classPattern(p *ast.MatchClass, names map[string]bool) {
	c.expr(p.Cls)
	for _, sub := range p.Patterns {
		c.pattern(sub, names)
	}
	seen := map[string]bool{}
	for i, sub := range p.KwdPatterns {
		name := p.KwdAttrs[i]
		if seen[name] {
			c.fail(sub, "attribute name repeated in class pattern: %s", name)
		}
		if name == "__debug__" {
			c.fail(sub, "cannot assign to __debug__")
		}
		seen[name] = true
		c.pattern(sub, names)
	}
}

// orPattern checks that the alternatives bind the same names and that only the
// last one matches anything.
func (c *checker) orPattern(p *ast.MatchOr, names map[string]bool) {
	var first map[string]bool
	for i, sub := range p.Patterns {
		bound := map[string]bool{}
		for name := range names {
			bound[name] = true
		}
		c.pattern(sub, bound)
		if i < len(p.Patterns)-1 {
			c.irrefutable(sub)
		}
		if first == nil {
			first = bound
		} else if !sameNames(first, bound) {
			c.fail(p, "alternative patterns bind different names")
			break
		}
	}
	for name := range first {
		names[name] = true
	}
}

func sameNames(a, b map[string]bool) bool {
	for name := range a {
		if !b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// mappingKey is the value of a constant key: equal keys of a dict are equal.
type mappingKey struct {
	kind   ast.ConstKind // Complex for all numbers and booleans
	number complex128
	text   string // of strings and of integers that are not exact as a float
}

// keyOf returns the value of a key that is a literal.
func keyOf(x ast.Expr) (mappingKey, bool) {
	switch x := x.(type) {
	case *ast.Constant:
		return constantKey(x), true
	case *ast.UnaryOp:
		k, ok := keyOf(x.Operand)
		k.number = -k.number
		if k.text != "" {
			k.text = "-" + k.text
		}
		return k, ok
	case *ast.BinOp:
		left, ok := keyOf(x.Left)
		right, _ := keyOf(x.Right)
		if x.Op == ast.Sub {
			right.number = -right.number
		}
		left.number += right.number
		return left, ok
	}
	return mappingKey{}, false
}

func constantKey(c *ast.Constant) mappingKey {
	switch c.Kind() {
	case ast.True:
		return mappingKey{kind: ast.Complex, number: 1}
	case ast.False:
		return mappingKey{kind: ast.Complex}
	case ast.Int:
		digits := strings.ReplaceAll(c.Value(), "_", "")
		v, err := strconv.ParseInt(strings.TrimLeft(digits, "0"), 10, 53)
		if err == nil || strings.Trim(digits, "0") == "" {
			return mappingKey{kind: ast.Complex, number: complex(float64(v), 0)}
		}
		return mappingKey{kind: ast.Complex, text: ast.Repr(c)}
	case ast.Float:
		return mappingKey{kind: ast.Complex, number: complex(floatValue(c.Value()), 0)}
	case ast.Complex:
		return mappingKey{kind: ast.Complex, number: complex(0, floatValue(c.Value()[:len(c.Value())-1]))}
	}
	return mappingKey{kind: c.Kind(), text: c.Value()}
}

func floatValue(spelling string) float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(spelling, "_", ""), 64)
	return v
}
