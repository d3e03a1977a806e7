package report

import (
	"regexp"
	"strings"
)

// A run of source text of one kind, for the page.
type codeRun struct {
	Text  string
	Class string // CSS classes; empty for plain text
}

// pythonTokens matches what is coloured in a line of Python. A line is looked
// at on its own, so the inside of a string of several lines is plain.
var pythonTokens = regexp.MustCompile(`(#.*)|((?i:[rbfut]{0,2})(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))|\b(` +
	`False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|` +
	`import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield)\b|\b([0-9][0-9_.xXa-fA-FoObBjJeE]*)`)

// tokenClasses are the classes of the groups of pythonTokens.
var tokenClasses = []string{"", "tc", "ts", "tk", "tn"}

// highlight colours a visible line and marks the display columns of segments.
// Columns are counted in the line's own characters, so it is given the line
// before any were cut.
func highlight(text string, segments []segment) []codeRun {
	classes := make([]uint8, len(text))
	for _, m := range pythonTokens.FindAllStringSubmatchIndex(text, -1) {
		for group := 1; group < len(tokenClasses); group++ {
			if from := m[2*group]; from >= 0 {
				for i := from; i < m[2*group+1]; i++ {
					classes[i] = uint8(group)
				}
			}
		}
	}
	marks := make([]uint8, len(text))
	columns := layout(text).columns
	for i := range marks {
		for _, seg := range segments {
			if columns[i] >= seg.from && columns[i] < seg.to {
				marks[i] = max(marks[i], markClass(seg))
			}
		}
	}
	var runs []codeRun
	for start := 0; start < len(text); {
		end := start + 1
		for end < len(text) && classes[end] == classes[start] && marks[end] == marks[start] {
			end++
		}
		class := strings.TrimSpace([]string{"", "m2", "m1"}[marks[start]] + " " + tokenClasses[classes[start]])
		runs = append(runs, codeRun{text[start:end], class})
		start = end
	}
	return runs
}

// markClass ranks the main range above the related ones.
func markClass(seg segment) uint8 {
	if seg.mark.main {
		return 2
	}
	return 1
}
