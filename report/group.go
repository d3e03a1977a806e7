package report

import "strings"

// A family is the rules whose IDs start alike.
type family struct {
	prefix string
	short  string // head of a column
	means  string // what it leads to, for findings that do not say it
}

// families are those of the rule table, most dangerous first; the last one
// takes what is none of the others.
var families = []family{
	{"KV1", "hang", "a request never concludes"},
	{"KV3", "leak", "something of a request is left behind"},
	{"KV2", "race", "threads share containers unsafely"},
	{"", "other", "other"},
}

// familyOf returns the index of the family of a rule.
func familyOf(rule string) int {
	for i, f := range families {
		if strings.HasPrefix(rule, f.prefix) {
			return i
		}
	}
	return len(families) - 1
}

// A componentGroup is the findings of one component.
type componentGroup struct {
	name     string
	total    int
	families []int // number of findings, parallel to families
	groups   []consequenceGroup
}

// A consequenceGroup is the findings of a component that lead to the same.
type consequenceGroup struct {
	consequence string
	findings    []*Finding
}

// title returns the name of the component, which may be missing.
func (c *componentGroup) title() string {
	if c.name == "" {
		return "other"
	}
	return c.name
}

// groupFindings sorts findings by component and consequence. The component
// and the consequence with the most severe finding come first.
func groupFindings(findings []Finding) []componentGroup {
	var groups []componentGroup
	at := make(map[string]int)
	places := make(map[[2]string]int)
	for _, f := range bySeverity(findings) {
		i, ok := at[f.Component]
		if !ok {
			i = len(groups)
			at[f.Component] = i
			groups = append(groups, componentGroup{name: f.Component, families: make([]int, len(families))})
		}
		c := &groups[i]
		fam := familyOf(f.Rule)
		c.total++
		c.families[fam]++
		consequence := f.Consequence
		if consequence == "" {
			consequence = families[fam].means
		}
		n, ok := places[[2]string{f.Component, consequence}]
		if !ok {
			n = len(c.groups)
			places[[2]string{f.Component, consequence}] = n
			c.groups = append(c.groups, consequenceGroup{consequence: consequence})
		}
		c.groups[n].findings = append(c.groups[n].findings, f)
	}
	return groups
}
