package replay

import "testing"

// TestWords holds the count of identifiers, which is kept while lines change, against the
// search for each of them.
func TestWords(t *testing.T) {
	f := &function{words: map[string]int{}, lines: []line{
		{text: `v1 = self.v1["v1 \" v1"] + v12.v1`},
		{text: "if v1 and not _v1 and v1x:\n    v1 = v1"},
		{text: "9v1 = é.v1 + év1"},
	}}
	for _, l := range f.lines {
		f.count(l.text, 1)
	}
	check := func() {
		t.Helper()
		for _, name := range []string{"v1", "v12", "_v1", "v1x", "self", "not", "x", "9v1"} {
			want := 0
			for _, l := range f.lines {
				want += countWord(l.text, name)
			}
			if f.words[name] != want {
				t.Errorf("%s is counted %d times, want %d", name, f.words[name], want)
			}
		}
	}
	check()
	f.set(0, "x = v1(v1.v12)")
	check()
	f.remove(1)
	check()
}
