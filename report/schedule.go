package report

import (
	"fmt"
	"slices"
)

// A schedule is the witness of a finding laid out as a table: one lane per
// entrypoint in the order of their first steps, one column per container.
type schedule struct {
	lanes      []string // short names, distinct
	entries    []string // qualified names, parallel to lanes
	containers []string
	rows       []scheduleRow
}

// A scheduleRow is one step of a schedule.
type scheduleRow struct {
	step  Step
	lane  int    // index into lanes
	where string // line, with the file when it is not the finding's own
	state []string
	// changed reports whether the step left some container different from
	// what it was after the step before.
	changed bool
}

// newSchedule lays out the witness of f, or returns nil when it has no steps.
func newSchedule(f *Finding) *schedule {
	if f.Witness == nil || len(f.Witness.Steps) == 0 {
		return nil
	}
	steps := f.Witness.Steps
	s := &schedule{containers: stateColumns(f)}
	files := []string{f.File}
	for _, step := range steps {
		if !slices.Contains(s.entries, step.Entrypoint) {
			s.entries = append(s.entries, step.Entrypoint)
		}
		if !slices.Contains(files, step.File) {
			files = append(files, step.File)
		}
	}
	names, paths := distinct(s.entries, "."), distinct(files, "/")
	for _, entry := range s.entries {
		s.lanes = append(s.lanes, names[entry])
	}
	for i, step := range steps {
		row := scheduleRow{step: step, lane: slices.Index(s.entries, step.Entrypoint), changed: i == 0}
		row.where = fmt.Sprint(step.Line)
		if step.File != f.File {
			row.where = paths[step.File] + ":" + row.where
		}
		for j, container := range s.containers {
			row.state = append(row.state, step.State[container])
			if i > 0 && s.rows[i-1].state[j] != row.state[j] {
				row.changed = true
			}
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// stateColumns returns the containers that the steps of f speak of: those of
// the finding in its order, then any others by name.
func stateColumns(f *Finding) []string {
	seen := make(map[string]bool)
	for _, step := range f.Witness.Steps {
		for container := range step.State {
			seen[container] = true
		}
	}
	var columns []string
	for _, container := range f.Containers {
		if seen[container] {
			columns = append(columns, container)
			delete(seen, container)
		}
	}
	own := len(columns)
	for container := range seen {
		columns = append(columns, container)
	}
	slices.Sort(columns[own:])
	return columns
}
