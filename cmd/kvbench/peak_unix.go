//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the most bytes of memory that a process has had at once.
func peakOf(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // in bytes there, in kilobytes elsewhere
	}
	return int64(usage.Maxrss) << 10
}
