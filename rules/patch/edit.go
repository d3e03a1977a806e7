package patch

import (
	"cmp"
	"fmt"
	"slices"
)

// An Edit replaces the bytes [Start, End) of a file by New. An edit with
// Start == End inserts. Offsets count bytes from 0 in the file as it was read.
type Edit struct {
	File  string // as the analysis names the file
	Start int    // offset of the first byte replaced
	End   int    // offset after the last byte replaced
	New   string // text that takes the place of the range
}

// Sort orders edits by file, start and end, as [Apply] wants them. Insertions
// at one offset keep their order.
func Sort(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
}

// Apply returns src with the edits made; src itself is not changed. The edits
// must be of one file, sorted by start, inside src, and must not overlap:
// anything else is an error. Insertions at one offset are made in the order
// given.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	if err := validate(len(src), edits); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(src))
	last := 0
	for _, e := range edits {
		out = append(out, src[last:e.Start]...)
		out = append(out, e.New...)
		last = e.End
	}
	return append(out, src[last:]...), nil
}

// validate reports the first edit that Apply cannot make in a file of size
// bytes.
func validate(size int, edits []Edit) error {
	for i, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > size {
			return fmt.Errorf("%s: edit of bytes %d to %d is outside the file of %d bytes", e.File, e.Start, e.End, size)
		}
		if i == 0 {
			continue
		}
		prev := edits[i-1]
		switch {
		case e.File != prev.File:
			return fmt.Errorf("edits of two files, %s and %s", prev.File, e.File)
		case e.Start < prev.Start:
			return fmt.Errorf("%s: edits at bytes %d and %d are not sorted", e.File, prev.Start, e.Start)
		case e.Start < prev.End:
			return fmt.Errorf("%s: edits of bytes %d to %d and %d to %d overlap", e.File, prev.Start, prev.End, e.Start, e.End)
		}
	}
	return nil
}

// ApplyAll makes edits of several files, in any order, and returns the new
// contents of the files they touch. The map given and its contents are not
// changed. An edit of a file that files does not hold is an error.
func ApplyAll(files map[string][]byte, edits []Edit) (map[string][]byte, error) {
	sorted := slices.Clone(edits)
	Sort(sorted)
	changed := make(map[string][]byte)
	for len(sorted) > 0 {
		name := sorted[0].File
		n := 1
		for n < len(sorted) && sorted[n].File == name {
			n++
		}
		src, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("%s: edit of a file that was not read", name)
		}
		out, err := Apply(src, sorted[:n])
		if err != nil {
			return nil, err
		}
		changed[name] = out
		sorted = sorted[n:]
	}
	return changed, nil
}
