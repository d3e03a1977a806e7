package report

import (
	"bytes"
	"strings"
)

// sources gives lines of the files of a run, indexing each file once.
type sources struct {
	run   *Run
	files map[string]*sourceFile
}

// A sourceFile is the text of one file and the offsets at which its lines start.
type sourceFile struct {
	text   []byte
	starts []int
}

func newSources(run *Run) *sources {
	return &sources{run: run, files: make(map[string]*sourceFile)}
}

// file returns the text of a file, or nil when the run does not hold it.
func (s *sources) file(name string) *sourceFile {
	if f, ok := s.files[name]; ok {
		return f
	}
	text, ok := s.run.Sources[name]
	if !ok {
		s.files[name] = nil
		return nil
	}
	f := &sourceFile{text: text, starts: lineStarts(text)}
	s.files[name] = f
	return f
}

// lineStarts returns the offset of each line; as in Python, a line ends with
// LF, CR LF or CR.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n', text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns line n, counted from 1, without its end, and whether it
// exists. A byte order mark is not part of the first line.
func (f *sourceFile) line(n int) (string, bool) {
	if f == nil || n < 1 || n > len(f.starts) {
		return "", false
	}
	return f.lines(n, n), true
}

// lines returns the lines first to last as they stand in the file, without
// the end of the last one.
func (f *sourceFile) lines(first, last int) string {
	if f == nil || first < 1 || first > len(f.starts) {
		return ""
	}
	text := f.text[f.starts[first-1]:f.end(last)]
	if first == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return strings.TrimRight(string(text), "\r\n")
}

// end returns the offset at which line n and its end are over.
func (f *sourceFile) end(n int) int {
	if n < len(f.starts) {
		return f.starts[n]
	}
	return len(f.text)
}
