package suppress

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
)

// at returns a finding of a rule on a range of lines of a.py.
func at(rule string, line, end int) report.Finding {
	return report.Finding{Rule: rule, Location: report.Location{File: "a.py", Line: line, EndLine: end}}
}

func TestApply(t *testing.T) {
	ids := []string{"KV001", "KV002", "KV003", "KV101", "KV102", "KV201"}
	tests := []struct {
		name     string
		src      string
		findings []report.Finding
		disabled string // rule that did not run
		part     bool
		kept     string // lines
		about    string // rule:line
	}{
		{"same line", "f()  # kvrace: ignore[KV101] why", []report.Finding{at("KV101", 1, 1)}, "", false, "", ""},
		{"line above", "\n# kvrace: ignore[KV101] why\nf()", []report.Finding{at("KV101", 3, 3)}, "", false, "", ""},
		{"last line of a statement", "f(\n)  # kvrace: ignore[KV1] why", []report.Finding{at("KV101", 1, 2)}, "", false, "", ""},
		{"other rule", "f()  # kvrace: ignore[KV102] why", []report.Finding{at("KV101", 1, 1)}, "", false, "1", "KV003:1"},
		{"other line", "f()\ng()  # kvrace: ignore[KV101] why", []report.Finding{at("KV101", 1, 1)}, "", false, "1", "KV003:2"},
		{"whole file", "# kvrace: ignore-file[KV1] why\nf()\n", []report.Finding{at("KV101", 2, 2), at("KV102", 3, 3), at("KV201", 3, 3)}, "", false, "3", ""},
		{"no reason", "f()  # kvrace: ignore[KV101]", []report.Finding{at("KV101", 1, 1)}, "", false, "1", "KV002:1"},
		{"unknown rule", "f()  # kvrace: ignore[KV101, KV999] why", []report.Finding{at("KV101", 1, 1)}, "", false, "", "KV001:1"},
		{"malformed", "f()  # kvrace: ignore", []report.Finding{at("KV101", 1, 1)}, "", false, "1", "KV001:1"},
		{"rule did not run", "f()  # kvrace: ignore[KV101] why", nil, "KV101", false, "", ""},
		{"file not whole", "f()  # kvrace: ignore[KV101] why", nil, "", true, "", ""},
		{"teaching", "# kvrace: confined\nx = 1", nil, "", false, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opt := Options{IDs: ids, Enabled: func(id, file string) bool { return file == "a.py" && id != tt.disabled }}
			kept, held, about := Apply([]File{{"a.py", []byte(tt.src), !tt.part}}, tt.findings, opt)
			var got []string
			for _, f := range kept {
				got = append(got, fmt.Sprint(f.Line))
			}
			if diff := cmp.Diff(strings.Fields(tt.kept), got, cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if len(kept)+len(held) != len(tt.findings) {
				t.Errorf("%d findings became %d kept, %d held", len(tt.findings), len(kept), len(held))
			}
			for _, h := range held {
				if h.Reason != "why" {
					t.Errorf("reason = %q", h.Reason)
				}
			}
			got = nil
			for _, f := range about {
				got = append(got, fmt.Sprintf("%s:%d", f.Rule, f.Line))
			}
			if strings.Join(got, " ") != tt.about {
				t.Errorf("about = %q, want %q", got, tt.about)
			}
		})
	}
}

func TestRemoval(t *testing.T) {
	tests := []struct{ src, want string }{
		{"f()  # kvrace: ignore[KV101] why\ng()\n", "f()\ng()\n"},
		{"f()\n    # kvrace: ignore[KV101] why\r\ng()\n", "f()\ng()\n"},
		{"f()  # kvrace: ignore[KV101] why  # noqa\n", "f()  # noqa\n"},
		{"# kvrace: ignore[KV101] why", ""},
	}
	opt := Options{IDs: []string{"KV101"}, Enabled: func(string, string) bool { return true }}
	for _, tt := range tests {
		_, _, about := Apply([]File{{"a.py", []byte(tt.src), true}}, nil, opt)
		if len(about) != 1 || len(about[0].Patches) != 1 {
			t.Errorf("%q gave %v", tt.src, about)
			continue
		}
		e := about[0].Patches[0].Edits[0]
		if got := tt.src[:e.Start] + e.NewText + tt.src[e.End:]; got != tt.want {
			t.Errorf("%q became %q, want %q", tt.src, got, tt.want)
		}
	}
}
