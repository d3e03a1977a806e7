// Package gitrev reads another revision of a work tree through git: what
// changed since then, and the old content. It never touches the work tree,
// the index or the references.
package gitrev

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Reasons why a revision cannot be read.
var (
	ErrNoGit           = errors.New("git is not installed")
	ErrNoRepository    = errors.New("not in a git repository")
	ErrUnknownRevision = errors.New("unknown revision")
	ErrNoMergeBase     = errors.New("no common ancestor with HEAD")
	ErrShallow         = errors.New("the clone is shallow and lacks the common ancestor; fetch more history")
)

// A Repo is a repository with a work tree.
type Repo struct {
	// Top is the root of the work tree, absolute and with slashes.
	Top string
}

// Open returns the repository that the folder dir lies in.
func Open(ctx context.Context, dir string) (*Repo, error) {
	out, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	return &Repo{Top: filepath.ToSlash(strings.TrimSuffix(string(out), "\n"))}, nil
}

// MergeBase returns the commit at which rev and HEAD parted.
func (r *Repo) MergeBase(ctx context.Context, rev string) (string, error) {
	commit, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		if r.shallow(ctx) {
			return "", fmt.Errorf("%s: %w; the clone is shallow, so it may only lack it: fetch more history", rev, ErrUnknownRevision)
		}
		return "", fmt.Errorf("%s: %w", rev, ErrUnknownRevision)
	}
	base, err := r.git(ctx, nil, "merge-base", strings.TrimSpace(string(commit)), "HEAD")
	if err == nil {
		return strings.TrimSpace(string(base)), nil
	}
	if ctx.Err() != nil {
		return "", err
	}
	if r.shallow(ctx) {
		return "", fmt.Errorf("%s: %w", rev, ErrShallow)
	}
	return "", fmt.Errorf("%s: %w", rev, ErrNoMergeBase)
}

// shallow reports whether the clone lacks a part of its history.
func (r *Repo) shallow(ctx context.Context) bool {
	out, err := r.git(ctx, nil, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// A Change is one file that differs between a commit and the work tree. Names
// are relative to Repo.Top, with slashes.
type Change struct {
	Old   string // name in the commit, "" for a new file
	New   string // name in the work tree, "" for a deleted file
	Lines []Range
}

// A Range is a stretch of lines of the new file that differ. Where lines were
// only deleted, it holds the line before and the line after.
type Range struct{ First, Last int }

// Changes returns the Python files that differ between a commit and the work
// tree, in git's order, untracked ones last. Renames are recognized; a file
// that git ignores is not seen.
func (r *Repo) Changes(ctx context.Context, commit string) ([]Change, error) {
	out, err := r.git(ctx, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--name-status", "-z", "-M", commit, "--")
	if err != nil {
		return nil, err
	}
	changes, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	if err := r.addLines(ctx, commit, changes); err != nil {
		return nil, err
	}
	out, err = r.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			changes = append(changes, Change{New: name, Lines: []Range{{1, allLines}}})
		}
	}
	return changes, nil
}

// allLines is the last line of a file that is new as a whole.
const allLines = 1 << 30

// parseStatus reads git diff --name-status -z.
func parseStatus(out []byte) ([]Change, error) {
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var changes []Change
	for i := 0; i < len(fields) && fields[i] != ""; {
		status := fields[i]
		n := 1
		if status[0] == 'R' || status[0] == 'C' {
			n = 2
		}
		if i+n >= len(fields) {
			return nil, fmt.Errorf("git diff: cut off after %q", status)
		}
		old, name := fields[i+1], fields[i+n]
		switch status[0] {
		case 'A', 'C':
			changes = append(changes, Change{New: name})
		case 'D':
			changes = append(changes, Change{Old: old})
		default:
			changes = append(changes, Change{Old: old, New: name})
		}
		i += n + 1
	}
	return changes, nil
}

// addLines fills in which lines of the changed files differ.
func (r *Repo) addLines(ctx context.Context, commit string, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	out, err := r.git(ctx, nil, "-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color",
		"--unified=0", "--src-prefix=a/", "--dst-prefix=b/", "-M", commit, "--")
	if err != nil {
		return err
	}
	byName := make(map[string]*Change)
	for i := range changes {
		if changes[i].New != "" {
			byName[changes[i].New] = &changes[i]
		}
	}
	var current *Change
	for line := range bytes.Lines(out) {
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			current = nil
		case current == nil && bytes.HasPrefix(line, []byte("+++ ")):
			current = byName[headerName(string(line[4:]))]
		case current != nil && bytes.HasPrefix(line, []byte("@@ ")):
			lines, err := hunkLines(string(line))
			if err != nil {
				return err
			}
			current.Lines = append(current.Lines, lines)
		}
	}
	return nil
}

