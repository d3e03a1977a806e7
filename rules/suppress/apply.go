// Package suppress applies the comments that suppress findings, and reports
// those that are wrong or useless. See package directives for their form.
package suppress

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
	"github.com/kvrace/kvrace/rules/patch"
)

// The rules about suppressions.
const (
	invalidComment = "KV001"
	withoutReason  = "KV002"
	unused         = "KV003"
)

var (
	//go:embed kv001.md
	invalidDoc string
	//go:embed kv002.md
	reasonDoc string
	//go:embed kv003.md
	unusedDoc string
)

// Rules lists the rules of this package, sorted by ID.
var Rules = []report.Rule{
	{ID: invalidComment, Name: "invalid-comment", Severity: report.SeverityWarning,
		Summary: "a kvrace comment is malformed or names an unknown rule", Doc: invalidDoc},
	{ID: withoutReason, Name: "suppression-without-reason", Severity: report.SeverityWarning,
		Summary: "a suppression gives no reason and has no effect", Doc: reasonDoc},
	{ID: unused, Name: "unused-suppression", Severity: report.SeverityNote,
		Summary: "a suppression matches no finding", Doc: unusedDoc},
}

// A File is one file whose comments are taken into account.
type File struct {
	Name   string
	Source []byte
	// Whole reports whether the rules have looked at all of the file. Otherwise
	// a suppression in it may look unused without being so.
	Whole bool
}

// Options say what is known about the run.
type Options struct {
	// IDs are those of all rules that exist.
	IDs []string
	// Enabled reports whether a rule ran in a file.
	Enabled func(id, file string) bool
}

// Apply splits the findings into those that are kept and those that a comment
// in the files suppresses, and returns findings about the comments themselves.
// Nothing is sorted anew.
func Apply(files []File, findings []report.Finding, opt Options) (kept []report.Finding, held []report.Suppressed, about []report.Finding) {
	byFile := make(map[string][]*tracked)
	for _, f := range files {
		byFile[f.Name] = parse(f)
	}
	for _, f := range findings {
		if reason, ok := suppressed(byFile[f.File], &f); ok {
			held = append(held, report.Suppressed{Finding: f, By: report.SuppressedInSource, Reason: reason})
		} else {
			kept = append(kept, f)
		}
	}
	for _, f := range files {
		for i, d := range byFile[f.Name] {
			if n, ok := d.judge(f, opt); ok {
				about = append(about, n.finding(f, d, i))
			}
		}
	}
	return kept, held, about
}

// A tracked directive remembers whether it was of use.
type tracked struct {
	directives.Directive
	module *ast.Module
	used   bool
}

// parse returns the directives of a file. One with syntax errors has some too;
// one that cannot be decoded has none.
func parse(f File) []*tracked {
	if !directives.Mentioned(f.Source) {
		return nil
	}
	m, _ := parser.ParseFile(f.Name, f.Source, parser.Options{}) // errors are the analysis's to report
	if m == nil {
		return nil
	}
	var all []*tracked
	for _, d := range directives.In(m) {
		all = append(all, &tracked{Directive: d, module: m})
	}
	return all
}

// names reports whether the directive names the rule.
func (d *tracked) names(id string) bool {
	return slices.ContainsFunc(d.Args, func(a string) bool { return config.Selector(a).Matches(id) })
}

// suppressed returns the reason of the first directive that covers the
// finding, and marks all that do.
func suppressed(ds []*tracked, f *report.Finding) (reason string, ok bool) {
	for _, d := range ds {
		if !d.covers(f) {
			continue
		}
		if !ok {
			reason, ok = d.Reason, true
		}
		d.used = true
	}
	return reason, ok
}

func (d *tracked) covers(f *report.Finding) bool {
	if d.Reason == "" || !d.names(f.Rule) {
		return false
	}
	switch d.Kind {
	case directives.IgnoreFile:
		return true
	case directives.Ignore:
		line := d.Target()
		return f.Line <= line && line <= max(f.Line, f.EndLine)
	}
	return false
}

// A nuisance is what is wrong with a directive.
type nuisance struct {
	rule    string
	message string
}

// judge returns what is wrong with the directive, if anything.
func (d *tracked) judge(f File, opt Options) (nuisance, bool) {
	enabled := func(id string) bool { return opt.Enabled(id, f.Name) }
	switch d.Kind {
	case directives.Invalid:
		return nuisance{invalidComment, d.Problem}, enabled(invalidComment)
	case directives.Ignore, directives.IgnoreFile:
	default:
		problem := d.Misplaced(d.module)
		return nuisance{invalidComment, problem}, problem != "" && enabled(invalidComment)
	}
	for _, arg := range d.Args {
		known := func(id string) bool { return config.Selector(arg).Matches(id) }
		if arg == "" || !slices.ContainsFunc(opt.IDs, known) {
			return nuisance{invalidComment, fmt.Sprintf("no rule is called %s", arg)}, enabled(invalidComment)
		}
	}
	if d.Reason == "" {
		return nuisance{withoutReason, "suppression without a reason has no effect"}, enabled(withoutReason)
	}
	if d.used || !f.Whole || !slices.ContainsFunc(opt.IDs, func(id string) bool { return d.names(id) && enabled(id) }) {
		return nuisance{}, false
	}
	return nuisance{unused, fmt.Sprintf("nothing to suppress: no finding of %s here", strings.Join(d.Args, ", "))}, enabled(unused)
}

// finding turns a nuisance into a finding at the n-th directive of a file.
func (n nuisance) finding(f File, d *tracked, nth int) report.Finding {
	rule := Rules[slices.IndexFunc(Rules, func(r report.Rule) bool { return r.ID == n.rule })]
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", n.rule, f.Name, nth, n.message))
	found := report.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, Confidence: report.Confirmed,
		Message:     n.message,
		Location:    report.Location{File: f.Name, Line: d.Line, Column: d.Column, EndLine: d.Line, EndColumn: d.EndColumn},
		Fingerprint: hex.EncodeToString(sum[:8]),
		Containers:  []string{}, Related: []report.Related{}, Patches: []report.Patch{},
	}
	if n.rule == unused && bytes.Equal(d.module.Source, f.Source) {
		found.Patches = append(found.Patches, removal(f, d))
	}
	return found
}

// removal returns the patch that deletes the directive. Comments do not
// change what a program does, so it is safe and needs no new analysis. The
// file must not be in an encoding of its own, since offsets count UTF-8.
func removal(f File, d *tracked) report.Patch {
	start, end := d.Removal(f.Source)
	edit := report.Edit{Start: start, End: end}
	edit.File = f.Name
	edit.Line, edit.Column = d.module.Position(ast.Pos(start))
	edit.EndLine, edit.EndColumn = d.module.Position(ast.Pos(end))
	after := slices.Concat(f.Source[:start], f.Source[end:])
	return report.Patch{
		Description: "remove the comment", Safety: report.SafetySafe, Verified: true,
		Diff:  patch.Unified(f.Name, f.Name, f.Source, after),
		Edits: []report.Edit{edit},
	}
}
