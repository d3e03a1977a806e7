package report

import (
	"slices"
	"strings"
)

// A replacement is a patch as one stretch of one file, for consumers that
// take a new text for a range and cannot apply several.
type replacement struct {
	Location
	text string
}

// merged returns the edits of a patch as one replacement, with the source
// between them. It fails for a patch of several files or of none, and where
// the edits do not fit the source.
func (s *sources) merged(patch Patch) (replacement, bool) {
	if len(patch.Edits) == 0 {
		return replacement{}, false
	}
	first, last := patch.Edits[0], patch.Edits[len(patch.Edits)-1]
	file := s.file(first.File)
	if file == nil || first.Line < 1 || last.EndLine < first.Line || first.Start < 0 {
		return replacement{}, false
	}
	var b strings.Builder
	at := first.Start
	for _, edit := range patch.Edits {
		if edit.File != first.File || edit.Start < at || edit.End < edit.Start || edit.End > len(file.text) {
			return replacement{}, false
		}
		b.Write(file.text[at:edit.Start])
		b.WriteString(edit.NewText)
		at = edit.End
	}
	loc := first.Location
	loc.EndLine, loc.EndColumn = last.EndLine, last.EndColumn
	return replacement{loc, b.String()}, true
}

// mergedLines returns the edits of a patch as new text for the whole lines
// from Line to EndLine. The text is whole lines too, or empty to delete them.
func (s *sources) mergedLines(patch Patch) (replacement, bool) {
	r, ok := s.merged(patch)
	if !ok {
		return r, false
	}
	file := s.file(r.File)
	if r.EndLine > len(file.starts) {
		return r, false
	}
	start, end := patch.Edits[0].Start, patch.Edits[len(patch.Edits)-1].End
	from, to := file.starts[r.Line-1], file.end(r.EndLine)
	if start < from || end > to {
		return r, false
	}
	before := string(file.text[from:start]) + r.text
	if r.EndLine > r.Line && end == file.starts[r.EndLine-1] && (before == "" || strings.HasSuffix(before, "\n")) {
		r.EndLine-- // the range ends with the line before
		r.text = before
		return r, true
	}
	r.text = before + string(file.text[end:to])
	if !strings.HasSuffix(r.text, "\n") {
		r.text += "\n"
	}
	return r, true
}

// bestPatch returns the patch to offer where there is room for one: the first
// verified one, or the first, or nil.
func bestPatch(f *Finding) *Patch {
	i := slices.IndexFunc(f.Patches, func(p Patch) bool { return p.Verified })
	switch {
	case i >= 0:
		return &f.Patches[i]
	case len(f.Patches) > 0:
		return &f.Patches[0]
	}
	return nil
}
