package baseline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
)

func finding(file, rule, fingerprint string) report.Finding {
	return report.Finding{Rule: rule, Function: "f<>", Fingerprint: fingerprint, Location: report.Location{File: file, Line: 9}}
}

func TestWriteIsSortedAndReads(t *testing.T) {
	old := &Baseline{Entries: []Entry{{Fingerprint: "2", Note: "later & soon"}}}
	b := New([]report.Finding{finding("b.py", "KV101", "1"), finding("a.py", "KV201", "2"), finding("a.py", "KV102", "3"), finding("a.py", "KV102", "3")}, old)
	var buf bytes.Buffer
	if err := b.Write(&buf); err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"findings":[
{"fingerprint":"3","rule":"KV102","file":"a.py","function":"f<>","note":""},
{"fingerprint":"2","rule":"KV201","file":"a.py","function":"f<>","note":"later & soon"},
{"fingerprint":"1","rule":"KV101","file":"b.py","function":"f<>","note":""}
]}
`
	if diff := cmp.Diff(want, buf.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	again, err := Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, again); diff != "" {
		t.Errorf("read again:\n%s", diff)
	}
}

func TestEmpty(t *testing.T) {
	var buf bytes.Buffer
	if err := (&Baseline{}).Write(&buf); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(&buf); err != nil || len(b.Entries) != 0 {
		t.Errorf("read %v, %v", b, err)
	}
}

func TestSplit(t *testing.T) {
	b := &Baseline{Entries: []Entry{{Fingerprint: "1"}, {Fingerprint: "2"}}}
	fresh, known, stale := b.Split([]report.Finding{finding("a.py", "KV101", "2"), finding("a.py", "KV101", "3")})
	if len(fresh) != 1 || fresh[0].Fingerprint != "3" {
		t.Errorf("fresh = %v", fresh)
	}
	if len(known) != 1 || known[0].Fingerprint != "2" {
		t.Errorf("known = %v", known)
	}
	if diff := cmp.Diff([]Entry{{Fingerprint: "1"}}, stale); diff != "" {
		t.Errorf("stale: %s", diff)
	}
	if diff := cmp.Diff([]Entry{{Fingerprint: "2"}}, b.Without(stale).Entries); diff != "" {
		t.Errorf("pruned: %s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	for _, src := range []string{
		"", "[]", `{"version":2,"findings":[]}`, `{"version":1,"findings":[{"rule":"KV101"}]}`,
		`{"version":1,"findings":[]} {}`, `{"version":1,"entries":[]}`,
	} {
		if _, err := Read(strings.NewReader(src)); err == nil {
			t.Errorf("%q was read", src)
		}
	}
}
