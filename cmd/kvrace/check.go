package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
)

// stdinArg is the path that stands for the standard input.
const stdinArg = "-"

// checkFlags are the flags of check beside those of the configuration.
type checkFlags struct {
	config configFlags
	output outputFlags
	fix    fixFlags
	news   newsFlags
	why    whyFlags
	cache  cacheFlags

	root          string
	stdinFilename string
	workers       int
	exitZero      bool
	quiet         bool
	verbose       bool
	statistics    bool
	noReplay      bool
	maps          bool // set by commands that show key groups
	mapsOnly      bool // set by commands that show nothing else
}

func newCheck(env *environment) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "report findings in files and folders",
		Long: `Check reports the findings in the given files and folders, by default in the
working directory. The program around them, from the root of their project, is
always taken into account; a finding is reported when any line that it rests
on lies in one of the files.

Folders are searched as git would: ignored, hidden, vendored and virtual
environment folders are left out unless they are named. The path - stands for
the standard input, whose place in the tree --stdin-filename tells.

The exit status is 0 if nothing at or above --fail-on was found, 1 if something
was, and 2 if the command line or the configuration is wrong, a file could not
be read or parsed, or a report could not be written.`,
		Example: `  kvrace check python/sglang/srt/disaggregation
  kvrace check --format sarif=kvrace.sarif --format text .
  kvrace check --since origin/main --format github
  kvrace check --fix conn.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := flags.why.takeRule(args, env.backend.rules)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			s, err := newSession(cmd, env, &flags, args)
			if err != nil {
				return err
			}
			return s.check(cmd.Context())
		},
	}
	fs := cmd.Flags()
	flags.output.register(cmd, "text")
	flags.registerProgram(cmd, env)
	flags.fix.register(cmd)
	flags.news.register(cmd)
	fs.StringVar(&flags.stdinFilename, "stdin-filename", "", "`NAME` of the file whose content is on the standard input")
	fs.BoolVar(&flags.exitZero, "exit-zero", false, "exit with 0 even if there are findings")
	fs.BoolVarP(&flags.quiet, "quiet", "q", false, "print no report, only errors; files named by --format are still written")
	registerWhy(cmd, env, &flags)
	return cmd
}

// registerProgram adds the flags of every command that analyzes a program.
func (f *checkFlags) registerProgram(cmd *cobra.Command, env *environment) {
	f.config.register(cmd, env)
	f.cache.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.root, "root", "", "print paths relative to `FOLDER` (default the working folder, or the project if that is elsewhere)")
	fs.IntVarP(&f.workers, "jobs", "j", 0, "number of `WORKERS` (default one per processor)")
	fs.BoolVar(&f.noReplay, "no-replay", false, "do not execute the schedules that are found: no finding is confirmed")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "tell on the standard error what is done")
	fs.BoolVar(&f.statistics, "statistics", false, "print counts and times on the standard error")
}

// validate returns an error for flags that contradict each other or the
// paths.
func (f *checkFlags) validate(paths []string) error {
	stdin := slices.Contains(paths, stdinArg)
	switch {
	case f.workers < 0:
		return errors.New("--jobs: not a number of workers")
	case stdin && f.stdinFilename == "":
		return errors.New("the path - needs --stdin-filename")
	case !stdin && f.stdinFilename != "":
		return errors.New("--stdin-filename needs the path -")
	case stdin && f.fix.writes():
		return errors.New("--fix cannot write to the standard input; use --diff")
	}
	if f.quiet && f.verbose {
		return conflict("--quiet", "--verbose")
	}
	return errors.Join(f.news.validate(), f.fix.validate(&f.news), f.why.validate(f), f.cache.validate())
}

// status returns the error that stands for the exit status of a run: nil,
// errFindings or errReported.
func (f *checkFlags) status(run *report.Run, failOn report.Severity) error {
	if len(run.Errors) > 0 {
		return errReported
	}
	if f.exitZero {
		return nil
	}
	for _, finding := range run.Findings {
		if finding.Severity <= failOn {
			return errFindings
		}
	}
	return nil
}

// count returns "1 file" or "2 files".
func count(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
