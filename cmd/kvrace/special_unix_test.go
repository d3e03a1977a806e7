//go:build unix

package main

import (
	"syscall"
	"testing"
)

// makeSpecial makes a pipe.
func makeSpecial(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Log(err)
	}
}
