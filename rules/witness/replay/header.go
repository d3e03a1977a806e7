package replay

import (
	"fmt"
	"strings"
)

// A Header is what the first lines of a reproducer say.
type Header struct {
	Finding string   // rule, place and name
	Message string   // of the finding
	ID      string   // its fingerprint
	Patch   string   // description of the patch that is applied, or empty
	Trust   []string // what the search assumes
}

// lineWidth is where the text of a header wraps.
const lineWidth = 88

// With returns the program with its header.
func (p *Program) With(h Header) string {
	var b strings.Builder
	para := func(text string) {
		writeWrapped(&b, text, "")
		b.WriteString("#\n")
	}
	list := func(head string, items []string) {
		if len(items) == 0 {
			return
		}
		writeWrapped(&b, head, "")
		for _, it := range items {
			writeWrapped(&b, it, "  ")
		}
		b.WriteString("#\n")
	}
	para(h.Finding)
	para(printable(h.Message))
	if h.Patch == "" {
		para("This is the code as it is: the schedule below ends in what is wrong, and the program exits with 1.")
	} else {
		para("This is the code with the patch \"" + printable(h.Patch) + "\": the same schedule, as far as it goes, and then everything else that can run. The program exits with 0.")
	}
	para(fmt.Sprintf("Finding %s. Run it with Python 3.8 or later; it needs nothing else. Key 7 stands for the request.", h.ID))
	list("The statements are from these files, each with its line behind it:", p.Files)
	list("Left out, because it does not touch what the finding speaks of:", p.Cut)
	if p.Untaken > 0 {
		para(fmt.Sprintf("%d branches whose conditions do not hold in the schedule are left out as well.", p.Untaken))
	}
	list("Assumed, with the outcome that the schedule needs:", p.Assumed)
	trust := make([]string, len(h.Trust))
	for i, t := range h.Trust {
		trust[i] = printable(t)
	}
	list("And in general:", trust)
	writeWrapped(&b, "What this shows holds for the statements here, not for the program that they are from.", "")
	b.WriteString("\n")
	return b.String() + p.Source
}

// writeWrapped writes text as comment lines.
func writeWrapped(b *strings.Builder, text, indent string) {
	line := "# " + indent
	empty := true
	for _, word := range strings.Fields(printable(text)) {
		if !empty && len(line)+1+len(word) > lineWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, empty = "# "+indent+"  ", true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// printable replaces what could end a comment or hide in it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// Pytest returns a reproducer as a test module: what was a program becomes a
// test function of that name.
func Pytest(source, name string) string {
	body := strings.TrimSuffix(source, entry)
	return body + "\n\ndef test_" + identifier(name) + "():\n    wrong = replay()\n    assert wrong == \"\", wrong + \"\\n\" + \"\\n\".join(STAGE.log)\n"
}
