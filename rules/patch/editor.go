package patch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// An Editor builds edits of one Python file in the style of the file. It
// changes nothing itself and can be used again; the edits of several calls go
// together as long as they do not overlap, which [Apply] checks. It is not safe for
// concurrent use.
//
// New lines are given without indentation and without line end; each leading
// tab stands for one level of indentation in the file. Edits are sorted. An
// error says that a statement is not where the edit would need it, for
// example that it is the If of an elif.
//
// The meaning of the program is the caller's business. An Editor keeps the
// values of strings: it never changes the indentation inside a literal.
type Editor struct {
	module  *ast.Module
	src     []byte
	base    int // offset of the first line, after a byte order mark
	newline string
	unit    string
	places  map[ast.Stmt]place // nil until lay
	within  int                // headers that other edits put around those of the Editor
}

// NewEditor returns an Editor for a module that was parsed without errors. Its
// edits carry the name of the module and offsets in its Source, so they do not
// fit a file in another encoding than UTF-8.
func NewEditor(m *ast.Module) *Editor {
	e := &Editor{module: m, src: m.Source}
	if bytes.HasPrefix(e.src, []byte("\ufeff")) {
		e.base = len("\ufeff")
	}
	e.newline = ast.Note(m, newlineNote{}, func() string { return newline(e.src) })
	return e
}

// Keys of what all editors of a module find out together.
type (
	newlineNote struct{}
	layoutNote  struct{}
)

// A layout is the place of each statement and the unit of indentation.
type layout struct {
	places map[ast.Stmt]place
	unit   string
}

// lay finds the layout of the module, when an edit first asks for it. It asks for places
// itself, of what it has passed.
func (e *Editor) lay() *Editor {
	if e.places == nil {
		l := ast.Note(e.module, layoutNote{}, func() layout {
			own := Editor{module: e.module, src: e.src, base: e.base, newline: e.newline, places: make(map[ast.Stmt]place)}
			own.locate(e.module.Body, nil, make(map[string]int))
			if own.unit == "" {
				own.unit = "    "
			}
			return layout{own.places, own.unit}
		})
		e.places, e.unit = l.places, l.unit
	}
	return e
}

// Newline returns the line end that most lines of the file have.
func (e *Editor) Newline() string { return e.newline }

// IndentUnit returns what most blocks of the file add to the indentation of
// their header, and four spaces when there is no indented block.
func (e *Editor) IndentUnit() string { return e.lay().unit }

// Indent returns the indentation of the line of a statement. For a block on
// the line of its header, it is the indentation that its statements would have
// on lines of their own.
func (e *Editor) Indent(s ast.Stmt) (string, error) {
	if _, err := e.run([]ast.Stmt{s}); err != nil {
		return "", err
	}
	return e.indent(s), nil
}

func newline(src []byte) string {
	crlf := bytes.Count(src, []byte("\r\n"))
	lf := bytes.Count(src, []byte("\n")) - crlf
	cr := bytes.Count(src, []byte("\r")) - crlf
	switch {
	case crlf > lf && crlf >= cr:
		return "\r\n"
	case cr > lf:
		return "\r"
	}
	return "\n"
}

// InsertBefore puts lines before a statement, and before the comments
// directly above it.
func (e *Editor) InsertBefore(s ast.Stmt, lines ...string) ([]Edit, error) {
	r, err := e.run([]ast.Stmt{s})
	if err != nil {
		return nil, err
	}
	return e.finish(e.insertBefore(r, e.render(lines, e.indent(s))))
}

// InsertAfter puts lines after a statement.
func (e *Editor) InsertAfter(s ast.Stmt, lines ...string) ([]Edit, error) {
	r, err := e.run([]ast.Stmt{s})
	if err != nil {
		return nil, err
	}
	return e.finish(e.insertAfter(r, e.render(lines, e.indent(s))))
}

