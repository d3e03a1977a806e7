package report

import "fmt"

// A diagram is a schedule drawn as a sequence diagram: a lane with a lifeline
// per entrypoint, a row with a mark per step, an arrow where the next step is
// another entrypoint's, and a column per container at the side. All lengths
// are in SVG units; text is set in a monospaced font, whose advance is known,
// so that it can be wrapped here.
type diagram struct {
	Width, Height int
	Lanes         []diagramLane
	States        []diagramLane
	Rows          []diagramRow
	Top, Bottom   int // of the lifelines
}

// A diagramLane is the head of a column.
type diagramLane struct {
	X     int // of the lifeline, or of the text
	Label string
}

// A diagramRow is one step.
type diagramRow struct {
	Number, Y, Height int // Y is that of the mark
	Top               int
	X                 int
	Lines             []diagramText
	States            []diagramState
	Arrow             string // path to the mark from the former one, in another lane
	Head              string // the arrow's head
	Run               string // path from the former mark, in the same lane
	Fails             bool   // the step that shows the defect
	Odd               bool
}

// A diagramText is one line of text.
type diagramText struct {
	X, Y int
	Text string
}

// A diagramState is the content of one container after a step.
type diagramState struct {
	diagramText
	Box     int // width of the box around what changed
	Changed bool
}

const (
	advance    = 7.25 // of a character of the monospaced font, at 12 units
	lineHeight = 17
	cellChars  = 30 // at which the text of a step is wrapped
	markInset  = 16 // of a mark in its lane
	textInset  = 14 // of a step's text behind its mark
	headHeight = 40
	numberLane = 34
	rowPadding = 13
)

// textLength returns the length of n characters.
func textLength(n int) int { return int(float64(n)*advance + 0.5) }

// laneLabel returns a name as the head of a column.
func laneLabel(name string) string { return cut(visible(name), 0, cellChars) }

// newDiagram draws s.
func newDiagram(s *schedule) *diagram {
	d := &diagram{Top: headHeight - 6}
	cells := make([][]string, len(s.rows))
	chars := make([]int, len(s.lanes))
	for i, name := range s.lanes {
		chars[i] = max(width(laneLabel(name)), 10)
	}
	for i, row := range s.rows {
		cells[i] = wrap(cellText(row), cellChars)
		for _, line := range cells[i] {
			chars[row.lane] = max(chars[row.lane], width(line))
		}
	}
	x := numberLane
	for i, name := range s.lanes {
		d.Lanes = append(d.Lanes, diagramLane{x + markInset, laneLabel(name)})
		x += markInset + textInset + textLength(chars[i]) + 12
	}
	x += 8
	boxes := make([]int, len(s.containers))
	for i, name := range s.containers {
		n := width(laneLabel(name))
		for _, row := range s.rows {
			n = max(n, width(visible(row.state[i])))
		}
		boxes[i] = textLength(n) + 16
		d.States = append(d.States, diagramLane{x + 8, laneLabel(name)})
		x += boxes[i] + 10
	}
	d.Width = x + 4
	y := headHeight
	for i, row := range s.rows {
		r := d.row(s, i, row, cells[i], y)
		for j, state := range row.state {
			text := visible(state)
			r.States = append(r.States, diagramState{
				diagramText: diagramText{d.States[j].X, r.Y + 4, text},
				Box:         textLength(width(text)) + 14,
				Changed:     i > 0 && s.rows[i-1].state[j] != state,
			})
		}
		d.Rows = append(d.Rows, r)
		y += r.Height
	}
	d.Bottom = y
	d.Height = y + 6
	return d
}

// row places step i, whose row begins at y.
func (d *diagram) row(s *schedule, i int, row scheduleRow, cell []string, y int) diagramRow {
	r := diagramRow{
		Number: i + 1, Top: y, Y: y + rowPadding + lineHeight/2, X: d.Lanes[row.lane].X,
		Height: len(cell)*lineHeight + 2*rowPadding - 4,
		Fails:  i == len(s.rows)-1, Odd: i%2 == 1,
	}
	for j, line := range cell {
		r.Lines = append(r.Lines, diagramText{r.X + textInset, r.Y + 4 + j*lineHeight, line})
	}
	if i == 0 {
		return r
	}
	last := d.Rows[i-1]
	if last.X == r.X {
		r.Run = fmt.Sprintf("M%d %dV%d", last.X, last.Y+6, r.Y-6)
		return r
	}
	turn := r.Top + 4
	r.Arrow = fmt.Sprintf("M%d %dV%dH%dV%d", last.X, last.Y+6, turn, r.X, r.Y-13)
	r.Head = fmt.Sprintf("M%d %dl-4 -7h8z", r.X, r.Y-7)
	return r
}

// describe returns the diagram in words, for those who do not see it.
func (s *schedule) describe() []string {
	var lines []string
	for i, row := range s.rows {
		line := fmt.Sprintf("%s: %s", visible(s.lanes[row.lane]), cellText(row))
		if row.changed && len(s.containers) > 0 {
			line += ". Then"
			for j, name := range s.containers {
				if j > 0 {
					line += ","
				}
				line += fmt.Sprintf(" %s is %s", visible(name), visible(row.state[j]))
			}
		}
		if i == len(s.rows)-1 {
			line += ". This step shows the defect"
		}
		lines = append(lines, line+".")
	}
	return lines
}
