// Kvrace finds requests that never conclude in the Python KV connectors of
// disaggregated LLM serving: races between the scheduler, listener and worker
// threads that share containers keyed by a request.
//
// Usage:
//
//	kvrace check [PATH...]
//
// See kvrace help for the commands and their flags. The exit status is 0 if
// nothing was found, 1 if something was, 2 if the command could not do all of
// its work, and 130 if it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/kvrace/kvrace/cmd/internal/exit"
	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/rules/suppress"
)

// Exit statuses.
const (
	exitClean       = 0   // nothing at or above the threshold
	exitFindings    = 1   // findings
	exitFailure     = 2   // usage, configuration, unreadable input, failed write
	exitInterrupted = 130 // as a shell reports a command that SIGINT ended
)

// graceful is how long a command may take to notice an interrupt, and to end the
// processes that it has started.
const graceful = 5 * time.Millisecond

// gcPercent lets the heap grow further than usual between collections, up to
// memoryLimit bytes: an analysis makes much that lives until it ends.
const (
	gcPercent   = 400
	memoryLimit = 2 << 30
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	status := run(os.Args[1:], caching(production()))
	if status == exitInterrupted {
		exit.Now(status)
	}
	os.Exit(status)
}

// An environment is everything that the commands share.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	backend        backend

	writing sync.Mutex // held while a file is replaced
	begun   []string   // temporary files that are being written; under writing
}

// errFindings ends a command with exitFindings and no message.
var errFindings = errors.New("findings")

// errReported ends a command with exitFailure after its messages were
// printed.
var errReported = errors.New("reported")

// run executes the command line and returns the exit status.
func run(args []string, b backend) int {
	b.rules = slices.Concat(suppress.Rules, b.rules)
	env := &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, backend: b}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cancelExit := context.AfterFunc(ctx, func() {
		time.Sleep(graceful)
		env.writing.Lock() // a file is whole when the program ends
		for _, name := range env.begun {
			os.Remove(name)
		}
		exit.Now(exitInterrupted)
	})
	defer cancelExit() // before stop, which looks like an interrupt
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errReported):
		return exitFailure
	}
	printError(env.stderr, err)
	return exitFailure
}

// printError writes one line per error. An error with a position speaks for
// itself; others are introduced by the name of the program.
func printError(w io.Writer, err error) {
	switch several := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range several.Unwrap() {
			printError(w, e)
		}
		return
	case parser.ErrorList:
		for _, e := range several {
			printError(w, e)
		}
		return
	}
	if isPositional(err) {
		fmt.Fprintln(w, printable(err.Error()))
		return
	}
	fmt.Fprintf(w, "kvrace: %s\n", printable(err.Error()))
}