// Delete removes statements that follow each other in a block, with the
// comment that ends the line of the last one. Comments above stay. A block
// that would be empty gets a pass statement.
func (e *Editor) Delete(stmts ...ast.Stmt) ([]Edit, error) {
	r, err := e.run(stmts)
	if err != nil {
		return nil, err
	}
	return e.finish(e.remove(r, e.start(r.first)))
}

// MoveBefore moves statements that follow each other in a block to before
// the statement target, which may be in another block. Statements that have
// their lines for themselves take the comments directly above the first one
// and at the end of the last one along. A block that would be empty gets a
// pass statement.
func (e *Editor) MoveBefore(target ast.Stmt, stmts ...ast.Stmt) ([]Edit, error) {
	r, to, err := e.moveOperands(target, stmts)
	if err != nil {
		return nil, err
	}
	if r.after() == target {
		return nil, e.errorAt(r.first, "is before the target already")
	}
	insert := e.insertBefore(to, e.reindented(r, e.indent(target)))
	return e.finish(append(insert, e.remove(r, e.moveStart(r))...))
}

// MoveAfter is like [Editor.MoveBefore], but moves to after target.
func (e *Editor) MoveAfter(target ast.Stmt, stmts ...ast.Stmt) ([]Edit, error) {
	r, to, err := e.moveOperands(target, stmts)
	if err != nil {
		return nil, err
	}
	if r.before() == target {
		return nil, e.errorAt(r.first, "is after the target already")
	}
	insert := e.insertAfter(to, e.reindented(r, e.indent(target)))
	return e.finish(append(insert, e.remove(r, e.moveStart(r))...))
}

// MoveUnder is like [Editor.MoveAfter], but puts "header:" there and what is moved under that.
func (e *Editor) MoveUnder(header string, target ast.Stmt, stmts ...ast.Stmt) ([]Edit, error) {
	r, to, err := e.moveOperands(target, stmts)
	if err != nil {
		return nil, err
	}
	indent := e.indent(target)
	insert := e.insertAfter(to, e.render([]string{header + ":"}, indent)+e.reindented(r, indent+e.lay().unit))
	return e.finish(append(insert, e.remove(r, e.moveStart(r))...))
}

// ReplaceStmts puts lines in place of statements that follow each other in a
// block. A comment that ends the line of the last one stays. If there is one
// line and the statements share theirs with others, it must be a simple
// statement.
func (e *Editor) ReplaceStmts(stmts []ast.Stmt, lines ...string) ([]Edit, error) {
	if len(lines) == 0 {
		return e.Delete(stmts...)
	}
	r, err := e.run(stmts)
	if err != nil {
		return nil, err
	}
	indent := e.indent(r.first)
	text := strings.TrimPrefix(e.render(lines, indent), indent)
	text = strings.TrimSuffix(text, e.newline)
	edits := []Edit{e.edit(e.start(r.first), int(r.last.End()), text)}
	if len(lines) > 1 {
		edits = append(edits, e.ownLines(r)...)
	}
	return e.finish(edits)
}

// ReplaceExpr puts text in place of an expression. It adds what the tokens
// need to stay apart, and parentheses in place of those of a generator
// expression that is the only argument of a call; parentheses that the
// precedence of text needs are the caller's business.
func (e *Editor) ReplaceExpr(x ast.Expr, text string) Edit {
	start, end := int(x.Pos()), int(x.End())
	switch {
	case e.ownsCallParens(x):
		text = "(" + text + ")"
	case text != "":
		if start > 0 && isNameByte(e.src[start-1]) && startsWord(text) {
			text = " " + text
		}
		if end < len(e.src) && isNameByte(e.src[end]) && isNameByte(text[len(text)-1]) {
			text += " "
		}
	}
	return e.edit(start, end, text)
}

// startsWord reports whether text would join with a name before it. A quote
// would too: it makes the name a prefix.
func startsWord(text string) bool {
	return isNameByte(text[0]) || text[0] == '"' || text[0] == '\''
}