// headerName returns the file name in the rest of a +++ line.
func headerName(s string) string {
	s = strings.TrimSuffix(strings.TrimRight(s, "\r\n"), "\t")
	if unquoted, err := strconv.Unquote(s); err == nil {
		s = unquoted
	}
	return strings.TrimPrefix(s, "b/")
}

// hunkLines returns the new lines of a hunk header, "@@ -1,2 +3,4 @@".
func hunkLines(header string) (Range, error) {
	_, rest, _ := strings.Cut(header, " +")
	rest, _, _ = strings.Cut(rest, " ")
	start, count, several := strings.Cut(rest, ",")
	first, err := strconv.Atoi(start)
	n := 1
	if err == nil && several {
		n, err = strconv.Atoi(count)
	}
	if err != nil {
		return Range{}, fmt.Errorf("git diff: malformed hunk %q", header)
	}
	if n == 0 {
		return Range{max(first, 1), first + 1}, nil
	}
	return Range{first, first + n - 1}, nil
}

// Contents returns the content of files in a commit, by name. A name that the
// commit does not have as a file is left out.
func (r *Repo) Contents(ctx context.Context, commit string, names []string) (map[string][]byte, error) {
	var in bytes.Buffer
	var asked []string
	for _, name := range names {
		if strings.ContainsAny(name, "\n") {
			continue // cat-file cannot be asked for it
		}
		asked = append(asked, name)
		fmt.Fprintf(&in, "%s:%s\n", commit, name)
	}
	if len(asked) == 0 {
		return nil, nil
	}
	out, err := r.git(ctx, &in, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	contents := make(map[string][]byte, len(asked))
	br := bufio.NewReader(bytes.NewReader(out))
	for _, name := range asked {
		content, ok, err := readObject(br)
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %s: %w", name, err)
		}
		if ok {
			contents[name] = content
		}
	}
	return contents, nil
}

// readObject reads one answer of cat-file --batch; ok is false for an object
// that is missing or no file.
func readObject(br *bufio.Reader) (content []byte, ok bool, err error) {
	header, err := br.ReadString('\n')
	if err != nil {
		return nil, false, io.ErrUnexpectedEOF
	}
	fields := strings.Fields(header)
	if len(fields) < 3 || fields[len(fields)-2] != "blob" && fields[len(fields)-2] != "tree" {
		return nil, false, nil // "NAME missing"
	}
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return nil, false, err
	}
	content = make([]byte, size+1) // a line end follows
	if _, err := io.ReadFull(br, content); err != nil {
		return nil, false, err
	}
	return content[:size], fields[len(fields)-2] == "blob", nil
}

func (r *Repo) git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return git(ctx, filepath.FromSlash(r.Top), in, args...)
}

// git runs git in dir and returns its standard output. Optional locks are
// off, so that nothing in the repository is written.
func git(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"--no-optional-locks"}, args...)...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), fromHook)
	cmd.Stdin = in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if message, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); message != "" {
			return nil, fmt.Errorf("git %s: %s", verb(args), message)
		}
		return nil, fmt.Errorf("git %s: %w", verb(args), err)
	}
	return out, nil
}

// fromHook reports whether git set a variable to tell a hook where the
// repository is. It may be relative to another folder; dir tells as well.
func fromHook(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY":
		return true
	}
	return false
}

// verb returns the git command among arguments.
func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}
