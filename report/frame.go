package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/rivo/uniseg"
)

// A frame is an excerpt of one file with underlined ranges, each of which may
// have a label. Source lines that hold no range are left out, except the one
// before each range.

const (
	// nearLines is how far from the main line a related place may be to share
	// the frame with it.
	nearLines = 15
	// maxFrames is how many places elsewhere get a frame of their own.
	maxFrames = 3
	// maxRangeLines is how many lines of one range are shown.
	maxRangeLines = 4
	// maxColumns cuts source lines where the width of the page is unknown.
	maxColumns = 200
)

// A mark is a range to underline.
type mark struct {
	Location
	label string
	main  bool
}

// A frame is the marks of one file, in the order of the file.
type frame struct {
	file  string
	marks []mark
}

// framesOf returns the frame of the main location, then those of guards and
// context elsewhere, and the related locations that no frame shows.
func framesOf(f *Finding) (frames []frame, rest []Related) {
	frames = []frame{{file: f.File, marks: []mark{{Location: f.Location, label: f.Label, main: true}}}}
	for _, rel := range f.Related {
		m := mark{Location: rel.Location, label: rel.Message}
		switch {
		case rel.Role != RoleGuard && rel.Role != RoleContext:
			rest = append(rest, rel)
		case addNear(frames, m):
		case len(frames) <= maxFrames:
			frames = append(frames, frame{file: rel.File, marks: []mark{m}})
		default:
			rest = append(rest, rel)
		}
	}
	for _, fr := range frames {
		slices.SortStableFunc(fr.marks, func(a, b mark) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
	}
	return frames, rest
}

// addNear adds m to the first frame that has a mark near it.
func addNear(frames []frame, m mark) bool {
	for i, fr := range frames {
		if fr.file == m.File && slices.ContainsFunc(fr.marks, func(o mark) bool {
			return m.Line >= o.Line-nearLines && m.Line <= max(o.Line, o.EndLine)+nearLines
		}) {
			frames[i].marks = append(fr.marks, m)
			return true
		}
	}
	return false
}

// A segment is the part of a mark that lies on one line, in display columns.
type segment struct {
	from, to int
	mark     mark
	last     bool // the label goes here
}

// A frameLine is one line of source and what is underlined in it.
type frameLine struct {
	number   int
	text     string
	segments []segment
}

// frameLines lays out a frame; it returns none when the source is not known.
func frameLines(file *sourceFile, fr frame) []frameLine {
	lines := make(map[int]*frameLine)
	layouts := make(map[int]displayLine)
	show := func(n int) bool {
		if _, ok := lines[n]; ok {
			return true
		}
		text, ok := file.line(n)
		if !ok {
			return false
		}
		layouts[n] = layout(text)
		lines[n] = &frameLine{number: n, text: layouts[n].text}
		return true
	}
	for _, m := range fr.marks {
		if before, ok := file.line(m.Line - 1); ok && strings.TrimSpace(before) != "" {
			show(m.Line - 1)
		}
		end := max(m.EndLine, m.Line)
		for _, n := range rangeLines(m.Line, end) {
			if show(n) {
				from, to := segmentColumns(layouts[n], m, n)
				lines[n].segments = append(lines[n].segments, segment{from, to, m, n == end})
			}
		}
	}
	sorted := make([]frameLine, 0, len(lines))
	for _, line := range lines {
		sorted = append(sorted, *line)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].number < sorted[j].number })
	return sorted
}

// rangeLines returns the lines of a range that are shown: its first ones and
// its last.
func rangeLines(first, last int) []int {
	var shown []int
	for n := first; n < last && len(shown) < maxRangeLines-1; n++ {
		shown = append(shown, n)
	}
	return append(shown, last)
}

// segmentColumns returns the display columns that m covers on line n, at
// least one, without the indentation of the lines after its first.
func segmentColumns(d displayLine, m mark, n int) (from, to int) {
	from, to = width(d.text)-width(strings.TrimLeft(d.text, " ")), width(strings.TrimRight(d.text, " "))
	if n == m.Line {
		from = d.at(m.Column)
	}
	if n == m.EndLine {
		to = d.at(m.EndColumn)
	}
	return from, max(to, from+1)
}

