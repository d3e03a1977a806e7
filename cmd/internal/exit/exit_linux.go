//go:build amd64 || arm64

// Package exit ends the program before the system has its memory back.
//
// Linux frees the memory of a process before it closes its files and tells the
// parent that it has ended, and needs some 150 ms for each gigabyte. So long a
// shell would wait after Ctrl-C. The memory goes with the last process that
// shares it, though. So a program that has much memory starts one that shares it
// and does nothing but to close its files, to wait until the program is gone, and
// to end.
//
// A second process for the analysis, which the first one leaves behind, would do
// the same on other systems, but would have to pass on files, signals and the
// exit status, and to discover the files twice.
package exit

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/kvrace/kvrace/cmd/internal/peak"
)

// much is how many bytes of memory are worth another process.
const much = 128 << 20

// Now ends the program with a status, as [os.Exit] does. The processor time that
// its parent hears of leaves out what it takes to free the memory.
func Now(status int) {
	if peak.Self() >= much {
		leaveMemory()
	}
	os.Exit(status)
}

// leaveMemory starts the process that keeps the memory until this one is gone.
// Where the system refuses that, this one frees the memory itself.
func leaveMemory() {
	var pipe [2]int // ends when this process does
	if syscall.Pipe2(pipe[:], syscall.O_CLOEXEC) != nil {
		return
	}
	runtime.LockOSThread()
	blockSignals()
	keepMemory(pipe[0], pipe[1])
}

// blockSignals keeps this thread, and what is cloned from it, from running the
// handlers of signals.
func blockSignals() {
	const setMask = 2 // SIG_SETMASK
	all := ^uint64(0)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), 0, unsafe.Sizeof(all), 0, 0)
}

// keepMemory starts a clone of this process that shares its memory. The clone
// closes all files except read, reads that to its end, and ends. It lives in
// registers alone, since the stack goes on to be used by the caller. The result
// is its process number, or the negative number of an error.
//
//go:noescape
func keepMemory(read, write int) int
