package report

import (
	"fmt"
	"io"
)

// JSON writes run as one JSON object, version [SchemaVersion]; the schema is
// [JSONSchema]. Lists are never null. The findings are encoded one by one, so
// that a long report needs no more memory than a short one.
func JSON(w io.Writer, run *Run) error {
	j := newJSONWriter(w)
	j.open("{")
	j.member("version", SchemaVersion)
	j.member("tool", run.Tool)
	j.array("findings", len(run.Findings), func(i int) any { return wholeFinding(run.Findings[i]) })
	j.array("errors", len(run.Errors), func(i int) any { return run.Errors[i] })
	j.member("stats", run.Stats)
	j.close("}")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// wholeFinding returns f with empty lists in place of nil ones.
func wholeFinding(f Finding) Finding {
	f.Containers = list(f.Containers)
	f.Related = list(f.Related)
	f.Patches = list(f.Patches)
	if f.Witness != nil {
		w := *f.Witness
		w.Steps = append([]Step{}, w.Steps...)
		for i := range w.Steps {
			if w.Steps[i].State == nil {
				w.Steps[i].State = map[string]string{}
			}
		}
		f.Witness = &w
	}
	return f
}

// list returns s, or an empty slice for nil.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
