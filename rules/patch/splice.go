package patch

import (
	"bytes"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// This file builds the edits of an Editor: text goes in before or after a
// run, a run comes out, and the lines of a run get another indentation.

// edit returns an edit of the file.
func (e *Editor) edit(start, end int, text string) Edit {
	return Edit{File: e.module.Name, Start: start, End: end, New: text}
}

// finish sorts edits and checks them.
func (e *Editor) finish(edits []Edit) ([]Edit, error) {
	Sort(edits)
	if err := validate(len(e.src), edits); err != nil {
		return nil, err
	}
	return edits, nil
}

// render returns lines in the style of the file.
func (e *Editor) render(lines []string, indent string) string {
	var w strings.Builder
	for _, line := range lines {
		text := strings.TrimLeft(line, "\t")
		if text != "" {
			w.WriteString(indent + strings.Repeat(e.lay().unit, len(line)-len(text)) + text)
		}
		w.WriteString(e.newline)
	}
	return w.String()
}

// insertLines inserts text, which is whole lines, at the start of a line or
// at the end of the file, whose last line may lack a line end.
func (e *Editor) insertLines(p int, text string) Edit {
	if p == len(e.src) && p > e.base && !isNewline(e.src[p-1]) {
		text = e.newline + strings.TrimSuffix(text, e.newline)
	}
	return e.edit(p, p, text)
}

// insertBefore inserts text, which is whole lines, before a run.
func (e *Editor) insertBefore(r run, text string) []Edit {
	if kind, start := e.lead(r.first); kind == leadIndent {
		return []Edit{e.insertLines(e.commentsAbove(start), text)}
	}
	return e.ownLineStart(r, text)
}

// insertAfter inserts text, which is whole lines, after a run.
func (e *Editor) insertAfter(r run, text string) []Edit {
	if _, ok := e.endsOnLine(r.last); !ok {
		edits := e.ownLineEnd(r, text)
		return append(edits, e.unfold(r)...)
	}
	return append(e.unfold(r), e.insertLines(e.linesEnd(r.last), text))
}

// unfold moves a block that is on the line of its header to a line of its
// own. It does nothing to other blocks.
func (e *Editor) unfold(r run) []Edit {
	first := r.block[0]
	kind, gap := e.lead(first)
	if kind != leadColon {
		return nil
	}
	return []Edit{e.edit(gap, e.start(first), e.newline+e.indent(first))}
}

// ownLineStart makes a run that follows a colon or a semicolon start a line,
// with text, which is whole lines, before it.
func (e *Editor) ownLineStart(r run, text string) []Edit {
	kind, gap := e.lead(r.first)
	if kind == leadIndent {
		return nil
	}
	edits := []Edit{e.edit(gap, e.start(r.first), e.newline+text+e.indent(r.first))}
	if kind == leadSemicolon {
		edits = append(edits, e.unfold(r)...)
	}
	return edits
}

// ownLineEnd makes the statement after a run start a line, with text, which
// is whole lines, before it.
func (e *Editor) ownLineEnd(r run, text string) []Edit {
	if _, ok := e.endsOnLine(r.last); ok {
		return nil
	}
	return []Edit{e.edit(int(r.last.End()), e.start(r.after()), e.newline+text+e.indent(r.first))}
}

// ownLines makes a run share its lines with no other statement.
func (e *Editor) ownLines(r run) []Edit {
	return append(e.ownLineStart(r, ""), e.ownLineEnd(r, "")...)
}

// wrap puts a run under a header of a compound statement.
func (e *Editor) wrap(header string, stmts []ast.Stmt) ([]Edit, error) {
	r, err := e.run(stmts)
	if err != nil {
		return nil, err
	}
	start := e.start(r.first)
	indent := e.indent(r.first) + strings.Repeat(e.lay().unit, e.within+1)
	edits := append(e.ownLines(r), e.edit(start, start, header+e.newline+indent))

	end, more := int(r.last.End()), e.lay().unit
	if _, ok := e.endsOnLine(r.last); ok {
		end = e.linesEnd(r.last)
	}
	if e.onHeaderLine(r.first) {
		more += e.lay().unit
	}
	return e.finish(append(edits, e.deepened(start, end, e.textIndent(r.first), more)...))
}

// deepened indents the lines after the one with the offset start, up to the offset end, by
// more than their common indentation.
func (e *Editor) deepened(start, end int, base, more string) []Edit {
	var edits []Edit
	inside := linesInStrings(e.src, start, end)
	for p := e.nextLine(start); p < end; p = e.nextLine(p) {
		if !inside[p] && !e.blankLine(p) && bytes.HasPrefix(e.src[p:], []byte(base)) {
			edits = append(edits, e.edit(p+len(base), p+len(base), more))
		}
	}
	return edits
}

// remove deletes a run from the offset from on, which is its start or that
// of the comments above it.
func (e *Editor) remove(r run, from int) []Edit {
	kind, gap := e.lead(r.first)
	_, endsLine := e.endsOnLine(r.last)
	switch {
	case r.wholeBlock() && kind == leadColon:
		return []Edit{e.edit(from, int(r.last.End()), "pass")}
	case r.wholeBlock():
		return []Edit{e.edit(from, e.contentEnd(r.last), "pass")}
	case kind == leadIndent && endsLine:
		start, end := e.withBlankLines(r, e.lineStart(min(gap, from)), e.linesEnd(r.last))
		return []Edit{e.edit(start, end, "")}
	case kind != leadSemicolon: // and a statement follows on the line
		return []Edit{e.edit(e.start(r.first), e.start(r.after()), "")}
	case e.oneLine(r):
		return []Edit{e.edit(gap, int(r.last.End()), "")}
	case endsLine:
		return []Edit{e.edit(gap, e.contentEnd(r.last), "")}
	default:
		return []Edit{e.edit(gap, e.start(r.after()), e.newline+e.indent(r.first))}
	}
}

// withBlankLines widens the range of the lines of a run that will be removed,
// so that blank lines on both sides do not add up.
func (e *Editor) withBlankLines(r run, start, end int) (int, int) {
	blankBefore := r.index == 0 || start > e.base && e.blankLine(e.lineStart(start-1))
	if !blankBefore || !e.blankLine(end) {
		return start, end
	}
	if r.after() != nil {
		for end < len(e.src) && e.blankLine(end) {
			end = e.nextLine(end)
		}
		return start, end
	}
	for start > e.base && e.blankLine(e.lineStart(start-1)) {
		start = e.lineStart(start - 1)
	}
	return start, end
}

// moveOperands checks the arguments of a move.
func (e *Editor) moveOperands(target ast.Stmt, stmts []ast.Stmt) (r, to run, err error) {
	if r, err = e.run(stmts); err != nil {
		return r, to, err
	}
	if to, err = e.run([]ast.Stmt{target}); err != nil {
		return r, to, err
	}
	if r.first.Pos() <= target.Pos() && target.Pos() < r.last.End() {
		err = e.errorAt(target, "the target is part of what is to move")
	}
	return r, to, err
}

// moveStart returns the offset from which a run is moved: its start, or that
// of the comments above when it has its lines for itself.
func (e *Editor) moveStart(r run) int {
	start := e.start(r.first)
	if e.wholeLines(r) {
		return e.skipBlanks(e.commentsAbove(e.lineStart(start)))
	}
	return start
}

// wholeLines reports whether a run shares its lines with nothing else.
func (e *Editor) wholeLines(r run) bool {
	kind, _ := e.lead(r.first)
	_, ok := e.endsOnLine(r.last)
	return kind == leadIndent && ok
}

// oneLine reports whether all statements of a run are on one line.
func (e *Editor) oneLine(r run) bool {
	for _, s := range r.block[r.index+1:] {
		if s.Pos() > r.last.Pos() {
			break
		}
		if kind, _ := e.lead(s); kind == leadIndent {
			return false
		}
	}
	return true
}

// contentEnd returns the end of the last line of a statement, without its
// line end.
func (e *Editor) contentEnd(s ast.Stmt) int {
	end := e.linesEnd(s)
	for end > int(s.End()) && isNewline(e.src[end-1]) {
		end--
	}
	return end
}

// reindented returns the text that a move of a run takes along, as whole
// lines with another indentation. Lines that start inside a string stay as
// they are, and so do those that are indented less than the run: in brackets
// and as comments they are allowed anywhere.
func (e *Editor) reindented(r run, indent string) string {
	from, to := e.moveStart(r), int(r.last.End())
	if e.wholeLines(r) || !e.oneLine(r) {
		if _, ok := e.endsOnLine(r.last); ok {
			to = e.contentEnd(r.last)
		}
	}
	base := []byte(e.textIndent(r.first))
	inside := linesInStrings(e.src, from, to)
	var w strings.Builder
	w.WriteString(indent)
	for p := from; p < to; {
		next := min(e.nextLine(p), to)
		line := e.src[p:next]
		if p > from && !inside[p] && !e.blankLine(p) && bytes.HasPrefix(line, base) {
			w.WriteString(indent)
			line = line[len(base):]
		}
		w.Write(line)
		p = next
	}
	w.WriteString(e.newline)
	return w.String()
}
