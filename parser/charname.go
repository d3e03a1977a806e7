package parser

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// characterNamed returns the character that \N{name} stands for: names of the
// Unicode standard and their aliases, in any case.
func characterNamed(text string) (rune, bool) {
	r, ok := charactersByName()[strings.ToUpper(text)]
	return r, ok
}

// charactersByName is built on first use, as few files need it.
var charactersByName = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 1<<16)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			names[name] = r
		}
	}
	return names
})
