package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

func newRepro(env *environment) *cobra.Command {
	flags := checkFlags{output: outputFlags{color: "auto", fallback: "text"}}
	var all string
	var form reproForm
	cmd := &cobra.Command{
		Use:   "repro FINGERPRINT [PATH...]",
		Short: "print the program that reproduces a finding",
		Long: `Repro prints a small Python program that replays the schedule of a finding: it
needs nothing but Python, fails on the code as it is, and passes once the patch
is applied. The finding is called by its fingerprint or the start of it, and
searched in the paths as check would. With --all the programs of all findings
are written into a folder.

The program holds the statements of the code that the schedule passes, as far as
they touch what the finding speaks of, and says at its head what it leaves out
and what it assumes. It is executed before it is printed: a finding whose
schedule cannot be replayed has none, and the message says why.`,
		Example: `  kvrace repro 3f2a91c0 python/sglang/srt/disaggregation | python3 -
  kvrace repro 3f2a91c0 --patched > fixed.py
  kvrace repro --all tests/races --pytest src`,
		RunE: func(cmd *cobra.Command, args []string) error {
			fingerprint := ""
			if all == "" {
				if len(args) == 0 {
					return errors.New("repro needs the fingerprint of a finding, or --all")
				}
				fingerprint, args = args[0], args[1:]
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			s, err := newSession(cmd, env, &flags, args)
			if err != nil {
				return err
			}
			return s.reproduce(cmd.Context(), fingerprint, all, form)
		},
	}
	cmd.Flags().StringVar(&all, "all", "", "write the programs of all findings into `FOLDER`")
	cmd.Flags().BoolVar(&form.pytest, "pytest", false, "write a test module for pytest instead of a program")
	cmd.Flags().BoolVar(&form.patched, "patched", false, "show the side that passes: the code with the patch applied")
	flags.registerProgram(cmd, env)
	return cmd
}

// A reproForm says which form of a reproducer is wanted.
type reproForm struct{ pytest, patched bool }

// of returns the reproducer of a finding in that form, or an error that says why there
// is none.
func (form reproForm) of(f *report.Finding) (source string, err error) {
	source = f.Reproducer
	if form.patched {
		source = f.PatchedReproducer
	}
	switch {
	case source == "" && f.Reproducer != "":
		return "", fmt.Errorf("%s %s has no patch that passes: %s", f.Rule, f.Fingerprint, whyNoPatch(f))
	case source == "":
		return "", fmt.Errorf("%s %s has no reproducer: %s", f.Rule, f.Fingerprint, whyNotReplayed(f))
	case form.pytest:
		return replay.Pytest(source, f.Rule+"_"+f.Fingerprint), nil
	}
	return source, nil
}

// name returns the name of the file for a finding. Pytest collects files whose
// names begin with test.
func (form reproForm) name(f *report.Finding) string {
	name := strings.ToLower(f.Rule) + "_" + f.Fingerprint
	if form.pytest {
		name = "test_" + name
	}
	if form.patched {
		name += "_patched"
	}
	return name + ".py"
}

// reproduce prints the reproducer of one finding, or writes those of all.
func (s *session) reproduce(ctx context.Context, fingerprint, folder string, form reproForm) error {
	s.replays = true
	if err := s.load(ctx); err != nil {
		return err
	}
	run, err := s.analyze(ctx, nil)
	if err != nil {
		return err
	}
	s.printErrors(run)
	if folder != "" {
		if err := s.writeReproducers(run, folder, form); err != nil || len(run.Errors) == 0 {
			return err
		}
		return errReported
	}
	f, err := findFinding(run, fingerprint)
	if err != nil {
		return err
	}
	source, err := form.of(f)
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.env.stdout, source)
	return writeError("standard output", err)
}

// findFinding returns the finding whose fingerprint starts with prefix.
func findFinding(run *report.Run, prefix string) (*report.Finding, error) {
	var hit *report.Finding
	for i := range run.Findings {
		f := &run.Findings[i]
		if !strings.HasPrefix(f.Fingerprint, strings.ToLower(prefix)) {
			continue
		}
		if hit != nil && hit.Fingerprint != f.Fingerprint {
			return nil, fmt.Errorf("several fingerprints start with %s", prefix)
		}
		hit = f
	}
	if hit == nil {
		return nil, fmt.Errorf("no finding has the fingerprint %s", prefix)
	}
	return hit, nil
}

func whyNotReplayed(f *report.Finding) string {
	if f.Witness != nil && f.Witness.Verdict == report.VerdictBound {
		return "the search for a schedule reached its bound: " + f.Witness.Reason
	}
	if f.Witness != nil && f.Witness.Reason != "" {
		return f.Witness.Reason
	}
	return "no schedule was found"
}

// whyNoPatch tells of a finding with a reproducer why there is none that passes.
func whyNoPatch(f *report.Finding) string {
	if f.Witness != nil && f.Witness.Reason != "" {
		return f.Witness.Reason
	}
	return "none was replayed"
}

// writeReproducers writes one file per finding and tells which have none.
func (s *session) writeReproducers(run *report.Run, folder string, form reproForm) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return &writeFailure{folder, err}
	}
	for i := range run.Findings {
		f := &run.Findings[i]
		source, err := form.of(f)
		if err != nil {
			fmt.Fprintf(s.env.stderr, "kvrace: %s\n", printable(err.Error()))
			continue
		}
		name := filepath.Join(folder, form.name(f))
		err = s.env.writeFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, source)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(s.env.stdout, printable(name))
	}
	return nil
}
