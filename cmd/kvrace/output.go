package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kvrace/kvrace/report"
)

// outputFlags say what is written where.
type outputFlags struct {
	formats []string
	file    string
	color   string

	fallback string // format without --format
	// own are the formats that the command writes in a way of its own.
	own []report.Format
}

// An output is one report to write.
type output struct {
	format report.Format
	file   string // "" for the standard output
}

// register adds the flags; fallback is the format without --format.
func (f *outputFlags) register(cmd *cobra.Command, fallback string) {
	f.fallback = fallback
	var names []string
	for _, format := range report.Formats {
		names = append(names, format.Name)
	}
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.formats, "format", "f", nil,
		"write the report in `FORMAT[=FILE]`; may be repeated; one of "+strings.Join(names, ", ")+" (default "+fallback+")")
	fs.StringVarP(&f.file, "output", "o", "", "write the report that has no file of its own to `FILE`")
	fs.StringVar(&f.color, "color", "auto", "colour the text on the standard output: `auto|always|never`")
	completeWords(cmd, "format", names...)
	completeWords(cmd, "color", "auto", "always", "never")
}

// parse returns the outputs that the flags ask for.
func (f *outputFlags) parse(env *environment) ([]output, error) {
	if !slices.Contains([]string{"auto", "always", "never"}, f.color) {
		return nil, fmt.Errorf("--color: %q is none of auto, always, never", f.color)
	}
	formats := f.formats
	if len(formats) == 0 {
		formats = []string{f.fallback}
	}
	var outputs []output
	taken := make(map[string]string) // file -> format
	for _, spec := range formats {
		name, file, hasFile := strings.Cut(spec, "=")
		if hasFile && file == "" {
			return nil, fmt.Errorf("--format %s: no file after =", spec)
		}
		if !hasFile {
			file = f.file
		}
		format, ok := f.find(name)
		if !ok {
			return nil, fmt.Errorf("--format: no format is called %q; see kvrace check --help", name)
		}
		if other, ok := taken[file]; ok {
			return nil, fmt.Errorf("--format %s and --format %s write to the same place; give one a file as in %s=FILE", other, name, name)
		}
		taken[file] = name
		outputs = append(outputs, output{format, file})
	}
	if _, ok := taken[f.file]; f.file != "" && !ok {
		return nil, errors.New("--output: every --format has a file of its own")
	}
	return outputs, nil
}

// find returns the format with a name.
func (f *outputFlags) find(name string) (report.Format, bool) {
	for _, formats := range [][]report.Format{f.own, report.Formats} {
		if i := slices.IndexFunc(formats, func(x report.Format) bool { return x.Name == name }); i >= 0 {
			return formats[i], true
		}
	}
	return report.Format{}, false
}

// write writes all reports. One that fails does not keep the others from
// being written.
func (s *session) write(run *report.Run) error {
	defer s.stage("report")()
	var errs []error
	for _, o := range s.outputs {
		switch {
		case o.file != "":
			errs = append(errs, s.env.writeFile(o.file, func(w io.Writer) error { return o.format.Write(w, run) }))
		case s.flags.quiet:
		case o.format.Name == "text" && s.flags.news.writeBaseline:
			// "no findings" would be wrong; what was written is told
		case o.format.Name == "text" && len(s.flags.output.own) > 0:
			errs = append(errs, writeError("standard output", report.AuditText(s.env.stdout, run, s.textOptions())))
		case o.format.Name == "text":
			errs = append(errs, writeError("standard output", report.Text(s.env.stdout, run, s.textOptions())))
		default:
			errs = append(errs, writeError("standard output", o.format.Write(s.env.stdout, run)))
		}
	}
	return errors.Join(errs...)
}

// A writeFailure is a report that could not be written.
type writeFailure struct {
	where string
	err   error
}

func (e *writeFailure) Error() string { return fmt.Sprintf("write %s: %v", e.where, e.err) }
func (e *writeFailure) Unwrap() error { return e.err }

func writeError(where string, err error) error {
	if err != nil {
		return &writeFailure{where, err}
	}
	return nil
}

// textOptions suits the text format to the standard output.
func (s *session) textOptions() report.TextOptions {
	f, _ := s.env.stdout.(*os.File)
	terminal := isTerminal(s.env.stdout)
	opt := report.TextOptions{Color: useColor(s.flags.output.color, terminal)}
	if !terminal {
		return opt
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		opt.Width = width
	}
	if opt.Color && os.Getenv("TERM_PROGRAM") != "Apple_Terminal" {
		opt.Link = report.FileLink(s.program.Root)
	}
	return opt
}

// isTerminal reports whether somebody reads what is written as it comes.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// useColor decides on colour. A flag wins over the environment (no-color.org,
// force-color.org), which wins over the terminal.
func useColor(flag string, terminal bool) bool {
	switch {
	case flag == "always":
		return true
	case flag == "never" || os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("FORCE_COLOR") != "":
		return true
	}
	return terminal && os.Getenv("TERM") != "dumb"
}

// writeFile replaces a file by what write writes, or leaves it as it is. What
// is not a regular file, such as /dev/stderr, is written to directly.
func (env *environment) writeFile(name string, write func(io.Writer) error) error {
	target, mode := name, os.FileMode(0)
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("write %s: is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(name, write)
	case err == nil:
		mode = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	temp, err := env.begin(target)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(temp.Name()) // gone when it was renamed
	err = write(temp)
	if mode != 0 {
		err = errors.Join(err, temp.Chmod(mode))
	}
	err = errors.Join(err, temp.Close())
	env.writing.Lock()
	defer env.writing.Unlock()
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	env.begun = slices.DeleteFunc(env.begun, func(s string) bool { return s == temp.Name() })
	return writeError(name, err)
}

// begin creates the file that is to replace target. An interrupt removes it.
func (env *environment) begin(target string) (*os.File, error) {
	env.writing.Lock()
	defer env.writing.Unlock()
	temp, err := createBeside(target)
	if err == nil {
		env.begun = append(env.begun, temp.Name())
	}
	return temp, err
}

// createBeside creates a new file in the folder of target whose mode follows
// the umask.
func createBeside(target string) (*os.File, error) {
	for i := 0; ; i++ {
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".kvrace-%d-%d.tmp", os.Getpid(), i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) || i == 100 {
			return f, err
		}
	}
}

func writeThrough(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	return writeError(name, err)
}
