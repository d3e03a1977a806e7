package partialcleanup

import (
	"fmt"
	"strings"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

func (c *check) finding(l leak) rule.Finding {
	at := l.exit
	if l.shape == never {
		at = l.left[0].inserts[0]
	}
	names := l.names()
	f := rule.Finding{
		Place: rule.AtStep(at.Node), Function: at.Fn.Qual, Entry: at.Entry, Component: c.st.Comp.Class,
		Containers: evidence.Distinct(append([]string{l.member.loc.Name}, names...)), Key: evidence.KeyText(at.Node),
		Shape:       l.shape.String() + ":" + strings.Join(names, ","),
		Message:     l.message(),
		Consequence: fmt.Sprintf("%s %s with every request that ends so, and an entry outlives its request", listed(names), plural(names, "grows", "grow")),
		Fixes:       c.fixes(l),
		Threat:      c.threat(l),
	}
	if l.shape == never {
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(l.exit.Node), Role: report.RoleRival, Entry: l.exit.Entry,
			Message: fmt.Sprintf("%s removes %s and leaves it", l.exit.Entry.Name(), evidence.Access(l.exit.Node)),
		})
	}
	for _, m := range l.left {
		f.Related = append(f.Related, c.related(l, m)...)
	}
	f.Related = append(f.Related, evidence.Spawns(at.Entry)...)
	return f
}

// threat is that the entry which is there when the request ends is still there when what
// ends it is done.
func (c *check) threat(l leak) *rule.Threat {
	m := l.left[0]
	t := &rule.Threat{
		Property: rule.LeavesNone, Status: c.st, Left: m.loc, Through: true, Forever: l.renewed,
		Steps: []rule.Step{{Entry: l.exit.Entry, ID: l.exit.ID}},
	}
	t.Undo = []rule.Step{{Entry: l.exit.Entry, ID: flow.StartNode, When: rule.Anyhow, By: rule.TheFirst}}
	for _, changes := range [][]component.Access{m.removes, m.inserts} {
		for _, a := range changes {
			t.Undo = append(t.Undo, rule.Step{Entry: a.Entry, ID: a.ID, When: rule.Anyhow})
		}
	}
	return t
}

// related returns the places where the entry of a member comes from and where it
// goes on other ways, and what siblings do.
func (c *check) related(l leak, m *member) []rule.Related {
	var out []rule.Related
	if l.shape != never {
		in := m.inserts[0]
		out = append(out, rule.Related{
			Place: rule.AtStep(in.Node), Role: report.RoleRival, Entry: in.Entry,
			Message: fmt.Sprintf("%s inserts %s", in.Entry.Name(), evidence.Access(in.Node)),
		})
	}
	for i, r := range m.removes {
		if i > 0 && r.Entry == m.removes[i-1].Entry {
			continue
		}
		out = append(out, rule.Related{
			Place: rule.AtStep(r.Node), Role: report.RoleRival, Entry: r.Entry, Message: c.otherWay(l, r),
		})
		break
	}
	return append(out, evidence.SiblingsRemoving(l.exit.Entry.Class, l.exit.Fn, m.loc.Name)...)
}

// otherWay says on which way a removal takes the entry.
func (c *check) otherWay(l leak, r component.Access) string {
	if l.shape == exclusive {
		return fmt.Sprintf("%s removes it only while %s has the key", r.Entry.Name(), l.member.loc.Name)
	}
	return fmt.Sprintf("%s removes it, when it gets to handle the request again", r.Entry.Name())
}

func (l leak) names() []string {
	names := make([]string, len(l.left))
	for i, m := range l.left {
		names[i] = m.loc.Name
	}
	return names
}

func (l leak) message() string {
	names := l.names()
	d := evidence.Access(l.exit.Node)
	switch l.shape {
	case never:
		inserted := evidence.Access(l.left[0].inserts[0].Node)
		if l.renewed {
			return fmt.Sprintf("%s is inserted and never removed: that of %s gives way to a new one, and nothing ends either", inserted, l.member.loc.Name)
		}
		return fmt.Sprintf("%s is inserted and never removed: the end of the request removes %s", inserted, l.member.loc.Name)
	case exclusive:
		return fmt.Sprintf("%s is removed and the entry of %s stays: nothing removes it without %s",
			d, listed(names), l.member.loc.Name)
	}
	return fmt.Sprintf("%s is removed and the entry of %s stays when a hook has concluded the request: only %s removes it",
		d, listed(names), l.left[0].removes[0].Entry.Name())
}

func listed(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func plural(names []string, one, many string) string {
	if len(names) == 1 {
		return one
	}
	return many
}
