package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	if err := decodeErrors(err, src, name, prefix); err != nil {
		return nil, err
	}
	c.Origins = origins(src, name, prefix)
	if err := errors.Join(c.checkValues()...); err != nil {
		return nil, err
	}
	return c, nil
}

// A fault is what the decoder finds wrong with a key.
type fault struct {
	key          string // without the prefix
	line, column int
	message      string
}

// faults turns the decoder's error into ours. Keys outside of prefix belong to
// other tools.
func faults(err error, prefix string) []fault {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var out []fault
		for i := range strict.Errors {
			e := &strict.Errors[i]
			if key, ok := strings.CutPrefix(strings.Join(e.Key(), "."), prefix); ok {
				line, column := e.Position()
				out = append(out, fault{key, line, column, fmt.Sprintf("unknown key %q", key)})
			}
		}
		return out
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		key := strings.TrimPrefix(strings.Join(e.Key(), "."), prefix)
		message := strings.TrimPrefix(e.Error(), "toml: ")
		if strings.HasPrefix(message, "cannot decode TOML") {
			message = "wrong type for " + key
		}
		line, column := e.Position()
		return []fault{{key, line, column, message}}
	}
	return []fault{{message: strings.TrimPrefix(err.Error(), "toml: ")}}
}

// decodeErrors returns all that is wrong with a document of which the decoder has
// said what is wrong first.
func decodeErrors(err error, src []byte, name, prefix string) error {
	if err == nil {
		return nil
	}
	found := faults(err, prefix)
	if _, strict := errors.AsType[*toml.StrictMissingError](err); !strict {
		found = append(found, others(found[0], src, name, prefix)...)
	}
	var errs []error
	for _, f := range found {
		errs = append(errs, &Error{File: name, Line: f.line, Column: f.column, Message: f.message})
	}
	sortErrors(errs)
	return errors.Join(errs...)
}

// others returns what is wrong with the keys of a document after the one that
// ended its decoding: each is decoded alone. A document that is no TOML has none.
func others(first fault, src []byte, name, prefix string) []fault {
	var doc map[string]any
	if err := toml.Unmarshal(src, &doc); err != nil {
		return nil
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(prefix, "."), ".") {
		if part != "" {
			doc, _ = doc[part].(map[string]any)
		}
	}
	places := &Config{File: name, Origins: origins(src, name, prefix)}
	seen, _, _ := strings.Cut(first.key, ".")
	var out []fault
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		part, err := toml.Marshal(map[string]any{key: doc[key]})
		if key == seen || err != nil {
			continue
		}
		if err := toml.NewDecoder(bytes.NewReader(part)).DisallowUnknownFields().Decode(Default()); err != nil {
			for _, f := range faults(err, "") {
				at := places.errorAt(f.key, f.message).(*Error)
				out = append(out, fault{f.key, at.Line, at.Column, f.message})
			}
		}
	}
	return out
}

// cause returns what went wrong without the path and operation that file
// system errors repeat.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
