package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A program of ours ends within milliseconds, but the interpreter can neither
// be interrupted nor survive an endless recursion. So programs run in another
// process: all of them in one, since to start it costs more than to run them.

// A message is one line from the child: the number of a program that begins,
// or that has ended, with its outcome.
type message struct {
	Program int      `json:"program"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// maxStack ends a child whose program recurses without end.
const maxStack = 64 << 20

// Serve reads programs and executes them, several at a time. It is what the
// child process does.
func Serve(r io.Reader, w io.Writer) error {
	debug.SetMaxStack(maxStack)
	var programs []string
	if err := json.NewDecoder(r).Decode(&programs); err != nil {
		return fmt.Errorf("read programs: %w", err)
	}
	out := json.NewEncoder(w)
	var mu sync.Mutex
	var failed error
	say := func(m message) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(m); err != nil && failed == nil {
			failed = err
		}
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		wg.Go(func() {
			for i := range next {
				say(message{Program: i})
				o := Execute(programs[i])
				say(message{Program: i, Outcome: &o})
			}
		})
	}
	for i := range programs {
		next <- i
	}
	close(next)
	wg.Wait()
	return failed
}

// A Child executes programs in processes of their own.
type Child struct {
	// Path and Args are the command, which has to call [Serve].
	Path string
	Args []string
	// Limit is how long one program may take; 0 stands for 20 seconds. It is there for
	// what the bound on steps does not stop, and a busy machine must not come to it.
	Limit time.Duration
}

// Run executes programs and returns their outcomes in the same order. A program
// that does not end in time, or that brings the process down, gets an outcome
// that says so, and the others go on in another process.
func (c Child) Run(ctx context.Context, programs []string) ([]Outcome, error) {
	out := make([]Outcome, len(programs))
	rest := make([]int, len(programs))
	for i := range rest {
		rest[i] = i
	}
	for len(rest) > 0 {
		left, lost, err := c.batch(ctx, programs, rest, out)
		if err != nil {
			return nil, err
		}
		if len(left) == len(rest) {
			return nil, fmt.Errorf("%s does not execute programs", c.Path)
		}
		// Of several that ran when the process went down, one is to blame.
		for _, i := range lost {
			if len(lost) > 1 {
				if _, _, err := c.batch(ctx, programs, []int{i}, out); err != nil {
					return nil, err
				}
			}
		}
		rest = left
	}
	return out, nil
}

// Unended is the error of a program that a clock, or the end of its process, has stopped:
// another run may say something else.
const Unended = "the program did not end"

// starting is how long a process may take until it begins with its first program.
const starting = time.Minute

// batch executes some programs in one process and returns those that it did not
// come to, and those that it did not bring to an end.
func (c Child) batch(ctx context.Context, programs []string, which []int, out []Outcome) (left, lost []int, err error) {
	limit := c.Limit
	if limit == 0 {
		limit = 20 * time.Second
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	batch := make([]string, len(which))
	for k, i := range which {
		batch[k] = programs[i]
	}
	input, err := json.Marshal(batch)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(running, c.Path, c.Args...)
	cmd.Env = []string{"GOTRACEBACK=none"}
	cmd.Stdin = bytes.NewReader(input)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	silent := time.AfterFunc(max(limit, starting), cancel)
	defer silent.Stop()
	const (
		waiting = iota
		begun
		ended
	)
	state := make([]int, len(which))
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.Program < 0 || m.Program >= len(which) {
			continue
		}
		silent.Reset(limit)
		if m.Outcome == nil {
			state[m.Program] = begun
			continue
		}
		state[m.Program] = ended
		out[which[m.Program]] = *m.Outcome
	}
	_ = cmd.Wait() // how it ended shows in what it did not say
	for k, i := range which {
		switch state[k] {
		case waiting:
			left = append(left, i)
		case begun:
			lost = append(lost, i)
			out[i] = Outcome{Err: Unended}
		}
	}
	return left, lost, ctx.Err()
}
