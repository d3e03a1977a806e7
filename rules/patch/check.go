package patch

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Result says what became of suggested edits.
type Result struct {
	// Verified reports whether the patched program parses, lacks the finding
	// and has none that it did not have before.
	Verified bool
	// Err is the step that failed: the edits could not be applied, a file no
	// longer parses, or the analysis could not run. Nil does not imply
	// Verified.
	Err error
	// Remains reports whether the finding is still there.
	Remains bool
	// New are the fingerprints that only the patched program has, sorted.
	New []string
	// Files holds the new contents of the files that changed, by name. It is
	// nil when the edits could not be applied.
	Files map[string][]byte
}

// Reason returns why a result is not verified, and "" when it is.
func (r Result) Reason() string {
	switch {
	case r.Verified:
		return ""
	case r.Err != nil:
		return r.Err.Error()
	case r.Remains && len(r.New) > 0:
		return "the finding remains, and there are new ones: " + strings.Join(r.New, ", ")
	case r.Remains:
		return "the finding remains"
	default:
		return "there are new findings: " + strings.Join(r.New, ", ")
	}
}

// Check applies edits in memory, parses each changed file and analyzes the
// changed program. It writes nothing.
//
// Files holds the contents the offsets of the edits refer to. Reparse returns
// an error for a file that is not valid. Analyze returns the fingerprints of
// the program with the files of its argument in place of those on disk. Want
// is the fingerprint of the finding that the edits are to remove, and before
// holds all fingerprints of the program as it is: the two analyses must have
// looked at the same files with the same rules, or "new" means nothing.
//
// Fingerprints are compared as sets. A patch that removes one of two places
// with one fingerprint is not verified, and one that adds such a place to a
// program that has another is not found out.
func Check(
	files map[string][]byte,
	edits []Edit,
	reparse func(name string, src []byte) error,
	analyze func(overlay map[string][]byte) ([]string, error),
	want string,
	before map[string]bool,
) Result {
	changed, err := ApplyAll(files, edits)
	if err != nil {
		return Result{Err: fmt.Errorf("apply: %w", err)}
	}
	maps.DeleteFunc(changed, func(name string, src []byte) bool { return bytes.Equal(src, files[name]) })
	r := Result{Files: changed}
	if len(changed) == 0 {
		r.Err = fmt.Errorf("the edits change nothing")
		return r
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if err := reparse(name, changed[name]); err != nil {
			r.Err = fmt.Errorf("parse: %w", err)
			return r
		}
	}
	after, err := analyze(changed)
	if err != nil {
		r.Err = fmt.Errorf("analyze: %w", err)
		return r
	}
	for _, fingerprint := range after {
		if fingerprint == want {
			r.Remains = true
		} else if !before[fingerprint] {
			r.New = append(r.New, fingerprint)
		}
	}
	slices.Sort(r.New)
	r.New = slices.Compact(r.New)
	r.Verified = !r.Remains && len(r.New) == 0
	return r
}

// Diff returns the unified diffs of all files of changed against the contents
// of the same names in files, in the order of the names.
func Diff(files, changed map[string][]byte) string {
	var w strings.Builder
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		w.WriteString(Unified(name, name, files[name], changed[name]))
	}
	return w.String()
}
