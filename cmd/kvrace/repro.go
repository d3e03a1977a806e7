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
)

func newRepro(env *environment) *cobra.Command {
	flags := checkFlags{output: outputFlags{color: "auto", fallback: "text"}}
	var all string
	cmd := &cobra.Command{
		Use:   "repro FINGERPRINT [PATH...]",
		Short: "print the program that reproduces a finding",
		Long: `Repro prints a small Python program that replays the schedule of a finding: it
needs nothing but Python, fails on the code as it is, and passes once the patch
is applied. The finding is called by its fingerprint or the start of it, and
searched in the paths as check would. With --all the programs of all findings
are written into a folder.`,
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
			return s.reproduce(cmd.Context(), fingerprint, all)
		},
	}
	cmd.Flags().StringVar(&all, "all", "", "write the programs of all findings into `FOLDER`")
	flags.registerProgram(cmd, env)
	return cmd
}

// reproduce prints the reproducer of one finding, or writes those of all.
func (s *session) reproduce(ctx context.Context, fingerprint, folder string) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	run, err := s.analyze(ctx, nil)
	if err != nil {
		return err
	}
	if folder != "" {
		return s.writeReproducers(run, folder)
	}
	f, err := findFinding(run, fingerprint)
	if err != nil {
		return err
	}
	if f.Reproducer == "" {
		return fmt.Errorf("%s %s has no reproducer: %s", f.Rule, f.Fingerprint, whyNotReplayed(f))
	}
	_, err = io.WriteString(s.env.stdout, f.Reproducer)
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
	if f.Witness != nil && f.Witness.Reason != "" {
		return f.Witness.Reason
	}
	return "no schedule was found"
}

// writeReproducers writes one file per finding and tells which have none.
func (s *session) writeReproducers(run *report.Run, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return &writeFailure{folder, err}
	}
	for i := range run.Findings {
		f := &run.Findings[i]
		if f.Reproducer == "" {
			fmt.Fprintf(s.env.stderr, "kvrace: %s %s has no reproducer: %s\n", f.Rule, f.Fingerprint, printable(whyNotReplayed(f)))
			continue
		}
		name := filepath.Join(folder, strings.ToLower(f.Rule)+"_"+f.Fingerprint+".py")
		err := s.env.writeFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, f.Reproducer)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(s.env.stdout, name)
	}
	return nil
}
