package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// configFlags are the flags that override the configuration, and those that
// say where it is.
type configFlags struct {
	file          string
	isolated      bool
	selected      string
	ignored       string
	include       []string
	exclude       []string
	confidence    string
	failOn        string
	pythonVersion string
	freeThreaded  bool
}

func (f *configFlags) register(cmd *cobra.Command, env *environment) {
	fs := cmd.Flags()
	fs.StringVar(&f.file, "config", "", "read the configuration from `FILE`, a kvrace.toml or pyproject.toml")
	fs.BoolVar(&f.isolated, "isolated", false, "read no configuration file")
	fs.StringVar(&f.selected, "select", "", "run only these `RULES`: comma-separated IDs or starts of IDs, or ALL")
	fs.StringVar(&f.ignored, "ignore", "", "leave out these `RULES`")
	fs.StringSliceVar(&f.include, "include", nil, "take files that match `PATTERN` although they would be left out")
	fs.StringSliceVar(&f.exclude, "exclude", nil, "leave out files and folders that match `PATTERN`")
	fs.StringVar(&f.confidence, "confidence", "", "report findings of this confidence and above: `possible|likely|confirmed` (default likely)")
	fs.StringVar(&f.failOn, "fail-on", "", "exit with 1 only for findings of this severity and above: `error|warning|note` (default note)")
	fs.StringVar(&f.pythonVersion, "python-version", "", "oldest Python `VERSION` that the program must run on")
	fs.BoolVar(&f.freeThreaded, "free-threaded", false, "tell that the program runs without the GIL (read, not taken into account yet)")
	completeWords(cmd, "confidence", "possible", "likely", "confirmed")
	completeWords(cmd, "fail-on", "error", "warning", "note")
	completeWords(cmd, "select", ruleCompletions(env.backend.rules)...)
	completeWords(cmd, "ignore", ruleCompletions(env.backend.rules)...)
}

// completeWords makes a shell offer the words for a flag.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // no such flag: a fault in this program
	}
}

// load returns the configuration of the paths with the flags applied.
func (f *configFlags) load(fs *pflag.FlagSet, paths []string, rules []report.Rule) (*config.Config, error) {
	if f.isolated && fs.Changed("config") {
		return nil, conflict("--config", "--isolated")
	}
	c, err := f.read(paths)
	if err != nil {
		return nil, err
	}
	if err := f.override(c, fs); err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	return c, errors.Join(c.Check(ids)...)
}

// read returns the configuration without flags.
func (f *configFlags) read(paths []string) (*config.Config, error) {
	file := f.file
	if file == "" && !f.isolated {
		var err error
		if file, err = config.Find(configDir(paths)); err != nil {
			return nil, err
		}
	}
	if file == "" {
		return config.Default(), nil
	}
	return config.Load(file, displayName(file))
}

// configDir returns the folder where the search for a configuration begins:
// that of the first path, or the working directory.
func configDir(paths []string) string {
	if len(paths) == 0 || paths[0] == stdinArg {
		return "."
	}
	dir, err := source.FindProject(paths[0])
	if err != nil {
		return "."
	}
	return filepath.FromSlash(dir)
}

// displayName returns the path relative to the working directory if it lies
// in it.
func displayName(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(workingDir(), abs)
	if err != nil || !filepath.IsLocal(rel) {
		return abs
	}
	return filepath.ToSlash(rel)
}

// override sets the values that were given as flags.
func (f *configFlags) override(c *config.Config, fs *pflag.FlagSet) error {
	var errs []error
	set := func(flag string, apply func() error) {
		if !fs.Changed(flag) {
			return
		}
		if err := apply(); err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
			return
		}
		c.Override(flag, "--"+flag)
	}
	set("select", func() (err error) { c.Select, err = config.ParseSelectors(f.selected); return err })
	set("ignore", func() (err error) { c.Ignore, err = config.ParseSelectors(f.ignored); return err })
	set("include", func() error { c.Include = f.include; return validPatterns(f.include) })
	set("exclude", func() error { c.Exclude = append(c.Exclude, f.exclude...); return validPatterns(f.exclude) })
	set("confidence", func() error { return c.Confidence.UnmarshalText([]byte(f.confidence)) })
	set("fail-on", func() error { return c.FailOn.UnmarshalText([]byte(f.failOn)) })
	set("python-version", func() error { return c.PythonVersion.UnmarshalText([]byte(f.pythonVersion)) })
	set("free-threaded", func() error { c.FreeThreaded = f.freeThreaded; return nil })
	return errors.Join(errs...)
}

func validPatterns(patterns []string) error {
	for _, p := range patterns {
		if !source.ValidPattern(p) {
			return fmt.Errorf("%q is not a pattern", p)
		}
	}
	return nil
}

// asking are the flags that decide which findings there are.
var asking = []string{"config", "confidence", "exclude", "ignore", "include", "isolated", "python-version", "root", "select"}

// maxAsked is how many paths are worth being repeated.
const maxAsked = 5

// arguments returns the flags and paths with which another command sees the same
// findings, quoted for a shell. The working folder goes without saying.
func arguments(fs *pflag.FlagSet, paths []string) string {
	var out []string
	fs.Visit(func(f *pflag.Flag) {
		switch {
		case !slices.Contains(asking, f.Name):
		case f.Value.Type() == "bool":
			if f.Value.String() == "true" {
				out = append(out, "--"+f.Name)
			}
		case f.Value.Type() == "stringSlice":
			for _, v := range f.Value.(pflag.SliceValue).GetSlice() {
				out = append(out, shellQuoted("--"+f.Name+"="+v))
			}
		default:
			out = append(out, shellQuoted("--"+f.Name+"="+f.Value.String()))
		}
	})
	if len(paths) <= maxAsked && !slices.Contains(paths, stdinArg) && !slices.Equal(paths, []string{"."}) {
		for _, p := range paths {
			if strings.HasPrefix(p, "-") {
				p = "./" + p
			}
			out = append(out, shellQuoted(p))
		}
	}
	return strings.Join(out, " ")
}

// shellQuoted returns s as one word of a POSIX shell.
func shellQuoted(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
