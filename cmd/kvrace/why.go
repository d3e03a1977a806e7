package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
)

// whyFlags ask for an explanation instead of a report.
type whyFlags struct {
	place string // FILE:LINE
	rule  string
}

// registerWhy adds --why if the analysis can answer it.
func registerWhy(cmd *cobra.Command, env *environment, flags *checkFlags) {
	if env.backend.explain == nil {
		return
	}
	cmd.Flags().StringVar(&flags.why.place, "why", "", "tell why something was, or was not, reported at `FILE:LINE`; a rule may follow as an argument")
}

// takeRule moves a rule from the paths to the flags of --why, since the rule
// follows as an argument. Without other paths, the file of --why is the path.
func (f *whyFlags) takeRule(paths []string, rules []report.Rule) []string {
	if f.place == "" {
		return paths
	}
	for i, p := range paths {
		if r, err := findRule(rules, p); err == nil {
			f.rule = r.ID
			paths = slices.Delete(slices.Clone(paths), i, i+1)
			break
		}
	}
	if file, _, err := splitPlace(f.place); err == nil && len(paths) == 0 {
		paths = []string{file}
	}
	return paths
}

// why prints the explanation.
func (s *session) why(ctx context.Context) error {
	file, line, err := splitPlace(s.flags.why.place)
	if err != nil {
		return err
	}
	name, err := s.program.NameOf(file)
	if err != nil {
		return err
	}
	if _, ok := s.program.Lookup(name); !ok {
		return fmt.Errorf("--why: %s is not in the program", file)
	}
	text, err := s.env.backend.explain(ctx, s.request(s.program, s.stdin), name, line, s.flags.why.rule)
	if err != nil {
		return fmt.Errorf("explain %s: %w", s.flags.why.place, err)
	}
	_, err = fmt.Fprintln(s.env.stdout, strings.TrimRight(text, "\n"))
	return err
}

// splitPlace splits FILE:LINE.
func splitPlace(place string) (file string, line int, err error) {
	i := strings.LastIndexByte(place, ':')
	if i > 0 {
		line, err = strconv.Atoi(place[i+1:])
	}
	if i <= 0 || err != nil || line < 1 {
		return "", 0, errors.New("--why: want FILE:LINE")
	}
	return place[:i], line, nil
}
