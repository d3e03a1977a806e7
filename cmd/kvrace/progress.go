package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// When progress is shown.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progress tells on the standard error that a stage is still at work, if that
// is a terminal and nobody asked for silence. The function it returns ends it
// and wipes the line.
func (s *session) progress(what string) (stop func()) {
	if s.flags.quiet || s.flags.verbose || os.Getenv("TERM") == "dumb" || !isTerminal(s.env.stderr) {
		return func() {}
	}
	return showProgress(s.env.stderr, what, progressAfter, progressEvery)
}

// showProgress writes a line with the elapsed time to w again and again, once
// some time has passed.
func showProgress(w io.Writer, what string, after, every time.Duration) (stop func()) {
	start := time.Now()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		shown := false
		for {
			select {
			case <-done:
				if shown {
					io.WriteString(w, "\r\x1b[K")
				}
				return
			case <-timer.C:
				fmt.Fprintf(w, "\r%s, %.0f s\x1b[K", what, time.Since(start).Seconds())
				shown = true
				timer.Reset(every)
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
