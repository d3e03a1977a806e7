package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Names of the files that hold a configuration. In one folder the first wins.
const (
	ownFile     = "kvrace.toml"
	projectFile = "pyproject.toml"
)

// An Error is a fault in a configuration. Line 0 means the file as a whole,
// or a flag.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns "file:line:col: message".
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

func sortErrors(errs []error) {
	slices.SortFunc(errs, func(a, b error) int {
		x, y := a.(*Error), b.(*Error)
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line),
			cmp.Compare(x.Column, y.Column), cmp.Compare(x.Message, y.Message))
	})
}

// Find returns the configuration file for dir: the nearest upward, where a
// pyproject.toml without a kvrace table does not count, or "" if there is
// none.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		own := filepath.Join(dir, ownFile)
		if _, err := os.Stat(own); err == nil {
			return own, nil
		}
		project := filepath.Join(dir, projectFile)
		src, err := os.ReadFile(project)
		if err == nil && hasTable(src) {
			return project, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", &Error{File: project, Message: cause(err).Error()}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// hasTable reports whether a pyproject.toml configures kvrace, or is broken
// so that nobody can tell: then reading it gives the position.
func hasTable(src []byte) bool {
	var doc struct {
		Tool map[string]any `toml:"tool"`
	}
	if err := toml.Unmarshal(src, &doc); err != nil {
		return true
	}
	_, ok := doc.Tool["kvrace"]
	return ok
}

// Load returns the configuration in a file. Messages call the file name. All
// faults that the file has are returned together, joined.
func Load(file, name string) (*Config, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, &Error{File: name, Message: cause(err).Error()}
	}
	return Parse(src, name)
}

// Parse returns the configuration in src. The base name of name decides
// whether it is a kvrace.toml or a pyproject.toml.
func Parse(src []byte, name string) (*Config, error) {
	c := Default()
	c.File = name
	var doc any = c
	prefix := ""
	if filepath.Base(name) == projectFile {
		prefix = "tool.kvrace."
		doc = &struct {
			Tool struct {
				Kvrace *Config `toml:"kvrace"`
			} `toml:"tool"`
		}{struct {
			Kvrace *Config `toml:"kvrace"`
		}{c}}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	err := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(doc)
	if err := decodeErrors(err, name, prefix); err != nil {
		return nil, err
	}
	c.Origins = origins(src, name, prefix)
	if err := errors.Join(c.checkValues()...); err != nil {
		return nil, err
	}
	return c, nil
}

// decodeErrors turns the decoder's error into ours. Keys outside of prefix
// belong to other tools.
func decodeErrors(err error, name, prefix string) error {
	if err == nil {
		return nil
	}
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var errs []error
		for i := range strict.Errors {
			e := &strict.Errors[i]
			if key, ok := strings.CutPrefix(strings.Join(e.Key(), "."), prefix); ok {
				errs = append(errs, positioned(e, name, fmt.Sprintf("unknown key %q", key)))
			}
		}
		sortErrors(errs)
		return errors.Join(errs...)
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		message := strings.TrimPrefix(e.Error(), "toml: ")
		if strings.HasPrefix(message, "cannot decode TOML") {
			message = "wrong type for " + strings.TrimPrefix(strings.Join(e.Key(), "."), prefix)
		}
		return positioned(e, name, message)
	}
	return &Error{File: name, Message: strings.TrimPrefix(err.Error(), "toml: ")}
}

func positioned(e *toml.DecodeError, name, message string) error {
	line, column := e.Position()
	return &Error{File: name, Line: line, Column: column, Message: message}
}

// cause returns what went wrong without the path and operation that file
// system errors repeat.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
