package main

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestRegionsAround(t *testing.T) {
	const maps = `00400000-00500000 r-xp 00000000 08:01 12                 /usr/bin/program
00500000-00600000 rw-p 00000000 00:00 0 
c0000000-c0400000 ---p 00000000 00:00 0 
c0400000-c0800000 rw-p 00000000 00:00 0                  [anon: Go: heap]
c0800000-c0c00000 rw-p 00000000 00:00 0 
c0c00000-c4000000 ---p 00000000 00:00 0 
d0000000-d0400000 rw-p 00000000 00:00 0 
`
	tests := []struct {
		name    string
		address uint64
		want    []region
	}{
		{"no mapping", 0xb0000000, nil},
		{"below the first", 0x1000, nil},
		{"with the program", 0x500000, []region{{0x500000, 0x600000}}},
		{"two and reserved ones", 0xc0800010, []region{{0xc0400000, 0xc0800000}, {0xc0800000, 0xc0c00000}}},
		{"the end is outside", 0xc4000000, nil},
		{"last", 0xd03fffff, []region{{0xd0000000, 0xd0400000}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := regionsAround([]byte(maps), tt.address); !slices.Equal(got, tt.want) {
				t.Errorf("got %x, want %x", got, tt.want)
			}
		})
	}
	if got := regionsAround(nil, 0); got != nil {
		t.Errorf("nothing: got %x", got)
	}
	if got := regionsAround([]byte("c0-d0 rw-p\nno region\nd0-e0"), 0xc1); !slices.Equal(got, []region{{0xc0, 0xd0}}) {
		t.Errorf("cut off: got %x", got)
	}
}

// TestHugePages grows the heap and looks up in the list of the process what
// the system knows about it.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("the system has no huge pages")
	}
	large := make([]byte, 2*hugePagesFrom)
	var h hugePages
	h.advise()
	if h.end == 0 {
		t.Fatal("advise did not find the heap")
	}
	first := h.end
	h.advise()
	if h.end < first {
		t.Errorf("the end went down from %x to %x", first, h.end)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var advised uint64 // bytes
	var in region
	for line := range bytes.Lines(smaps) {
		if r, _, ok := parseRegion(line); ok {
			in = r
		}
		if flags, ok := strings.CutPrefix(string(line), "VmFlags:"); ok && slices.Contains(strings.Fields(flags), "hg") && in.end <= h.end {
			advised += in.end - in.start
		}
	}
	if advised < uint64(len(large)) {
		t.Errorf("advised are %d bytes, want at least %d", advised, len(large))
	}
	runtime.KeepAlive(large)
}
