package patch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ErrChanged says that a file no longer has the content that was analyzed.
var ErrChanged = errors.New("file has changed since it was read")

// A Replacement is the new content of one file.
type Replacement struct {
	Name string // path to open; symbolic links are followed, not replaced
	Old  []byte // content when it was read
	New  []byte // content to write
}

// WriteFile replaces the content of one file as [WriteFiles] does.
func WriteFile(name string, old, new []byte) error {
	return WriteFiles(Replacement{Name: name, Old: old, New: new})
}

// WriteFiles replaces the contents of files such that each has, at every
// moment and after a crash, its old or its new content. The mode is kept; the
// owner becomes the user that runs the program, and a file with several hard
// links is detached from the others.
//
// All new contents are written beside the old files before the first one is
// replaced, so an error that can be foreseen (a file that changed, is not
// regular or must not be written, a directory that must not be, a full disk)
// leaves all files as they are. An error in the replacing itself, which is
// one rename for each file, names the file; those before it are replaced.
func WriteFiles(replacements ...Replacement) error {
	var all []staged
	defer func() {
		for _, s := range all {
			os.Remove(s.temp) // gone when it was renamed
		}
	}()
	for _, r := range replacements {
		s, err := stage(r)
		if err != nil {
			return fmt.Errorf("write %s: %w", r.Name, err)
		}
		if slices.ContainsFunc(all, func(o staged) bool { return o.path == s.path }) {
			os.Remove(s.temp)
			return fmt.Errorf("write %s: given twice", r.Name)
		}
		all = append(all, s)
	}
	for i, s := range all {
		if err := unchanged(s.path, replacements[i].Old); err != nil {
			return fmt.Errorf("write %s: %w", replacements[i].Name, err)
		}
	}
	for i, s := range all {
		if err := os.Rename(s.temp, s.path); err != nil {
			return fmt.Errorf("write %s: %w", replacements[i].Name, err)
		}
		syncDir(filepath.Dir(s.path))
	}
	return nil
}

// A staged file is one whose new content is on disk beside it.
type staged struct {
	path string // of the file itself, without symbolic links
	temp string // of the new content
}

// stage writes the new content of a file to a temporary file in the same
// directory, with the mode of the file.
func stage(r Replacement) (s staged, err error) {
	s.path, err = filepath.EvalSymlinks(r.Name)
	if err != nil {
		return s, err
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return s, err
	}
	if !info.Mode().IsRegular() {
		return s, errors.New("not a regular file")
	}
	if err := writable(s.path); err != nil {
		return s, err
	}
	temp, err := os.CreateTemp(filepath.Dir(s.path), ".kvrace-*.tmp")
	if err != nil {
		return s, err
	}
	s.temp = temp.Name()
	_, err = temp.Write(r.New)
	if err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		os.Remove(s.temp)
	}
	return s, err
}

// writable returns an error for a file that the user protected: a rename
// would replace it all the same.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// unchanged returns ErrChanged unless the file has the given content.
func unchanged(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return ErrChanged
	}
	return nil
}

// syncDir makes a rename in a directory last. Not every system can, and the
// file is whole either way, so errors do not matter.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
