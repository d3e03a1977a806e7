package parser

import (
	"fmt"
	"sort"

	"github.com/kvrace/kvrace/parser/ast"
)

// Error is one fault of a file.
type Error struct {
	Name         string // of the file
	Line, Column int    // from 1; the column counts bytes of UTF-8
	Msg          string
}

// Error returns "name:line:column: message".
func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Msg)
}

// ErrorList holds the faults of a file in the order of their positions. It is
// never empty when it is returned as an error.
type ErrorList []Error

// Error returns the first fault and the number of the others.
func (l ErrorList) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more errors)", l[0].Error(), len(l)-1)
}

// maxErrors bounds the faults that are recorded for one file. Statements after
// the last of them are still parsed.
const maxErrors = 100

// faults collects problems by offset, until lines and columns are known.
type faults []problem

func (f *faults) add(pos ast.Pos, msg string) {
	if len(*f) < maxErrors {
		*f = append(*f, problem{pos, msg})
	}
}

// list returns the faults as errors of m, sorted and without repetitions; it
// is nil if there are none.
func (f faults) list(m *ast.Module) ErrorList {
	if len(f) == 0 {
		return nil
	}
	sort.SliceStable(f, func(i, j int) bool { return f[i].pos < f[j].pos })
	var errs ErrorList
	for i, fault := range f {
		if i > 0 && fault == f[i-1] {
			continue
		}
		line, column := m.Position(fault.pos)
		errs = append(errs, Error{m.Name, line, column, fault.msg})
	}
	return errs
}
