//go:build amd64 || arm64

package exit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVar makes the test binary play a program that ends.
const roleVar = "KVRACE_EXIT_ROLE"

const status = 7 // that it ends with

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case "small":
		Now(status)
	case "large":
		memory := bytes.Repeat([]byte{1}, much)
		defer runtime.KeepAlive(memory)
		Now(status)
	case "crowd":
		memory := bytes.Repeat([]byte{1}, much)
		defer runtime.KeepAlive(memory)
		together := make(chan struct{})
		for range 8 {
			go func() { <-together; Now(status) }()
		}
		close(together)
		select {}
	case "keep": // with a pipe that the test closes
		runtime.LockOSThread()
		blockSignals()
		fmt.Println(keepMemory(3, 4))
		os.Exit(status)
	}
	panic("not gone")
}

// start starts a program whose orphans become children of the test.
func start(t *testing.T, role string, files ...*os.File) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		t.Fatal(errno)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.ExtraFiles = files
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	read.SetDeadline(time.Now().Add(20 * time.Second))
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	return cmd, bufio.NewReader(read)
}

// ends waits for the end of the program.
func ends(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	err := cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != status {
		t.Fatalf("ended with %v, want status %d", err, status)
	}
}

// orphan waits for a child of the test and returns its number; 0 if it has none.
func orphan(t *testing.T) int {
	t.Helper()
	var ws syscall.WaitStatus
	for range 2_000 {
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		switch {
		case err == syscall.ECHILD:
			return 0
		case err != nil && err != syscall.EINTR:
			t.Fatal(err)
		case pid > 0:
			if !ws.Exited() || ws.ExitStatus() != 0 {
				t.Errorf("the clone ended with %#x", ws)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the clone does not end")
	return 0
}

// Only a large program leaves its memory to another process, which ends soon. It is one
// process even if several goroutines end the program at once.
func TestNow(t *testing.T) {
	for _, tt := range []struct {
		role         string
		rounds, want int
	}{{"small", 1, 0}, {"large", 1, 1}, {"crowd", 6, 1}} { // often one of a crowd is in time alone
		for range tt.rounds {
			cmd, stdout := start(t, tt.role)
			ends(t, cmd)
			if text, err := io.ReadAll(stdout); err != nil || len(text) > 0 {
				t.Errorf("%s: standard output %q, %v", tt.role, text, err)
			}
			got := 0
			for orphan(t) > 0 {
				got++
			}
			if got != tt.want {
				t.Errorf("%s: %d other processes, want %d", tt.role, got, tt.want)
			}
		}
	}
}

// The clone holds no file open, whatever signals come, and ends when the pipe
// does.
func TestKeepMemory(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stdout := start(t, "keep", read, write)
	read.Close()
	defer write.Close()
	ends(t, cmd)
	text, err := io.ReadAll(stdout) // ends, though the clone lives
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &pid); err != nil || pid <= 0 {
		t.Fatalf("no clone: %s", text)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGURG} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Error(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got != 0 || err != nil {
		t.Fatalf("the clone is gone: %d, %v", got, err)
	}
	write.Close()
	if got := orphan(t); got != pid {
		t.Errorf("%d ended, want %d", got, pid)
	}
}