// ownsCallParens reports whether x is a generator expression that shares its
// parentheses with a call.
func (e *Editor) ownsCallParens(x ast.Expr) bool {
	if _, ok := x.(*ast.GeneratorExp); !ok {
		return false
	}
	found := false
	ast.Inspect(e.module, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && len(call.Args()) == 1 && call.Args()[0] == x {
			found = call.End() == x.End()
		}
		return !found
	})
	return found
}

// WrapWith puts statements that follow each other in a block under
// "with lock:". Comments above the first one stay above the with.
func (e *Editor) WrapWith(lock string, stmts ...ast.Stmt) ([]Edit, error) {
	return e.wrap("with "+lock+":", stmts)
}

// WrapIf puts statements that follow each other in a block under
// "if condition:". Comments above the first one stay above the if.
func (e *Editor) WrapIf(condition string, stmts ...ast.Stmt) ([]Edit, error) {
	return e.wrap("if "+condition+":", stmts)
}

// Enclose makes a block of statements that follow each other in one: the first gives way to
// "header:", the last goes, and those in between come under the header. All must have
// their lines for themselves.
func (e *Editor) Enclose(header string, stmts ...ast.Stmt) ([]Edit, error) {
	if len(stmts) < 3 {
		return nil, fmt.Errorf("%s: nothing to enclose", e.module.Name)
	}
	r, err := e.run(stmts)
	if err != nil {
		return nil, err
	}
	first, last := stmts[0], stmts[len(stmts)-1]
	for _, st := range []ast.Stmt{first, last} {
		if own, err := e.run([]ast.Stmt{st}); err != nil || len(e.ownLines(own)) > 0 || e.onHeaderLine(st) {
			return nil, e.errorAt(st, "shares its line")
		}
	}
	edits := []Edit{e.edit(e.start(first), int(first.End()), header+":")}
	edits = append(edits, e.deepened(int(first.End()), e.linesEnd(stmts[len(stmts)-2]), e.textIndent(r.first), e.lay().unit)...)
	gone, err := e.Delete(last)
	if err != nil {
		return nil, err
	}
	return e.finish(append(edits, gone...))
}

// Unwrap puts the body of a compound statement, or another block of it, in its place. The
// statement must have its lines for itself, and no comment outside of that block.
func (e *Editor) Unwrap(s ast.Stmt, block []ast.Stmt) ([]Edit, error) {
	r, err := e.run(block)
	if err != nil {
		return nil, err
	}
	whole, err := e.run([]ast.Stmt{s})
	if err != nil {
		return nil, err
	}
	if len(e.ownLines(whole)) > 0 || e.onHeaderLine(r.first) || r.index != 0 || r.after() != nil {
		return nil, e.errorAt(s, "shares its lines")
	}
	from, to := e.lineStart(e.start(s)), e.linesEnd(s)
	for _, c := range e.module.Comments {
		if p := int(c.Pos()); p > from && p < to && (p < e.moveStart(r) || p >= e.linesEnd(r.last)) {
			return nil, e.errorAt(s, "has a comment that would be lost")
		}
	}
	return e.finish([]Edit{e.edit(from, to, e.reindented(r, e.indent(s)))})
}

// Join returns edits that are made of several which were built apart: what one of them inserts
// where another one deletes goes with that.
func Join(parts ...[]Edit) []Edit {
	all := slices.Concat(parts...)
	out := slices.DeleteFunc(slices.Clone(all), func(in Edit) bool {
		return in.Start == in.End && slices.ContainsFunc(all, func(d Edit) bool {
			return d.New == "" && d.File == in.File && d.Start < in.Start && in.Start < d.End
		})
	})
	Sort(out)
	return out
}

// WrapTry puts statements that follow each other in a block under "try:", with
// lines after them: the except clauses. The statements must have their lines for
// themselves.
func (e *Editor) WrapTry(stmts []ast.Stmt, lines ...string) ([]Edit, error) {
	r, err := e.run(stmts)
	if err != nil {
		return nil, err
	}
	if len(e.ownLines(r)) > 0 {
		return nil, e.errorAt(r.first, "shares its line")
	}
	edits, err := e.wrap("try:", stmts)
	if err != nil {
		return nil, err
	}
	more, err := e.InsertAfter(stmts[len(stmts)-1], lines...)
	if err != nil {
		return nil, err
	}
	return e.finish(append(edits, more...))
}

