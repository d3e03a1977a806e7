package patch

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// This file tells how statements lie on lines. A block is either indented or
// on the line of its header, and in both cases several simple statements can
// share a line:
//
//	if a:          # an indented block
//	    b; c       # b starts the line, c follows a semicolon, c ends the line
//	if a: b; c     # a block on the line of its header: b follows the colon
//
// The edits of an Editor give a statement a line of its own only when they
// have to, by replacing the gap before or after it.

// A place says where a statement stands in the tree.
type place struct {
	block []ast.Stmt
	index int
	owner ast.Node // whose clause the block is; nil for the module
}

// A clause is a block and the node whose header or keyword is in front of it.
type clause struct {
	owner ast.Node
	body  []ast.Stmt
}

// locate notes the places of the statements of a block and below it. It
// counts the units of indentation, and keeps the most frequent one as that of
// the file, the first of equals.
func (e *Editor) locate(block []ast.Stmt, owner ast.Node, units map[string]int) {
	for i, s := range block {
		e.places[s] = place{block, i, owner}
		if unit := e.unitOf(s); unit != "" {
			if units[unit]++; units[unit] > units[e.unit] {
				e.unit = unit
			}
		}
		for _, c := range e.clauses(s) {
			e.locate(c.body, c.owner, units)
		}
	}
}

// unitOf returns what a block that starts with s adds to the indentation of
// its header, or "" if s starts none or the block is on the header's line.
func (e *Editor) unitOf(s ast.Stmt) string {
	at := e.lay().places[s]
	if at.owner == nil || at.index > 0 || e.onHeaderLine(s) {
		return ""
	}
	unit, ok := strings.CutPrefix(e.indent(s), e.lineIndent(at.owner))
	if !ok {
		return ""
	}
	return unit
}

// clauses returns the blocks of a compound statement. The If of an elif is
// not a statement of a block, its clauses are those of the first If.
func (e *Editor) clauses(s ast.Stmt) []clause {
	switch s := s.(type) {
	case *ast.FunctionDef:
		return []clause{{s, s.Body}}
	case *ast.ClassDef:
		return []clause{{s, s.Body}}
	case *ast.With:
		return []clause{{s, s.Body}}
	case *ast.For:
		return []clause{{s, s.Body}, {s, s.Orelse}}
	case *ast.While:
		return []clause{{s, s.Body}, {s, s.Orelse}}
	case *ast.If:
		if next := e.elif(s); next != nil {
			return append([]clause{{s, s.Body}}, e.clauses(next)...)
		}
		return []clause{{s, s.Body}, {s, s.Orelse}}
	case *ast.Try:
		all := []clause{{s, s.Body}}
		for _, h := range s.Handlers {
			all = append(all, clause{h, h.Body})
		}
		return append(all, clause{s, s.Orelse}, clause{s, s.Finalbody})
	case *ast.Match:
		var all []clause
		for _, c := range s.Cases {
			all = append(all, clause{c, c.Body})
		}
		return all
	}
	return nil
}

// elif returns the elif of s, or nil.
func (e *Editor) elif(s *ast.If) *ast.If {
	if len(s.Orelse) != 1 {
		return nil
	}
	next, ok := s.Orelse[0].(*ast.If)
	if !ok || !bytes.HasPrefix(e.src[next.Pos():], []byte("elif")) {
		return nil
	}
	return next
}

// A run is one or more statements that follow each other in a block.
type run struct {
	place       // of the first one
	first, last ast.Stmt
}

// wholeBlock reports whether the block would be empty without the run. A
// module may be.
func (r run) wholeBlock() bool {
	return r.owner != nil && r.block[0] == r.first && r.block[len(r.block)-1] == r.last
}

// before returns the statement before the run, or nil.
func (r run) before() ast.Stmt {
	if r.index == 0 {
		return nil
	}
	return r.block[r.index-1]
}

// after returns the statement after the run, or nil.
func (r run) after() ast.Stmt {
	for i, s := range r.block[:len(r.block)-1] {
		if s == r.last {
			return r.block[i+1]
		}
	}
	return nil
}

