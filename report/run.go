// Package report turns the result of an analysis into the formats its readers
// use: text for a terminal, JSON, SARIF, GitHub annotations and others.
//
// There is one record, [Run], and one function per format, each of the form
//
//	func Format(w io.Writer, run *Run) error
//
// The package imports none of kvrace's other packages: whatever a format needs
// is a plain field of the record.
package report

import (
	"fmt"
	"time"
)

// SchemaVersion is the version of the JSON format, raised only when a reader
// of the former version could misunderstand the new one.
const SchemaVersion = 1

// A Run is everything that one analysis has to say. Its slices are sorted
// before it is handed to a format; formats do not reorder what they print
// unless their consumer demands it.
type Run struct {
	Version  int       `json:"version"`
	Tool     Tool      `json:"tool"`
	Findings []Finding `json:"findings"`
	Errors   []Error   `json:"errors"`
	Stats    Stats     `json:"stats"`

	// Rules are the rules that ran, sorted by ID, for formats that carry
	// rule metadata.
	Rules []Rule `json:"-"`
	// Sources holds the bytes of every file that a finding or an error
	// mentions, keyed as in Finding.File, for formats that print source.
	Sources map[string][]byte `json:"-"`
	// Asked are the flags and paths that ask another command about the same
	// code, quoted for a shell; "" for none.
	Asked string `json:"-"`
	// Suppressed are the findings that were held back, sorted as Findings,
	// for formats that say so.
	Suppressed []Suppressed `json:"-"`
	// Compared reports whether a baseline or a former revision was
	// consulted, so that each of Findings is new.
	Compared bool `json:"-"`
	// Changed holds the lines of each file that the diff under review shows
	// on its new side, sorted, for formats that comment on a diff. A nil map
	// means that there is no diff and every line may be commented.
	Changed map[string][]LineRange `json:"-"`
	// Maps are the key groups, sorted by component and key, for the reports
	// that show them.
	Maps []KeyGroup `json:"-"`
}

// A LineRange is the lines First to Last of a file, both included.
type LineRange struct{ First, Last int }

// A Suppressed finding is known and not reported.
type Suppressed struct {
	Finding
	By     Suppressor
	Reason string // as written by its author; empty for a baseline
}

// A Tool names the program that made a Run.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Rule is the metadata of one rule.
type Rule struct {
	ID       string   // KV101
	Name     string   // conditional-cleanup
	Severity Severity // default severity
	Summary  string   // one sentence without a full stop
	Doc      string   // the whole page, Markdown
	URL      string   // where the page is published, if it is
}

// A Finding is one reported defect.
type Finding struct {
	Rule       string     `json:"rule"`
	Name       string     `json:"name"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Message    string     `json:"message"`

	Location
	// Label says in a few words what happens at the main location; it stands
	// behind the carets of a source frame and may be empty.
	Label string `json:"label,omitempty"`
	// Function is the qualified name of the function that holds the main
	// location, such as Class.method.inner.
	Function string `json:"function"`
	// Entrypoint is the qualified name of the entrypoint whose thread runs it.
	Entrypoint string `json:"entrypoint"`
	// Component is the concrete class (backend) the finding is about.
	Component  string   `json:"component"`
	Containers []string `json:"containers"`
	// Key is the source text of the key expression.
	Key string `json:"key"`
	// Fingerprint identifies the finding across edits: 16 hex digits that do
	// not depend on line numbers.
	Fingerprint string `json:"fingerprint"`

	// Consequence says what an operator sees when the defect strikes; empty
	// when no fact backs one.
	Consequence string `json:"consequence,omitempty"`
	// Components lists every component the finding is seen through, when
	// there is more than one.
	Components []string  `json:"components,omitempty"`
	Related    []Related `json:"related"`
	Witness    *Witness  `json:"witness,omitempty"`
	Patches    []Patch   `json:"patches"`

	// Reproducer is the self-contained Python program that replays the
	// witness; empty when there is none.
	Reproducer string `json:"-"`
	// PatchedReproducer is the same program for the patched code.
	PatchedReproducer string `json:"-"`
}

// A Location is a range of one source file. Lines and columns count from 1,
// columns in UTF-8 bytes; the end is exclusive. File is relative to the root
// of the analysis, with slashes.
type Location struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

// A Related location is a place that a finding rests on.
type Related struct {
	Location
	Role       Role   `json:"role"`
	Message    string `json:"message"`
	Entrypoint string `json:"entrypoint,omitempty"`
}

// A Witness is a schedule that shows the defect, or the reason there is none.
type Witness struct {
	// Property is the violated property, P1 to P8.
	Property    string   `json:"property"`
	Verdict     Verdict  `json:"verdict"`
	Replayed    bool     `json:"replayed"`
	Reason      string   `json:"reason,omitempty"` // why it was not replayed, or what bound was reached
	Steps       []Step   `json:"steps"`
	Assumptions []string `json:"assumptions,omitempty"`
}

// A Step is one step of a schedule.
type Step struct {
	Entrypoint string `json:"entrypoint"`
	File       string `json:"file"`
	Line       int    `json:"line"`
	Action     string `json:"action"`
	// State maps each container of the key group to its content for the key
	// after the step: "absent", "present" or a status value.
	State map[string]string `json:"state"`
}

// A Patch is the checked diff of one suggested fix.
type Patch struct {
	Description string `json:"description"`
	Safety      Safety `json:"safety"`
	// Verified reports whether the patched program was parsed and analyzed
	// again, without the finding and without a new one.
	Verified bool `json:"verified"`
	// Replayed reports whether the witness was replayed on the patched
	// program and did not show the defect.
	Replayed bool `json:"replayed,omitempty"`
	// Diff is a unified diff that git apply accepts.
	Diff string `json:"diff"`
	// Edits are the replacements behind Diff, sorted by file and start, not
	// overlapping, for formats that carry replacements rather than a diff.
	Edits []Edit `json:"-"`
}

// An Edit replaces the bytes of a range by new text.
type Edit struct {
	Location
	Start   int // byte offset from 0
	End     int // byte offset from 0, exclusive
	NewText string
}

// An Error is a file, or a part of one, that could not be analyzed. A line of
// 0 means the file as a whole.
type Error struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Error returns "file:line:col: message".
func (e Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Stats are the figures of one analysis.
type Stats struct {
	Files  int   `json:"files"`   // files found
	Bytes  int64 `json:"bytes"`   // their size
	Parsed int   `json:"parsed"`  // files parsed
	WallMS int64 `json:"wall_ms"` // elapsed milliseconds
	// Read is how many bytes were read to find out which files matter.
	Read int64 `json:"-"`
	// Cut are the entrypoints that were too large to be followed to their end, by
	// name, sorted.
	Cut []string `json:"-"`
	// Unended is how many replays a clock, or the end of their process, has stopped:
	// another run may say something else.
	Unended int `json:"-"`
	// Excluded is how many findings are left out since no schedule shows them.
	Excluded int `json:"excluded,omitempty"`
	// Recalled reports whether another run has found all of it before.
	Recalled bool `json:"-"`
	// Stages are the parts of the analysis in the order in which they ended.
	Stages []Stage `json:"-"`
}

// A Stage is one part of an analysis, such as a rule.
type Stage struct {
	Name string
	Took time.Duration // without the stages that it waited for
}
