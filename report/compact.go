package report

import (
	"bufio"
	"fmt"
	"io"
)

// Compact writes one line per finding in the form of a compiler's message,
// which editors know how to read:
//
//	file:line:column: severity: message [rule name, confidence]
func Compact(w io.Writer, run *Run) error {
	b := bufio.NewWriter(w)
	for i := range run.Findings {
		fmt.Fprintln(b, compactLine(&run.Findings[i]))
	}
	return b.Flush()
}

// compactLine returns a finding as one visible line.
func compactLine(f *Finding) string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s %s, %s]", visible(f.File), f.Line, f.Column,
		f.Severity, visible(f.Message), visible(f.Rule), visible(f.Name), f.Confidence)
}