// run checks that statements follow each other in one block.
func (e *Editor) run(stmts []ast.Stmt) (run, error) {
	if len(stmts) == 0 || slices.Contains(stmts, nil) {
		return run{}, fmt.Errorf("%s: no statement given", e.module.Name)
	}
	p, ok := e.lay().places[stmts[0]]
	if !ok {
		return run{}, e.errorAt(stmts[0], "not a statement of a block")
	}
	for i, s := range stmts {
		if p.index+i >= len(p.block) || p.block[p.index+i] != s {
			return run{}, e.errorAt(s, "does not follow the statement before it")
		}
	}
	return run{p, stmts[0], stmts[len(stmts)-1]}, nil
}

func (e *Editor) errorAt(n ast.Node, msg string) error {
	line, column := e.module.Position(n.Pos())
	return fmt.Errorf("%s:%d:%d: %s", e.module.Name, line, column, msg)
}

// start returns the offset of the first byte of a statement, which is the @
// of its first decorator if it has one.
func (e *Editor) start(s ast.Stmt) int {
	var decorators []ast.Expr
	switch s := s.(type) {
	case *ast.FunctionDef:
		decorators = s.DecoratorList
	case *ast.ClassDef:
		decorators = s.DecoratorList
	}
	p := int(s.Pos())
	if len(decorators) == 0 {
		return p
	}
	// An expression in parentheses may start lines below its @, and there
	// may be an @ in a comment between the two.
	for p = int(decorators[0].Pos()) - 1; p > 0; p-- {
		if e.src[p] == '@' && e.skipBlanks(e.lineStart(p)) == p {
			break
		}
	}
	return p
}

// A lead says what is in front of a statement on its line.
type lead int

const (
	leadIndent    lead = iota // nothing: the statement starts a line
	leadSemicolon             // another statement
	leadColon                 // the header of its block
)

// lead returns what is in front of a statement and where the gap before the
// statement starts: at the start of the line, after the other statement or
// after the colon.
func (e *Editor) lead(s ast.Stmt) (lead, int) {
	p := e.start(s)
	for p > e.base {
		if isBlank(e.src[p-1]) {
			p--
		} else if q := e.beforeContinuation(p); q < p {
			p = q
		} else {
			break
		}
	}
	switch {
	case p > e.base && e.src[p-1] == ';':
		at := e.lay().places[s]
		return leadSemicolon, int(at.block[at.index-1].End())
	case p > e.base && e.src[p-1] == ':':
		return leadColon, p
	}
	return leadIndent, p
}

// beforeContinuation returns the offset of the backslash that joins the line
// that starts at p with the line before it, or p if there is none.
func (e *Editor) beforeContinuation(p int) int {
	q := p
	if q > e.base && e.src[q-1] == '\n' {
		q--
	}
	if q > e.base && e.src[q-1] == '\r' {
		q--
	}
	if q == p || q == e.base || e.src[q-1] != '\\' || e.inComment(q-1) {
		return p
	}
	return q - 1
}

// endsOnLine reports whether no other statement follows s on its line, and
// returns the end of the line, without the line end. A comment or a semicolon
// that ends the line belongs to it.
func (e *Editor) endsOnLine(s ast.Stmt) (end int, ok bool) {
	p := int(s.End())
	for p < len(e.src) {
		switch c := e.src[p]; {
		case isBlank(c) || c == ';':
			p++
		case c == '\\' && p+1 < len(e.src) && isNewline(e.src[p+1]):
			p = e.nextLine(p + 1)
		case isNewline(c):
			return p, true
		case c == '#':
			return e.lineEnd(p), true
		default:
			return p, false
		}
	}
	return p, true
}

// onHeaderLine reports whether the block of s is on the line of its header.
func (e *Editor) onHeaderLine(s ast.Stmt) bool {
	kind, _ := e.lead(e.lay().places[s].block[0])
	return kind == leadColon
}

