//go:build amd64 || arm64

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An interrupt while a large report is being written ends the program at once,
// with the status that is documented. Nothing of the report is left, nobody
// holds the standard output open, and the process that frees the memory ends too.
func TestInterruptWhileWriting(t *testing.T) {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER: orphans become children of the test
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		t.Fatal(errno)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("flood()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "r.json"), []byte("as it was\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := &exec.Cmd{Path: self, Args: []string{"kvrace", "check", "--isolated", "--format", "json=r.json", "--format", "compact"}, Dir: dir, Stdout: write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	defer cmd.Process.Kill()
	begun := func() []string {
		names, _ := filepath.Glob(filepath.Join(dir, ".kvrace-*.tmp"))
		return names
	}
	for start := time.Now(); len(begun()) == 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("no report is begun")
		}
	}
	start := time.Now()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	t.Logf("%v after the interrupt", time.Since(start))
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("status %d, want %d", got, exitInterrupted)
	}
	read.SetDeadline(time.Now().Add(10 * time.Second))
	if text, err := io.ReadAll(read); err != nil || len(text) > 0 {
		t.Errorf("standard output %.100q, %v", text, err)
	}
	if left := begun(); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "r.json")); err != nil || string(text) != "as it was\n" {
		t.Errorf("r.json has %.100q, %v", text, err)
	}
	orphans := 0
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			break
		}
		if pid > 0 {
			orphans++
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("a process is left behind")
		}
	}
	if orphans == 0 {
		t.Error("the program freed its memory itself")
	}
}
