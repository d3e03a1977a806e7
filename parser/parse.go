// Package parser turns Python source into a syntax tree.
//
// It accepts the language of Python 3.8 to 3.14 and builds the trees of
// CPython's ast module, with the range of every node in bytes. It is a
// recursive descent parser after the PEG grammar in the Python reference
// (https://docs.python.org/3/reference/grammar.html); the rules are cited
// beside the functions. Tokens are scanned on demand, and only match and
// parenthesized with statements look ahead, over tokens and not over trees.
//
// A syntax error costs the statement it is in: the parser goes on with the
// next one and returns all errors with the module. In such a module the bodies
// of compound statements may be empty; apart from that it has the shape of
// that of a correct file.
package parser

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/kvrace/kvrace/parser/ast"
)

const (
	// maxDepth bounds the recursion of the parser and, nearly, the depth of
	// the tree. CPython gives up at about the same depth.
	maxDepth = 6000
	// maxChain bounds the length of chains as in a.b.c or 1+1+1, which make
	// trees deep without recursion. CPython gives up at about 10000.
	maxChain = 10000
	// maxChains bounds the sum of the lengths of those chains of a statement
	// that are longer than longChain, which may nest.
	maxChains = 100000
	longChain = 200
	// maxRescans bounds, in multiples of the file's size, the text that is
	// scanned again because of brackets that were never closed.
	maxRescans = 4
)

// Mode is a set of flags of [Options].
type Mode uint8

const (
	// Check asks for the errors that CPython finds only when it compiles the
	// tree, such as a return statement outside a function.
	Check Mode = 1 << iota
)

// Options tells how to parse. The zero value is good for any file.
type Options struct {
	Version Version
	Mode    Mode
}

// ParseFile parses a file. The name is used for errors only; it is not
// opened. The module refers to src, which must not be changed afterwards.
//
// The module is never nil: it holds the statements that are correct. The error
// is nil or an [ErrorList].
func ParseFile(name string, src []byte, opts Options) (*ast.Module, error) {
	m := &ast.Module{Name: name}
	var f faults
	bom := decodeSource(m, src, &f)
	if len(m.Source) > maxSource {
		m.Source = nil
		f.add(0, "file is too large")
	}
	m.Lines = ast.NewLines(m.Source, bom)
	p := parsers.Get().(*parser)
	defer p.release()
	p.init(m, opts)
	p.faults = f
	p.module(m)
	if opts.Mode&Check != 0 {
		check(m, p.version, &p.faults)
	}
	if errs := p.faults.list(m); errs != nil {
		return m, errs
	}
	return m, nil
}

// maxSource keeps offsets in the range of ast.Pos.
const maxSource = 1<<31 - 2

type parser struct {
	scanner
	version Version
	faults  faults

	depth     int     // of the recursion
	statement ast.Pos // start of the innermost statement or clause
	chains    int     // sum of the lengths of the long chains of this statement
	rescans   int     // bytes that may still be scanned again
	lastFail  bool    // the last statement of this block had a syntax error

	nodes nodes
	lists
}

// parsers keeps parsers for the memory of their stacks.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// init prepares a parser for a module with its source and lines.
func (p *parser) init(m *ast.Module, opts Options) {
	src := unsafe.String(unsafe.SliceData(m.Source), len(m.Source))
	*p = parser{
		scanner: p.scanner.reuse(src, &m.Lines),
		lists:   p.lists,
		version: opts.Version,
		rescans: maxRescans * len(src),
	}
	if p.version == 0 {
		p.version = Newest
	}
	p.nodes.init(&p.scanner)
	p.lists.init(&p.scanner)
}

// release drops what belongs to the module and makes the parser available.
func (p *parser) release() {
	p.src, p.lines = "", nil
	p.nodes = nodes{}
	p.faults = nil
	parsers.Put(p)
}

// bailout is the value of the panic that leaves a statement with a syntax
// error; attempt recovers it.
type bailout struct{}

// failAt records a syntax error and leaves the statement. If the error is a
// consequence of a bracket in a line before it that is never closed, that is
// the error.
func (p *parser) failAt(pos ast.Pos, format string, args ...any) {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	if n := len(p.brackets); n > 0 && p.tok != illegal {
		b := p.brackets[n-1]
		if p.newLine(b.pos, max(b.pos, pos, p.pos)) && !p.isClosed() || p.tok == eof {
			pos, msg = b.pos, fmt.Sprintf("'%s' was never closed", spellings[b.open])
		}
	}
	p.faults.add(pos, msg)
	panic(bailout{})
}

// newLine reports whether there is a line break between two positions.
func (p *parser) newLine(from, to ast.Pos) bool {
	return strings.ContainsAny(p.src[from:to], "\r\n")
}

// isClosed reports whether the innermost bracket is closed not too far from
// the current token, or that would take too long to find out.
func (p *parser) isClosed() bool {
	if p.rescans < 0 {
		return true
	}
	s := p.snapshot()
	defer func() { p.rescans -= s.off - p.off }()
	depth := len(s.brackets)
	for range maxClosing {
		if len(s.brackets) < depth {
			return true
		}
		if s.next(); s.tok <= illegal {
			return false
		}
	}
	return true
}

// maxClosing is the number of tokens that isClosed looks at.
const maxClosing = 1000

// failToken leaves the statement because the current token does not fit.
func (p *parser) failToken() {
	p.failExpecting("invalid syntax")
}

