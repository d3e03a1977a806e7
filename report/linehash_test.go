package report

import (
	"slices"
	"strings"
	"testing"
)

// The expected values are those of the tests of github/codeql-action.
func TestLineHashes(t *testing.T) {
	greetings := []string{
		"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
		"b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
	}
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{"c129715d7a2bc9a3:1"}},
		{" a\nb\n  \t\tc\n d", []string{"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}},
		{" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", greetings},
		{" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", greetings},
		{" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", greetings},
		{" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", greetings},
		{strings.Repeat("Lorem ipsum dolor sit amet.\n", 10), []string{
			"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5",
			"a7f2ff13bc495cf2:6", "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1",
			"c129715d7a2bc9a3:1",
		}},
	}
	for _, tt := range tests {
		if got := lineHashes([]byte(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestUnitColumn(t *testing.T) {
	tests := []struct {
		line         string
		column, want int
	}{
		{"abc", 1, 1}, {"abc", 3, 3}, {"abc", 4, 4}, {"abc", 6, 6}, {"abc", 0, 1},
		{"ü=1", 3, 2}, {"漢=1", 4, 2}, {"👩=1", 5, 3}, {"\xff=1", 2, 2}, {"漢", 2, 1},
	}
	for _, tt := range tests {
		if got := unitColumn(tt.line, tt.column); got != tt.want {
			t.Errorf("%q column %d: got %d, want %d", tt.line, tt.column, got, tt.want)
		}
	}
}
