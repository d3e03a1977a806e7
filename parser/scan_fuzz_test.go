package parser

import (
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
)

// FuzzScan checks that the scanner ends, makes progress, and that its tokens
// are in order and inside the source.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"def f(a, *b):\n\tif a:\n        return f'{a!r:>{b}}'  # c\n  x\n",
		"x = 'a' \"\"\"b\n\"\"\" rb'\\x' 0x1f 1_0.5e-3j 1if 0\\\n\r\n\f y\r",
		"f\"{f'{1:{2}}'}{{}}\\N{DASH}\" t'{x=}' $ ? \x00 \xff é ({[)]}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		lines := ast.NewLines([]byte(src), 0)
		s := new(scanner).reuse(src, &lines)
		limit := 2*len(src) + 2*maxIndents + 10
		end := ast.Pos(0)
		for n := 0; ; n++ {
			if n > limit {
				t.Fatalf("more than %d tokens", limit)
			}
			s.next()
			if s.pos < end || s.end < s.pos || int(s.end) > len(src) {
				t.Fatalf("token %d at %d-%d of %d bytes after one that ends at %d", s.tok, s.pos, s.end, len(src), end)
			}
			end = s.end
			if s.tok > lastLayout && s.tok != illegal && s.pos == s.end && s.tok != fstringMiddle {
				t.Fatalf("empty token %d at %d", s.tok, s.pos)
			}
			if s.tok == illegal && s.problem.msg == "" {
				t.Fatalf("illegal token at %d without a reason", s.pos)
			}
			if s.tok == eof {
				return
			}
		}
	})
}
