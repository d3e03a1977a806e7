package report

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// minLane is the narrowest lane worth a column of its own.
	minLane = 18
	// maxLane is the widest lane where the width of the page is unknown.
	maxLane = 44
	// laneGap is the distance of two columns.
	laneGap = 2
)

// witness prints how the search ended and the schedule it found.
func (p *textPrinter) witness(f *Finding) {
	if f.Witness == nil {
		return
	}
	s := newSchedule(f)
	if s == nil {
		p.field("search", visible(verdictText(f)))
		return
	}
	p.printf("  %s (%s)\n", p.paint.bold.Sprint("how it goes wrong"), visible(verdictText(f)))
	if table, ok := p.layTable(s); ok {
		p.table(s, table)
	} else {
		p.list(s)
	}
}

// verdictText says how sure the schedule of f is, and why.
func verdictText(f *Finding) string {
	w := f.Witness
	var text string
	switch steps := count(len(w.Steps), "step"); {
	case w.Verdict == VerdictFound && w.Replayed:
		text = fmt.Sprintf("%s: replayed in %s", f.Confidence, steps)
		if slices.ContainsFunc(f.Patches, func(p Patch) bool { return p.Replayed }) {
			text += "; the patched code passes"
		}
	case w.Verdict == VerdictFound:
		text = fmt.Sprintf("%s: found in %s, not replayed", f.Confidence, steps)
	case w.Verdict == VerdictExcluded:
		text = fmt.Sprintf("%s: whatever these threads do, no schedule shows it", f.Confidence)
	default:
		text = fmt.Sprintf("%s: no schedule was found", f.Confidence)
	}
	if w.Reason != "" {
		text += ": " + w.Reason
	}
	return text
}

// A textTable holds the widths of the columns of a schedule.
type textTable struct {
	step          int
	lanes, states []int
}

// layTable fits the columns of s into the page and reports whether they do.
func (p *textPrinter) layTable(s *schedule) (textTable, bool) {
	t := textTable{step: max(len("step"), len(fmt.Sprint(len(s.rows))))}
	for i, name := range s.lanes {
		t.lanes = append(t.lanes, width(visible(name)))
		for j := range s.rows {
			if s.rows[j].lane == i && !s.overflows(j) {
				t.lanes[i] = max(t.lanes[i], width(cellText(s.rows[j])))
			}
		}
	}
	fixed := 4 + t.step + laneGap*len(t.lanes)
	for i, name := range s.containers {
		w := width(visible(name))
		for _, row := range s.rows {
			w = max(w, width(visible(row.state[i])))
		}
		t.states = append(t.states, w)
		fixed += w + laneGap
	}
	limit := maxLane
	if p.opt.Width > 0 {
		limit = laneLimit(t.lanes, p.opt.Width-fixed)
	}
	for i, w := range t.lanes {
		if limit < minLane && w > limit {
			return t, false
		}
		t.lanes[i] = min(w, limit)
	}
	last := len(s.rows) - 1
	if p.opt.Width > 0 && s.overflows(last) && p.opt.Width-4-t.before(s.rows[last].lane) < minLane {
		return t, false
	}
	return t, true
}

// before returns the width of everything to the left of a lane.
func (t textTable) before(lane int) int {
	n := t.step + laneGap
	for _, w := range t.lanes[:lane] {
		n += w + laneGap
	}
	return n
}

// laneLimit returns the greatest width to which lanes can be cut so that
// their sum is at most room.
func laneLimit(lanes []int, room int) int {
	limit := slices.Max(lanes)
	for ; limit > 0; limit-- {
		sum := 0
		for _, w := range lanes {
			sum += min(w, limit)
		}
		if sum <= room {
			break
		}
	}
	return limit
}

// overflows reports whether row i may write over the columns to the right of
// its lane: the last step, when it changes no container.
func (s *schedule) overflows(i int) bool {
	return i == len(s.rows)-1 && i > 0 && !s.rows[i].changed
}

// cellText returns what a row shows in its lane.
func cellText(row scheduleRow) string {
	return visible(row.where + " " + row.step.Action)
}

// table prints a schedule with a column per lane and per container.
func (p *textPrinter) table(s *schedule, t textTable) {
	gap := strings.Repeat(" ", laneGap)
	head := pad("step", t.step)
	for i, name := range s.lanes {
		head += gap + pad(visible(name), t.lanes[i])
	}
	for i, name := range s.containers {
		head += gap + pad(visible(name), t.states[i])
	}
	p.printf("    %s\n", p.paint.heading.Sprint(strings.TrimRight(head, " ")))
	for i, row := range s.rows {
		p.row(s, t, i, row)
	}
}

// row prints one step, on several lines when its action does not fit.
func (p *textPrinter) row(s *schedule, t textTable, i int, row scheduleRow) {
	style := p.paint.plain
	if i == len(s.rows)-1 {
		style = p.severity
	}
	before := t.before(row.lane)
	limit := t.lanes[row.lane]
	if s.overflows(i) {
		limit = 0
		if p.opt.Width > 0 {
			limit = max(p.opt.Width-4-before, limit)
		}
	}
	for j, part := range wrap(cellText(row), limit) {
		lead := ""
		if j == 0 {
			lead = fmt.Sprint(i + 1)
		}
		line := pad(lead, before) + style.Sprint(part)
		if j == 0 && !s.overflows(i) {
			gapAfter := t.lanes[row.lane] - width(part)
			for _, w := range t.lanes[row.lane+1:] {
				gapAfter += w + laneGap
			}
			line += strings.Repeat(" ", max(gapAfter, 0)) + p.states(s, t, i)
		}
		p.printf("    %s\n", strings.TrimRight(line, " "))
	}
}

// states returns the columns of the containers after step i.
func (p *textPrinter) states(s *schedule, t textTable, i int) string {
	var b strings.Builder
	last := len(t.states) - 1
	for j, state := range s.rows[i].state {
		text := visible(state)
		b.WriteString(strings.Repeat(" ", laneGap))
		if i > 0 && s.rows[i-1].state[j] != state {
			b.WriteString(p.paint.changed.Sprint(text))
		} else {
			b.WriteString(text)
		}
		if j < last {
			b.WriteString(strings.Repeat(" ", t.states[j]-width(text)))
		}
	}
	return b.String()
}

// list prints a schedule for a page that is too narrow for the table.
func (p *textPrinter) list(s *schedule) {
	for i, row := range s.rows {
		style := p.paint.plain
		if i == len(s.rows)-1 {
			style = p.severity
		}
		p.printf("    %2d  %s\n", i+1, p.paint.bold.Sprint(visible(s.lanes[row.lane])))
		for _, part := range wrap(cellText(row), max(p.opt.Width-8, 20)) {
			p.printf("        %s\n", style.Sprint(part))
		}
		if row.changed && len(s.containers) > 0 {
			var states []string
			for j, name := range s.containers {
				states = append(states, visible(name+": "+row.state[j]))
			}
			for _, part := range wrap(strings.Join(states, ", "), max(p.opt.Width-8, 20)) {
				p.printf("        %s\n", part)
			}
		}
	}
}
