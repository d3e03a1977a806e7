package report

import "io"

// A Format is one way of writing a [Run].
type Format struct {
	Name  string // as in --format
	About string // one line for the help text
	Write func(io.Writer, *Run) error
}

// ShowsPatches reports whether the format prints patches. They need not be made
// for one that does not.
func (f Format) ShowsPatches() bool {
	switch f.Name {
	case "compact", "github", "github-summary", "gitlab", "junit":
		return false
	}
	return true
}

// IsQuick reports whether the format is for whoever waits, such as an editor: it shows
// what the rules find, and no schedule is looked for.
func (f Format) IsQuick() bool { return f.Name == "compact" }

// Formats lists every format by name. Text stands here with the options that
// suit a file; for a terminal, call [Text].
var Formats = []Format{
	{"compact", "one line per finding, for editors", Compact},
	{"github", "workflow commands, for annotations on GitHub", GitHub},
	{"github-review", "the body of a pull-request review, for gh api", GitHubReview},
	{"github-summary", "Markdown for GITHUB_STEP_SUMMARY", GitHubSummary},
	{"gitlab", "code quality report, for GitLab", GitLab},
	{"html", "one page to read in a browser", HTML},
	{"json", "the whole record, version 1", JSON},
	{"junit", "test report, for Jenkins and others", JUnit},
	{"markdown", "a report to paste into an issue", Markdown},
	{"rdjson", "diagnostics with suggestions, for reviewdog", RDJSON},
	{"rdjsonl", "the same, one a line", RDJSONL},
	{"sarif", "SARIF 2.1.0, for code scanning and viewers", SARIF},
	{"text", "source, schedule and patch, for people", plainText},
}

// AuditFormats lists the formats of the audit by name. For a terminal, call
// [AuditText].
var AuditFormats = []Format{
	{"html", "one page to read in a browser", HTML},
	{"json", "the record, with key groups and an overview", AuditJSON},
	{"markdown", "a report to paste into an issue", AuditMarkdown},
	{"text", "for people", func(w io.Writer, run *Run) error { return AuditText(w, run, TextOptions{}) }},
}

// MapFormats lists the formats of the key groups by name. For a terminal, call
// [MapText].
var MapFormats = []Format{
	{"json", "the key groups as a record", MapJSON},
	{"markdown", "tables to paste into an issue", MapMarkdown},
	{"text", "tables, for people", func(w io.Writer, run *Run) error { return MapText(w, run, TextOptions{}) }},
}

// plainText is Text for files and pipes.
func plainText(w io.Writer, run *Run) error { return Text(w, run, TextOptions{}) }
