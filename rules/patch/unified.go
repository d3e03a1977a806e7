package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// contextLines is the number of unchanged lines shown around a change.
const contextLines = 3

// devNull is the name that stands for "no such file" in a diff.
const devNull = "/dev/null"

// Unified returns the unified diff from old to new, which git apply and
// patch -p1 accept, or "" when the two are equal. Names are relative paths
// with slashes; they get the prefixes a/ and b/ and, where needed, git's
// quotes. The name /dev/null stands for a file that does not exist.
//
// Only \n ends a line. The bytes of a line are copied as they are, be they
// CR or invalid UTF-8, and the headers always end in \n, also for a file
// with CRLF: that is what git writes and what patch understands.
func Unified(oldName, newName string, old, new []byte) string {
	a, b := splitLines(string(old)), splitLines(string(new))
	changes := lineChanges(a, b)
	if len(changes) == 0 {
		return ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", headerName("a/", oldName), headerName("b/", newName))
	for _, hunk := range hunks(changes) {
		writeHunk(&w, a, b, hunk)
	}
	return w.String()
}

// splitLines splits text after each \n. The last line may lack one.
func splitLines(text string) []string {
	return slices.Collect(strings.Lines(text))
}

// A change says that the lines [a0, a1) of the old file became the lines
// [b0, b1) of the new one, all counted from 0.
type change struct{ a0, a1, b0, b1 int }

// maxDiffProduct bounds the number of old lines times the number of new lines
// that are compared one by one, since the comparison is quadratic when they
// have little in common: at the bound it takes about half a second. Above it
// the lines that differ are shown as one change, which is right but coarse.
const maxDiffProduct = 100_000_000

// lineChanges returns the changes between two files, in order, with at least
// one common line between each two.
func lineChanges(a, b []string) []change {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	suf := 0
	for suf < len(a)-pre && suf < len(b)-pre && a[len(a)-1-suf] == b[len(b)-1-suf] {
		suf++
	}
	midA, midB := a[pre:len(a)-suf], b[pre:len(b)-suf]
	if len(midA) == 0 && len(midB) == 0 {
		return nil
	}
	if len(midA) == 0 || len(midB) == 0 || len(midA) > maxDiffProduct/len(midB) {
		return []change{{pre, len(a) - suf, pre, len(b) - suf}}
	}
	return compareLines(midA, midB, pre)
}

// compareLines returns the changes between two runs of lines that both start
// at line base.
//
// diffmatchpatch compares texts of runes, so each distinct line becomes one.
// Its timeout is off, because a diff must not depend on the speed of the
// machine, and its clean-up functions are not used: they are made for prose.
// It may alternate deletions and insertions; a change joins them.
func compareLines(a, b []string, base int) []change {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	ra, rb, _ := dmp.DiffLinesToRunes(strings.Join(a, ""), strings.Join(b, ""))

	var changes []change
	cur := change{base, base, base, base}
	flush := func() {
		if cur.a0 < cur.a1 || cur.b0 < cur.b1 {
			changes = append(changes, cur)
		}
	}
	for _, d := range dmp.DiffMainRunes(ra, rb, false) {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			cur.a1 += n
		case diffmatchpatch.DiffInsert:
			cur.b1 += n
		case diffmatchpatch.DiffEqual:
			flush()
			cur = change{cur.a1 + n, cur.a1 + n, cur.b1 + n, cur.b1 + n}
		}
	}
	flush()
	return changes
}

// hunks groups changes whose contexts touch or overlap.
func hunks(changes []change) [][]change {
	var groups [][]change
	start := 0
	for i := 1; i <= len(changes); i++ {
		if i == len(changes) || changes[i].a0-changes[i-1].a1 > 2*contextLines {
			groups = append(groups, changes[start:i])
			start = i
		}
	}
	return groups
}

// writeHunk writes one hunk: its header, then old and new lines with context.
func writeHunk(w *strings.Builder, a, b []string, changes []change) {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(contextLines, first.a0)
	tail := min(contextLines, len(a)-last.a1)
	fmt.Fprintf(w, "@@ -%s +%s @@\n",
		lineRange(first.a0-lead, last.a1+tail), lineRange(first.b0-lead, last.b1+tail))
	at := first.a0 - lead
	for _, c := range changes {
		writeLines(w, ' ', a[at:c.a0])
		writeLines(w, '-', a[c.a0:c.a1])
		writeLines(w, '+', b[c.b0:c.b1])
		at = c.a1
	}
	writeLines(w, ' ', a[at:at+tail])
}

// lineRange formats the lines [from, to), counted from 0, as a hunk header
// has them: the first line counted from 1 and the number of lines unless it
// is 1. An empty range names the line before it.
func lineRange(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

// writeLines writes lines with a mark before each. Only the last line of a
// file can lack its \n; the diff says so.
func writeLines(w *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		w.WriteByte(mark)
		w.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// headerName returns a name as it stands in a --- or +++ line: with its
// prefix, quoted if need be, and followed by a tab if it has blanks, since
// readers would otherwise take what follows the blank for a timestamp.
func headerName(prefix, name string) string {
	if name == devNull {
		return name
	}
	quoted := quoteName(prefix + name)
	if strings.Contains(quoted, " ") {
		quoted += "\t"
	}
	return quoted
}

// quoteName quotes a name in the C style of git (quote.c, quote_c_style, with
// core.quotePath on, its default): control characters, quotes, backslashes and
// all bytes from 0x7f up make it quoted.
func quoteName(name string) string {
	var w strings.Builder
	for i := range len(name) {
		c := name[i]
		if esc := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); esc >= 0 {
			w.WriteByte('\\')
			w.WriteByte(`abtnvfr"\`[esc])
		} else if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&w, `\%03o`, c)
		} else {
			w.WriteByte(c)
		}
	}
	if w.Len() == len(name) {
		return name
	}
	return `"` + w.String() + `"`
}
