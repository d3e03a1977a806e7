package main

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"strconv"
	"syscall"
	"time"
)

const (
	madvHugepage = 14 // MADV_HUGEPAGE: back what is touched later with huge pages
	madvCollapse = 25 // MADV_COLLAPSE: and what was touched; since Linux 6.1

	hugePagesFrom  = 64 << 20 // bytes of heap; a smaller one goes fast
	hugePagesEvery = 10 * time.Millisecond
)

// useHugePages asks the system for huge pages wherever the heap grows. The
// system takes memory back page by page when the program ends, and one that
// is interrupted has ended only after that.
func useHugePages() {
	// Where they are on without a request there is nothing to do, and where
	// they are off they stay off: madvCollapse would not mind.
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !bytes.Contains(mode, []byte("[madvise]")) {
		return
	}
	go func() {
		var h hugePages
		for range time.Tick(hugePagesEvery) {
			h.advise()
		}
	}()
}

// hugePages is what is known of the heap.
type hugePages struct {
	maps []byte // room for /proc/self/maps
	end  uint64 // up to here the system was asked
}

// advise asks for huge pages in the part of the heap that is new. The heap
// grows upwards, and where the system refuses, all stays as it is.
func (h *hugePages) advise() {
	if h.maps == nil {
		h.maps = make([]byte, 64<<10)
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	n, _ := io.ReadFull(f, h.maps)
	heap := regionsAround(h.maps[:n], uint64(reflect.ValueOf(h).Pointer()))
	var size uint64
	for _, r := range heap {
		size += r.end - r.start
	}
	if size < hugePagesFrom {
		return
	}
	for _, r := range heap {
		if start := max(r.start, h.end); start < r.end {
			syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(r.end-start), madvHugepage)
			syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(r.end-start), madvCollapse)
			h.end = r.end
		}
	}
}

// A region is a part of the address space.
type region struct {
	start, end uint64
}

// regionsAround returns the writable regions of maps, a text as in
// /proc/self/maps, that lie without a gap around an address.
func regionsAround(maps []byte, address uint64) []region {
	var around []region
	var start, end uint64 // of the regions without a gap
	for line := range bytes.Lines(maps) {
		r, rest, ok := parseRegion(line)
		if !ok {
			continue
		}
		if r.start != end {
			if start <= address && address < end {
				return around
			}
			around, start = around[:0], r.start
		}
		end = r.end
		if bytes.HasPrefix(rest, []byte("rw-p")) {
			around = append(around, r)
		}
	}
	if start <= address && address < end {
		return around
	}
	return nil
}

// parseRegion reads the beginning of a line and returns the rest of it.
func parseRegion(line []byte) (region, []byte, bool) {
	start, rest, _ := bytes.Cut(line, []byte("-"))
	end, rest, _ := bytes.Cut(rest, []byte(" "))
	s, err1 := strconv.ParseUint(string(start), 16, 64)
	e, err2 := strconv.ParseUint(string(end), 16, 64)
	return region{s, e}, rest, err1 == nil && err2 == nil
}