// frames prints the excerpts of a finding and returns the related locations
// that are not part of them.
func (p *textPrinter) frames(f *Finding) []Related {
	frames, rest := framesOf(f)
	laid := make([][]frameLine, len(frames))
	digits := 2
	for i, fr := range frames {
		laid[i] = frameLines(p.src.file(fr.file), fr)
		for _, line := range laid[i] {
			digits = max(digits, len(fmt.Sprint(line.number)))
		}
	}
	for i, lines := range laid {
		if i > 0 {
			first := frames[i].marks[0].Location
			p.printf("  %s %s\n", p.paint.gutter.Sprint(":::"), p.place(first))
			if len(lines) == 0 && frames[i].marks[0].label != "" {
				p.printf("      %s\n", visible(frames[i].marks[0].label))
			}
		}
		p.frame(lines, digits)
	}
	return rest
}

// frame prints one excerpt behind a gutter of line numbers.
func (p *textPrinter) frame(lines []frameLine, digits int) {
	limit := maxColumns
	if p.opt.Width > 0 {
		limit = max(p.opt.Width-digits-6, 20)
		lines = dedent(lines, limit)
	}
	blank := "   " + strings.Repeat(" ", digits) + p.paint.gutter.Sprint(" |")
	for _, line := range lines {
		shift := 0
		if width(line.text) > limit {
			if len(line.segments) > 0 && line.segments[0].to > limit {
				shift = max(line.segments[0].from-limit/4, 0)
			}
			line.text = cut(line.text, shift, limit)
		}
		number := p.paint.gutter.Sprintf("%*d |", digits, line.number)
		p.printf("%s\n", strings.TrimRight("   "+number+" "+line.text, " "))
		for _, seg := range line.segments {
			seg.from, seg.to = seg.from-shift, min(seg.to-shift, limit)
			p.segment(blank, seg, limit)
		}
	}
}

// segment underlines one range and prints its label behind it, or below it
// where the page is too narrow.
func (p *textPrinter) segment(blank string, seg segment, limit int) {
	style, char := p.paint.related, "-"
	if seg.mark.main {
		style, char = p.severity, "^"
	}
	line := style.Sprint(strings.Repeat(char, max(seg.to-seg.from, 1)))
	label := ""
	if seg.last {
		label = visible(seg.mark.label)
	}
	indent := strings.Repeat(" ", seg.from)
	if label == "" || p.opt.Width <= 0 || seg.to+1+width(label) <= limit {
		if label != "" {
			label = " " + style.Sprint(label)
		}
		p.printf("%s %s%s%s\n", blank, indent, line, label)
		return
	}
	p.printf("%s %s%s\n", blank, indent, line)
	from := min(seg.from, max(limit-40, 0))
	for _, part := range wrap(label, limit-from) {
		p.printf("%s %s%s\n", blank, strings.Repeat(" ", from), style.Sprint(part))
	}
}

// dedent removes the common indentation of lines when one of them does not
// fit into limit columns.
func dedent(lines []frameLine, limit int) []frameLine {
	widest := 0
	for _, line := range lines {
		widest = max(widest, width(line.text))
		for _, seg := range line.segments {
			widest = max(widest, seg.to+1+min(width(seg.mark.label), 40))
		}
	}
	if widest <= limit {
		return lines
	}
	return dedented(lines)
}

// dedented returns lines without their common indentation.
func dedented(lines []frameLine) []frameLine {
	common := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line.text, " "); text != "" && (common < 0 || len(line.text)-len(text) < common) {
			common = len(line.text) - len(text)
		}
	}
	common = max(common, 0)
	moved := slices.Clone(lines)
	for i, line := range moved {
		moved[i].text = strings.TrimPrefix(line.text, strings.Repeat(" ", common))
		moved[i].segments = slices.Clone(line.segments)
		for j := range line.segments {
			moved[i].segments[j].from = max(line.segments[j].from-common, 0)
			moved[i].segments[j].to = max(line.segments[j].to-common, 1)
		}
	}
	return moved
}

// cut returns the columns from shift to shift+n of visible text.
func cut(text string, shift, n int) string {
	var b strings.Builder
	column, state := 0, -1
	for text != "" && column < shift+n {
		var cluster string
		var w int
		cluster, text, w, state = uniseg.FirstGraphemeClusterInString(text, state)
		if column >= shift && column+w <= shift+n {
			b.WriteString(cluster)
		}
		column += w
	}
	return b.String()
}
