//go:build unix

package source

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// unprivilegedVar marks the process that asUser starts.
const unprivilegedVar = "KVRACE_UNPRIVILEGED"

// nobody is the number of a user who owns nothing.
const nobody = 65534

// asUser reports whether permissions bind the test. If not, since it runs as
// root, it runs the test again as somebody else, and fails if that one fails.
func asUser(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	if os.Getenv(unprivilegedVar) != "" {
		t.Fatal("still root")
	}
	// Others may not enter the folder that this binary was built in, nor those of
	// testing.
	dir, err := os.MkdirTemp("", "kvrace")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(dir, "test")
	if err := copyFile(self, binary); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{unprivilegedVar + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("as another user: %v\n%s", err, out)
	}
	return false
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}

func TestUnreadable(t *testing.T) {
	if !asUser(t) {
		return
	}
	dir := writeTree(t, "-- a/b.py --\n-- c.py --\n-- d/.gitignore --\ne.py\n-- d/e.py --\n-- f.py --\n")
	for _, name := range []string{"a", "d/.gitignore", "f.py"} {
		name = filepath.Join(dir, name)
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(name, 0o777)
	}
	p, problems := Load(context.Background(), []string{"."}, Options{})
	if got := names(p); !slices.Equal(got, []string{"c.py", "d/e.py", "f.py"}) {
		t.Errorf("files = %q", got)
	}
	want := []string{"a:1:1: permission denied", "d/.gitignore:1:1: permission denied"}
	if got := messages(problems); !slices.Equal(got, want) {
		t.Errorf("problems = %q, want %q", got, want)
	}
	_, problems = p.Survey(context.Background(), 2)
	if got := messages(problems); !slices.Equal(got, []string{"f.py:1:1: permission denied"}) {
		t.Errorf("problems of the survey = %q", got)
	}
}
