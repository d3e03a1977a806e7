package patch_test

import (
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/rules/patch"
)

// TestLeftHeld counts the jumps that keep a lock.
func TestLeftHeld(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      int
	}{
		{"none", "l.acquire()\na()\nl.release()\n", 0},
		{"continue", "while x:\n    l.acquire()\n    if a:\n        continue\n    l.release()\n", 1},
		{"released first", "while x:\n    l.acquire()\n    if a:\n        l.release()\n        continue\n    l.release()\n", 0},
		{"another lock is released", "while x:\n    l.acquire()\n    if a:\n        m.release()\n        break\n    l.release()\n", 1},
		{"two locks are released first", "while x:\n    l.acquire()\n    m.acquire()\n    if a:\n        m.release()\n        l.release()\n        continue\n    m.release()\n    l.release()\n", 0},
		{"acquired again", "while x:\n    l.acquire()\n    if a:\n        l.release()\n        b()\n        l.acquire()\n        continue\n    l.release()\n", 1},
		{"the jump of an inner loop", "l.acquire()\nfor a in b:\n    if a:\n        continue\nelse:\n    c()\nl.release()\n", 0},
		{"a jump behind an inner loop", "while x:\n    l.acquire()\n    for a in b:\n        c()\n    else:\n        continue\n    l.release()\n", 1},
		{"return out of an inner loop", "def f():\n    l.acquire()\n    for a in b:\n        return\n    l.release()\n", 1},
		{"in a finally clause", "def f():\n    l.acquire()\n    try:\n        return 1\n    finally:\n        l.release()\n", 0},
		{"before the try", "def f():\n    l.acquire()\n    if a:\n        return\n    try:\n        b()\n    finally:\n        l.release()\n", 1},
		{"a try further in", "def f():\n    l.acquire()\n    try:\n        if a:\n            return\n    finally:\n        if b:\n            l.release()\n    l.release()\n", 0},
		{"handed over", "def f():\n    l.acquire()\n    return 1\n", 0},
		{"of a function in between", "l.acquire()\ndef f():\n    return 1\nl.release()\n", 0},
		{"awaited, before a release in a with", "async def f():\n    await s.l.acquire()\n    with m:\n        return\n    s.l.release()\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := parser.ParseFile("a.py", []byte(tt.src), parser.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := patch.LeftHeld(m); got != tt.want {
				t.Errorf("%d jumps, want %d", got, tt.want)
			}
		})
	}
}