// WrapFinally puts statements that follow each other in a block under "try:", and those
// after them under "finally:". All must have their lines for themselves.
func (e *Editor) WrapFinally(body, last []ast.Stmt) ([]Edit, error) {
	r, err := e.run(append(body[:len(body):len(body)], last...))
	if err != nil {
		return nil, err
	}
	if len(e.ownLines(r)) > 0 {
		return nil, e.errorAt(r.first, "shares its line")
	}
	if after, err := e.run(last); err != nil || len(e.ownLines(after)) > 0 {
		return nil, e.errorAt(last[0], "shares its line")
	}
	edits, err := e.wrap("try:", body)
	if err != nil {
		return nil, err
	}
	more, err := e.wrap("finally:", last)
	if err != nil {
		return nil, err
	}
	return e.finish(append(edits, more...))
}

// WrapFinallyWithin is [Editor.WrapFinally] for statements that other edits put under a number
// of headers, each deeper than the one before. These edits come first where they are joined.
func (e *Editor) WrapFinallyWithin(headers int, body, last []ast.Stmt) ([]Edit, error) {
	inner := *e.lay()
	inner.within += headers
	return inner.WrapFinally(body, last)
}

// MoveToFinally puts the statements after one in its block under "try:", and the statement
// behind them under "finally:", with the comments that it has. All must have their lines for
// themselves.
func (e *Editor) MoveToFinally(st ast.Stmt, body ...ast.Stmt) ([]Edit, error) {
	r, err := e.run(append([]ast.Stmt{st}, body...))
	if err != nil {
		return nil, err
	}
	for _, part := range [][]ast.Stmt{{st}, body} {
		if own, err := e.run(part); err != nil || !e.wholeLines(own) {
			return nil, e.errorAt(r.first, "shares its line")
		}
	}
	edits, err := e.wrap("try:", body)
	if err != nil {
		return nil, err
	}
	moved, err := e.run([]ast.Stmt{st})
	if err != nil {
		return nil, err
	}
	indent := e.indent(st)
	text := e.render([]string{"finally:"}, indent) + e.reindented(moved, indent+e.lay().unit)
	edits = append(edits, e.insertLines(e.linesEnd(r.last), text))
	return e.finish(append(edits, e.remove(moved, e.moveStart(moved))...))
}

// AddElif adds "elif condition:" with lines to an if statement, after those that it has. It
// must have no else.
func (e *Editor) AddElif(s *ast.If, condition string, lines ...string) ([]Edit, error) {
	last := s
	for next := e.elif(last); next != nil; next = e.elif(next) {
		last = next
	}
	if len(last.Orelse) > 0 {
		return nil, e.errorAt(s, "has an else")
	}
	indent := e.lineIndent(s)
	text := e.render([]string{"elif " + condition + ":"}, indent) + e.render(lines, indent+e.lay().unit)
	return e.finish([]Edit{e.insertLines(e.linesEnd(last), text)})
}

// AddElse makes lines run when no condition of an if statement holds, neither
// its own nor that of an elif after it: it adds an else, or puts the lines
// first in the one that is there. S may be the If of an elif.
func (e *Editor) AddElse(s *ast.If, lines ...string) ([]Edit, error) {
	last := s
	for next := e.elif(last); next != nil; next = e.elif(next) {
		last = next
	}
	if len(last.Orelse) > 0 {
		return e.InsertBefore(last.Orelse[0], lines...)
	}
	indent := e.lineIndent(s)
	text := e.render([]string{"else:"}, indent) + e.render(lines, indent+e.lay().unit)
	return e.finish([]Edit{e.insertLines(e.linesEnd(last), text)})
}
