package report

import (
	"fmt"
	"io"
)

// GitLab reads a code quality report as an array of issues in the style of
// Code Climate. It tells issues apart by their fingerprint alone, so two
// findings with one fingerprint get a number; paths must not start with "./".

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// GitLab writes run as a GitLab code quality report.
func GitLab(w io.Writer, run *Run) error {
	seen := make(map[string]int)
	j := newJSONWriter(w)
	j.open("[")
	for i := range run.Findings {
		f := &run.Findings[i]
		fingerprint := f.Fingerprint
		if seen[f.Fingerprint]++; seen[f.Fingerprint] > 1 {
			fingerprint += fmt.Sprintf("-%d", seen[f.Fingerprint])
		}
		j.element(gitlabIssue{
			Description: visible(fmt.Sprintf("%s: %s (%s)", f.Name, f.Message, f.Confidence)),
			CheckName:   f.Rule,
			Fingerprint: fingerprint,
			Severity:    gitlabSeverity(f),
			Location:    gitlabLocation{Path: f.File, Lines: gitlabLines{max(f.Line, 1), max(f.EndLine, f.Line, 1)}},
		})
	}
	j.close("]")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write GitLab report: %w", err)
	}
	return nil
}

// gitlabSeverity returns one of info, minor, major, critical, blocker.
func gitlabSeverity(f *Finding) string {
	switch {
	case f.Severity == SeverityError && f.Confidence == Confirmed:
		return "critical"
	case f.Severity == SeverityError:
		return "major"
	case f.Severity == SeverityWarning:
		return "minor"
	}
	return "info"
}
