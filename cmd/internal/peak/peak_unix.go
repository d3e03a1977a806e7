//go:build unix

// Package peak tells how much memory a process has had at once at the most.
package peak

import (
	"os"
	"runtime"
	"syscall"
)

// Self returns the peak of this process in bytes; 0 if it is not known.
func Self() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return bytes(&usage)
}

// Of returns the peak of a process that has ended, in bytes; 0 if it is not known.
func Of(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return bytes(usage)
}

func bytes(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // in bytes there, in kilobytes elsewhere
	}
	return int64(usage.Maxrss) << 10
}
