package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// extract writes the Python files of some folders at a commit below a folder,
// unless that is there already. Paths that the commit does not have are left
// out. It reads objects one by one, since a git archive fails as a whole when
// one object of a partial clone is not there.
func extract(gitDir, commit, folder string, paths []string) error {
	mark := filepath.Join(folder, ".git", "paths") // a folder that no analysis looks into
	want := strings.Join(paths, "\n")
	if have, err := os.ReadFile(mark); err == nil && string(have) == want {
		return nil
	}
	blobs, err := listBlobs(gitDir, commit, paths)
	if err != nil {
		return err
	}
	if len(blobs) == 0 {
		return fmt.Errorf("no Python in %s at %s", strings.Join(paths, ", "), commit)
	}
	if err := copyBlobs(gitDir, folder, blobs); err != nil {
		return err
	}
	return write(mark, []byte(want))
}

// blob is a file at a commit.
type blob struct{ object, name string }

func listBlobs(gitDir, commit string, paths []string) ([]blob, error) {
	out, err := git(gitDir, append([]string{"ls-tree", "-r", "-z", commit, "--"}, paths...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-tree %s: %w", commit, err)
	}
	var blobs []blob
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		meta, name, ok := strings.Cut(string(entry), "\t")
		fields := strings.Fields(meta)
		// 120000 is a symbolic link.
		if ok && strings.HasSuffix(name, ".py") && len(fields) == 3 && fields[0] != "120000" {
			blobs = append(blobs, blob{fields[2], name})
		}
	}
	return blobs, nil
}

func copyBlobs(gitDir, folder string, blobs []blob) error {
	var names strings.Builder
	for _, b := range blobs {
		fmt.Fprintln(&names, b.object)
	}
	cmd := git(gitDir, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(names.String())
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, b := range blobs {
		var object, kind string
		var size int
		if _, err := fmt.Fscanf(r, "%s %s %d\n", &object, &kind, &size); err != nil {
			return fmt.Errorf("git cat-file %s: %w", b.name, err)
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		if _, err := r.Discard(1); err != nil {
			return err
		}
		if err := write(filepath.Join(folder, filepath.FromSlash(b.name)), text); err != nil {
			return err
		}
	}
	return nil
}

func git(gitDir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", gitDir}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// write writes a file and the folders around it.
func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
