package checker

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// maxThreats is how many of the components through which a finding is seen are asked for
// a schedule: some of them may not have one, since a rival belongs to another one.
const maxThreats = 3

// merge joins the findings of one rule at one place: the same method seen
// through several backends is one cause. The first one stays, with the
// components of all.
func merge(all []ruleFinding) []ruleFinding {
	type cause struct {
		rule     *rule.Rule
		file     string
		from, to int
		shape    string
	}
	index := map[cause]int{}
	var out []ruleFinding
	for _, f := range all {
		k := cause{f.rule, f.Mod.File, int(f.From), int(f.To), f.Shape}
		i, seen := index[k]
		if !seen {
			i = len(out)
			index[k] = i
			out = append(out, f)
		}
		if f.Threat != nil && len(out[i].threats) < maxThreats {
			out[i].threats = append(out[i].threats, f.Threat)
		}
		if f.Component != nil {
			out[i].components = appendNew(out[i].components, f.Component.Qual)
		}
		if seen {
			out[i].Containers = appendNew(out[i].Containers, f.Containers...)
			out[i].Related = appendRelated(out[i].Related, f.Related)
		}
	}
	return out
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// appendRelated adds the places that the list does not have yet.
func appendRelated(list, more []rule.Related) []rule.Related {
	for _, r := range more {
		if !slices.ContainsFunc(list, func(have rule.Related) bool { return have.Place == r.Place && have.Role == r.Role }) {
			list = append(list, r)
		}
	}
	return list
}

func sortFindings(all []ruleFinding) {
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		switch {
		case a.Mod.File != b.Mod.File:
			return a.Mod.File < b.Mod.File
		case a.From != b.From:
			return a.From < b.From
		case a.rule.ID != b.rule.ID:
			return a.rule.ID < b.rule.ID
		}
		return a.Shape < b.Shape
	})
}

// fingerprint identifies each finding by what it is about rather than where it
// stands: rule, function, containers, key and shape. The file counts only by
// its last part, so that a renamed folder changes nothing; findings that are
// still alike are numbered in source order.
func fingerprint(all []ruleFinding) {
	seen := map[string]int{}
	for i := range all {
		f := &all[i]
		containers := append([]string(nil), f.Containers...)
		sort.Strings(containers)
		id := strings.Join([]string{f.rule.ID, base(f.Mod.File), f.Function, strings.Join(containers, ","), plain(f.Key), plain(f.Shape)}, "\x00")
		n := seen[id]
		seen[id]++
		if n > 0 {
			id += "\x00" + strconv.Itoa(n)
		}
		sum := sha256.Sum256([]byte(id))
		f.fingerprint = hex.EncodeToString(sum[:8])
	}
}

func base(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

// cause identifies what a finding is about, but for its containers.
func (f *ruleFinding) cause() string {
	return strings.Join([]string{f.rule.ID, base(f.Mod.File), f.Function, plain(f.Key), plain(f.Shape)}, "\x00")
}

// text returns the lines of the place of a finding, without indentation.
func (f *ruleFinding) text() string {
	src := f.Mod.AST.Source
	from, to := int(f.From), int(f.To)
	for from > 0 && src[from-1] != '\n' {
		from--
	}
	for to < len(src) && src[to] != '\n' {
		to++
	}
	return strings.TrimSpace(string(src[from:to]))
}

// same returns the finding of a whole program that one of a part of it is, or of
// a changed form of it: one of the same cause, which can have some containers
// more, or fewer where it is seen through fewer components. It returns nil for one
// that the whole program does not have. Where several are of one cause, and the line of
// one alone is that of f, it is that one: a change can take away another one, and with it
// the numbers that tell them apart.
func same(f *ruleFinding, whole map[string][]*known) *known {
	var found, alike *known
	several, text := false, f.text()
	for _, w := range whole[f.cause()] {
		if w.text == text {
			several = several || alike != nil
			alike = w
		}
	}
	if alike != nil && !several {
		return alike
	}
	for _, w := range whole[f.cause()] {
		if w.fingerprint == f.fingerprint {
			return w
		}
		if found == nil && slices.ContainsFunc(f.Containers, func(c string) bool { return slices.Contains(w.containers, c) }) {
			found = w
		}
	}
	return found
}

// plain returns source text without what a formatter may change: quotes,
// parentheses, blanks and line breaks.
func plain(text string) string {
	return strings.Join(strings.Fields(formatting.Replace(text)), " ")
}

var formatting = strings.NewReplacer(`"`, "'", "(", " ", ")", " ", ",", " , ", "[", " [ ", "]", " ] ", "{", " { ", "}", " } ")

// targeted returns the findings that have a place in one of the named files.
func targeted(all []ruleFinding, targets map[string]bool) []ruleFinding {
	if targets == nil {
		return all
	}
	var out []ruleFinding
	for _, f := range all {
		hit := targets[f.Mod.File]
		for _, r := range f.Related {
			hit = hit || targets[r.Mod.File] && r.Role != report.RoleSibling
		}
		if hit {
			out = append(out, f)
		}
	}
	return out
}
