package report

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// TestPageLoadsNothing checks that the page refers to nothing but pages a
// reader may open.
func TestPageLoadsNothing(t *testing.T) {
	for _, ex := range exampleRuns {
		page := string(written(t, Format{Write: HTML}, ex.run(t)))
		for _, m := range regexp.MustCompile(`(?i)\s(src|srcset|data|poster|action|background)=|<(link|img|iframe|object|embed|base)\b|@import|url\(`).FindAllString(page, -1) {
			t.Errorf("%s: the page may load something: %q", ex.name, m)
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], homepage) {
				t.Errorf("%s: link to %q", ex.name, m[1])
			}
		}
	}
}

// TestPagePolicy checks that the hashes in the page's policy are those of its
// own style and script, of which there is one each.
func TestPagePolicy(t *testing.T) {
	page := string(written(t, Format{Write: HTML}, hostileRun(t)))
	for _, element := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`[^>]*>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s, want 1", len(found), element)
		}
		source := strings.ReplaceAll(hashSource([]byte(found[0][1])), "+", "&#43;")
		if !strings.Contains(page, source) {
			t.Errorf("the policy lacks %s for %s", source, element)
		}
	}
	if strings.Contains(page, "<script>alert") || regexp.MustCompile(`\son\w+=`).MatchString(page) {
		t.Error("foreign markup in the page")
	}
}

// TestPageCopiesExactly checks that what is copied is the patch, also where
// the page shows it with escapes.
func TestPageCopiesExactly(t *testing.T) {
	run := hostileRun(t)
	page := string(written(t, Format{Write: HTML}, run))
	want := base64.StdEncoding.EncodeToString([]byte(run.Findings[0].Patches[0].Diff))
	if !strings.Contains(page, `data-raw="`+strings.ReplaceAll(want, "+", "&#43;")+`"`) {
		t.Error("the page does not hold the patch as it is")
	}
}

func TestHighlight(t *testing.T) {
	mark := func(from, to int, main bool) segment { return segment{from: from, to: to, mark: mark{main: main}} }
	tests := []struct {
		text     string
		segments []segment
		want     string
	}{
		{"if x:  # if", nil, "[tk if]( x:  )[tc # if]"},
		{`f("a # b", 12)`, nil, `(f()[ts "a # b"](, )[tn 12]())`},
		{`s = rb'\'' or y`, nil, `(s = )[ts rb'\''] [tk or]( y)`},
		{"not_if(x)", nil, "(not_if(x))"},
		{"d.pop(k)", []segment{mark(0, 8, true)}, "[m1 d.pop(k)]"},
		{"k in d", []segment{mark(0, 6, false), mark(5, 6, true)}, "[m2 k ][m2 tk in][m2  ][m1 d]"},
		{"'漢' + k", []segment{mark(7, 8, true)}, "[ts '漢']( + )[m1 k]"},
	}
	for _, tt := range tests {
		var b strings.Builder
		for _, run := range highlight(tt.text, tt.segments) {
			switch {
			case run.Class != "":
				b.WriteString("[" + run.Class + " " + run.Text + "]")
			case run.Text == " ":
				b.WriteString(" ")
			default:
				b.WriteString("(" + run.Text + ")")
			}
		}
		if b.String() != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, b.String(), tt.want)
		}
	}
}
