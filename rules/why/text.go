package why

import (
	"fmt"
	"io"
	"strings"

	"github.com/kvrace/kvrace/report"
)

// Print writes an account for a person. The fate of a finding is what became of it
// after the rule found it, such as "reported"; of other rules than the wanted one,
// which may be empty for all, nothing is said.
func Print(w io.Writer, a *Account, wanted string, fate func(*report.Finding) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d", a.File, a.Line)
	if a.Function != "" {
		fmt.Fprintf(&b, " in %s", a.Function)
	}
	fmt.Fprintf(&b, "\n  %s\n\nfacts\n", strings.TrimSpace(a.Source))
	if len(a.Facts) == 0 {
		b.WriteString("  no step on shared state\n")
	}
	for _, f := range a.Facts {
		fmt.Fprintf(&b, "  %s\n", f.Text)
		for _, d := range f.Details {
			fmt.Fprintf(&b, "    %s\n", d)
		}
	}
	b.WriteString("\nrules\n")
	for i := range a.Rules {
		r := &a.Rules[i]
		if wanted != "" && r.Rule.ID != wanted {
			continue
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", r.Rule.ID, r.Rule.Name, r.verdict(fate))
		if wanted != "" {
			r.printSteps(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict says in one line what a rule makes of the line of the account.
func (r *RuleAccount) verdict(fate func(*report.Finding) string) string {
	if len(r.At) > 0 {
		return fmt.Sprintf("%s: %s [%s]", fate(&r.At[0]), r.At[0].Message, r.At[0].Fingerprint)
	}
	text := ""
	switch last := len(r.Steps) - 1; {
	case last >= 0 && !r.Steps[last].Holds:
		text = "silent here: " + r.Steps[last].Text
	default:
		text = "silent here, since one of this is so: " + r.Rest
	}
	if len(r.With) > 0 {
		f := &r.With[0]
		text = fmt.Sprintf("rests on this line, and is %s at %s:%d: %s [%s]", fate(f), f.File, f.Line, f.Message, f.Fingerprint)
	}
	return text
}

// printSteps writes the conditions one by one.
func (r *RuleAccount) printSteps(b *strings.Builder) {
	for _, s := range r.Steps {
		mark := "yes"
		if !s.Holds {
			mark = "no"
		}
		fmt.Fprintf(b, "    %-4s%s\n", mark, s.Text)
	}
	if r.Rest != "" && len(r.At) == 0 {
		fmt.Fprintf(b, "    so  %s\n", r.Rest)
	}
}