// failExpecting leaves the statement because the current token does not fit,
// with msg unless there is a better reason.
func (p *parser) failExpecting(msg string) {
	switch {
	case p.tok == illegal:
		p.failAt(p.problem.pos, "%s", p.problem.msg)
	case p.tok == indent:
		p.failAt(p.pos, "unexpected indent")
	}
	p.failAt(p.pos, "%s", msg)
}

// require records that a construct needs a newer version of the language.
func (p *parser) require(v Version, pos ast.Pos, what string) {
	if p.version < v {
		p.faults.add(pos, fmt.Sprintf("%s requires Python %s or newer", what, v))
	}
}

// enter counts one level of recursion; leave ends it.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.failAt(p.pos, "too many nested expressions or blocks")
	}
}

func (p *parser) leave() { p.depth-- }

// link counts the n-th operator of a chain that nests to the left.
func (p *parser) link(n int) {
	if n >= longChain {
		p.chains++
	}
	if n > maxChain || p.chains > maxChains {
		p.failAt(p.pos, "too many operators in one expression")
	}
}

// span returns the range from start to the last token that was consumed.
func (p *parser) span(start ast.Pos) ast.Range { return ast.Range{Start: start, Stop: p.prevEnd} }

// accept consumes the current token if it is a k.
func (p *parser) accept(k kind) bool {
	if p.tok != k {
		return false
	}
	p.next()
	return true
}

// expect consumes a k.
func (p *parser) expect(k kind) {
	if p.tok != k {
		p.failToken()
	}
	p.next()
}

// force consumes a k, and says so if there is none.
func (p *parser) force(k kind) {
	if p.tok != k {
		p.failExpecting("expected '" + spellings[k] + "'")
	}
	p.next()
}

// identifier consumes a name and returns its normal form.
func (p *parser) identifier() string {
	if p.tok != name {
		p.failToken()
	}
	id := p.nameText()
	p.next()
	return id
}

// nameText returns the normal form of the current token, a name.
func (p *parser) nameText() string {
	id := p.src[p.pos:p.end]
	if p.nonASCII {
		id = normalizeName(id)
	}
	return id
}

// word reports whether the current token is the soft keyword w.
func (p *parser) word(w string) bool {
	return p.tok == name && p.src[p.pos:p.end] == w
}

// module parses
//
//	file: [statements] ENDMARKER
func (p *parser) module(m *ast.Module) {
	p.next()
	mark := p.stmts.mark()
	for p.tok != eof {
		p.statements()
		p.accept(dedent) // of an indentation that was not expected
	}
	m.Body = p.stmts.take(mark)
	m.Comments = slices.Clone(p.comments)
	m.Stop = ast.Pos(len(p.src))
	for _, fault := range p.layoutProblems {
		p.faults.add(fault.pos, fault.msg)
	}
}

// attempt calls f, and if a syntax error ends it, skips to the next line that
// is not part of the statement. It reports whether there was no error.
func (p *parser) attempt(f func()) (ok bool) {
	depth := p.depth
	p.statement = p.pos
	defer func() {
		if ok {
			return
		}
		if r := recover(); r != (bailout{}) {
			panic(r)
		}
		p.depth = depth
		p.exprs.drop(0)
		p.keywords.drop(0)
		p.args.drop(0)
		p.aliases.drop(0)
		p.ops.drop(0)
		p.skipStatement(p.statement)
	}()
	f()
	return true
}

// skipStatement moves to the start of the next statement after a syntax error
// in one that began at start.
func (p *parser) skipStatement(start ast.Pos) {
	if p.tok == newline && p.pos > start {
		p.next()
		return
	}
	if p.tok <= dedent && p.tok != newline && p.pos > start {
		return
	}
	opened := ast.Pos(-1)
	if len(p.brackets) > 0 {
		opened = p.brackets[0].pos
	}
	for p.tok != newline {
		if p.tok == eof {
			p.rescan(opened)
			return
		}
		if len(p.brackets) > 0 && startsOnlyStatements(p.tok) && p.newLine(p.prevEnd, p.pos) {
			p.resume(lineStart(p.src, int(p.pos)))
			break
		}
		p.next()
	}
	p.next()
}

// rescan goes back to the line after the bracket at opened, which was never
// closed, as long as that does not take too much time.
func (p *parser) rescan(opened ast.Pos) {
	if opened < 0 {
		return
	}
	line := lineEnd(p.src, int(opened))
	p.rescans -= len(p.src) - line
	if p.rescans < 0 {
		return
	}
	p.comments = commentsBefore(p.comments, ast.Pos(line))
	p.resume(line)
	p.next()
}

// commentsBefore returns the comments that start before pos.
func commentsBefore(comments []ast.Comment, pos ast.Pos) []ast.Comment {
	n := len(comments)
	for n > 0 && comments[n-1].Start >= pos {
		n--
	}
	return comments[:n]
}

// lineStart returns the offset of the first byte of the line of off.
func lineStart(src string, off int) int {
	return strings.LastIndexAny(src[:off], "\r\n") + 1
}

// startsOnlyStatements reports whether a keyword at the start of a line cannot
// be in the middle of an expression.
func startsOnlyStatements(k kind) bool {
	switch k {
	case kwAssert, kwBreak, kwClass, kwContinue, kwDef, kwDel, kwExcept, kwFinally, kwGlobal, kwImport,
		kwNonlocal, kwPass, kwRaise, kwReturn, kwTry, kwWhile, kwWith:
		return true
	}
	return false
}