// indent returns the indentation of a statement, or the one it gets when its
// block moves from the line of the header to lines of its own.
func (e *Editor) indent(s ast.Stmt) string {
	at := e.lay().places[s]
	if e.onHeaderLine(s) {
		return e.lineIndent(at.owner) + e.lay().unit
	}
	for i := at.index; ; i-- {
		if kind, start := e.lead(at.block[i]); kind == leadIndent {
			return string(e.src[start:e.skipBlanks(start)])
		}
	}
}

// lineIndent returns the indentation of the line that n starts.
func (e *Editor) lineIndent(n ast.Node) string {
	start := e.lineStart(int(n.Pos()))
	return string(e.src[start:e.skipBlanks(start)])
}

// textIndent returns the indentation of the line that a statement is part of:
// the one that its continuation lines are written for.
func (e *Editor) textIndent(s ast.Stmt) string {
	if e.onHeaderLine(s) {
		return e.lineIndent(e.lay().places[s].owner)
	}
	return e.indent(s)
}

// commentsAbove returns the start of the first line of the comments that
// stand directly above the line at start, with the same indentation. Comments
// that begin the file are about the file.
func (e *Editor) commentsAbove(start int) int {
	indent := e.src[start:e.skipBlanks(start)]
	p := start
	for p > e.base {
		q := e.lineStart(p - 1)
		if !e.commentLine(q) || !bytes.Equal(e.src[q:e.skipBlanks(q)], indent) {
			return p
		}
		p = q
	}
	return start
}

// linesEnd returns the offset after the last line of a statement. Comments
// below a compound statement that are indented more than its header are part
// of its last block.
func (e *Editor) linesEnd(s ast.Stmt) int {
	end, _ := e.endsOnLine(s)
	end = e.nextLine(end)
	if len(e.clauses(s)) == 0 {
		return end
	}
	indent := e.lineIndent(s)
	for p := end; p < len(e.src); {
		start := p
		p = e.nextLine(p)
		if e.blankLine(start) {
			continue
		}
		got := string(e.src[start:e.skipBlanks(start)])
		if !e.commentLine(start) || len(got) <= len(indent) || !strings.HasPrefix(got, indent) {
			break
		}
		end = p
	}
	return end
}

// blankLine reports whether the line at start has only blanks.
func (e *Editor) blankLine(start int) bool {
	p := e.skipBlanks(start)
	return p == len(e.src) || isNewline(e.src[p])
}

// commentLine reports whether the line at start has only a comment.
func (e *Editor) commentLine(start int) bool {
	p := e.skipBlanks(start)
	return p < len(e.src) && e.src[p] == '#' && e.inComment(p)
}

// inComment reports whether the byte at p is part of a comment.
func (e *Editor) inComment(p int) bool {
	comments := e.module.Comments
	i := sort.Search(len(comments), func(i int) bool { return int(comments[i].End()) > p })
	return i < len(comments) && int(comments[i].Pos()) <= p
}

// lineStart returns the start of the line of p. If p is a line end, it is the
// start of the line that ends there.
func (e *Editor) lineStart(p int) int {
	if p > e.base && p < len(e.src) && e.src[p] == '\n' && e.src[p-1] == '\r' {
		p--
	}
	for p > e.base && !isNewline(e.src[p-1]) {
		p--
	}
	return p
}

// lineEnd returns the end of the line of p, without the line end.
func (e *Editor) lineEnd(p int) int {
	for p < len(e.src) && !isNewline(e.src[p]) {
		p++
	}
	return p
}

// nextLine returns the start of the line after the one of p.
func (e *Editor) nextLine(p int) int {
	for p = e.lineEnd(p); p < len(e.src); p++ {
		if endsLine(e.src, p) {
			return p + 1
		}
	}
	return p
}

// skipBlanks returns the offset of the first byte from p on that is no blank.
func (e *Editor) skipBlanks(p int) int {
	for p < len(e.src) && isBlank(e.src[p]) {
		p++
	}
	return p
}
