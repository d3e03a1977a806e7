package parser

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// slab hands out values of one type from chunks: most of a tree is a few kinds
// of nodes, and one allocation for many of them is faster than one for each. A
// chunk stays in memory as long as one of its values.
type slab[T any] struct {
	chunk []T
	used  int // values of chunk
	scan  *scanner
	// spacing is how many bytes of ordinary source there are for each value.
	spacing int
}

const maxChunk = 512 // values

// grow makes a new chunk, for half of the values that the rest of the source
// is likely to need: so large files take few chunks and little is left over. It
// fills the memory that the allocator has for a chunk of about this size.
func (s *slab[T]) grow() {
	n := (len(s.scan.src) - s.scan.off) / (2 * s.spacing)
	chunk := slices.Grow([]T(nil), min(max(n, 1), maxChunk))
	s.chunk, s.used = chunk[:cap(chunk)], 0
}

// new returns a pointer to a zero value.
func (s *slab[T]) new() *T {
	if s.used == len(s.chunk) {
		s.grow()
	}
	v := &s.chunk[s.used]
	s.used++
	return v
}

// undo takes back the value that new returned last.
func (s *slab[T]) undo() {
	var zero T
	s.used--
	s.chunk[s.used] = zero
}

// copy returns a copy of list, which is nil if list is empty.
func (s *slab[T]) copy(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > len(s.chunk)-s.used {
		if n > 16 {
			return append(make([]T, 0, n), list...)
		}
		if s.grow(); n > len(s.chunk) {
			return append(make([]T, 0, n), list...)
		}
	}
	c := s.chunk[s.used : s.used+n : s.used+n]
	s.used += n
	copy(c, list)
	return c
}

// stack collects lists whose length is not known yet. Lists nest: mark starts
// one, push adds to the innermost one, and take ends it.
type stack[T any] struct {
	items []T
	slab  slab[T]
}

// init empties the stack and prepares it for the source of a scanner.
func (s *stack[T]) init(scan *scanner, spacing int) {
	s.items = s.items[:0]
	s.slab = slab[T]{scan: scan, spacing: spacing}
}

func (s *stack[T]) mark() int { return len(s.items) }

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

// take returns the list that began at mark, in memory of its own.
func (s *stack[T]) take(mark int) []T {
	list := s.slab.copy(s.items[mark:])
	s.items = s.items[:mark]
	return list
}

// drop forgets the list that began at mark.
func (s *stack[T]) drop(mark int) {
	s.items = s.items[:mark]
}

// nodes holds a slab for each of the most frequent kinds of nodes.
type nodes struct {
	names       slab[ast.Name]
	constants   slab[ast.Constant]
	attributes  slab[ast.Attribute]
	calls       slab[ast.Call]
	assigns     slab[ast.Assign]
	keywords    slab[ast.Keyword]
	args        slab[ast.Arg]
	exprStmts   slab[ast.ExprStmt]
	subscripts  slab[ast.Subscript]
	binOps      slab[ast.BinOp]
	compares    slab[ast.Compare]
	tuples      slab[ast.Tuple]
	aliases     slab[ast.Alias]
	conditional slab[ast.If]
	arguments   slab[ast.Arguments]
}

// init prepares the slabs for the source of a scanner. The spacings are those
// of a large body of code.
func (n *nodes) init(s *scanner) {
	n.names = slab[ast.Name]{scan: s, spacing: 36}
	n.constants = slab[ast.Constant]{scan: s, spacing: 100}
	n.attributes = slab[ast.Attribute]{scan: s, spacing: 105}
	n.calls = slab[ast.Call]{scan: s, spacing: 150}
	n.assigns = slab[ast.Assign]{scan: s, spacing: 240}
	n.keywords = slab[ast.Keyword]{scan: s, spacing: 290}
	n.args = slab[ast.Arg]{scan: s, spacing: 400}
	n.exprStmts = slab[ast.ExprStmt]{scan: s, spacing: 530}
	n.subscripts = slab[ast.Subscript]{scan: s, spacing: 550}
	n.binOps = slab[ast.BinOp]{scan: s, spacing: 690}
	n.compares = slab[ast.Compare]{scan: s, spacing: 800}
	n.tuples = slab[ast.Tuple]{scan: s, spacing: 820}
	n.aliases = slab[ast.Alias]{scan: s, spacing: 900}
	n.conditional = slab[ast.If]{scan: s, spacing: 920}
	n.arguments = slab[ast.Arguments]{scan: s, spacing: 1020}
}

// lists holds the lists that are being collected.
type lists struct {
	stmts    stack[ast.Stmt]
	exprs    stack[ast.Expr]
	keywords stack[*ast.Keyword]
	args     stack[*ast.Arg]
	aliases  stack[*ast.Alias]
	ops      stack[ast.CmpOp]
}

// init prepares the stacks for the source of a scanner.
func (l *lists) init(s *scanner) {
	l.stmts.init(s, 120)
	l.exprs.init(s, 45)
	l.keywords.init(s, 290)
	l.args.init(s, 400)
	l.aliases.init(s, 900)
	l.ops.init(s, 800)
}
