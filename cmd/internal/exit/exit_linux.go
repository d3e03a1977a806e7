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
// That clone runs the few instructions of keepMemory and nothing of the Go runtime. It
// needs no stack, since the one that it has is in use, takes no signals but those that
// nobody can block, and lasts no longer than the program: the pipe that it reads has
// no other writer. Where the system refuses clone, the program frees its memory itself.
// Whoever adopts orphans has to wait for the clone, as for any: in a container whose
// first process does not, it stays as a zombie, without memory, until that ends.
//
// A second process for the analysis, which the first one leaves behind, would do
// the same on other systems, but would have to pass on files, signals and the
// exit status, and to discover the files twice.
package exit

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/kvrace/kvrace/cmd/internal/peak"
)

// much is how many bytes of memory are worth another process.
const much = 128 << 20

// ending is held by whoever ends the program, for good. Before Linux 5.9, of two clones
// each would keep the pipe of the other open, and neither would ever end.
var ending sync.Mutex

// Now ends the program with a status, as [os.Exit] does. The processor time that
// its parent hears of leaves out what it takes to free the memory. Several goroutines
// may call it: the first one decides.
func Now(status int) {
	ending.Lock()
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
