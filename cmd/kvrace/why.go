package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/suppress"
	"github.com/kvrace/kvrace/rules/why"
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

// validate returns an error for flags of which --why would take no notice.
func (f *whyFlags) validate(flags *checkFlags) error {
	switch {
	case f.place == "":
		return nil
	case flags.fix.mode != "":
		return conflict("--why", "--fix")
	case flags.fix.diff:
		return conflict("--why", "--diff")
	case flags.news.writeBaseline:
		return conflict("--why", "--write-baseline")
	case len(flags.output.formats) > 0 || flags.output.file != "":
		return errors.New("--why prints text on the standard output: --format and --output cannot be given with it")
	}
	return nil
}

// takeRule moves a rule from the paths to the flags of --why, since the rule
// follows as an argument. Without other paths, the file of --why is the path.
func (f *whyFlags) takeRule(paths []string, rules []report.Rule) ([]string, error) {
	if f.place == "" {
		return paths, nil
	}
	for i, p := range paths {
		r, err := findRule(rules, p)
		if err == nil {
			f.rule = r.ID
			paths = slices.Delete(slices.Clone(paths), i, i+1)
			break
		}
		if _, missing := os.Stat(p); missing != nil && likeRule.MatchString(p) {
			return nil, fmt.Errorf("--why: %w", err)
		}
	}
	if file, _, err := splitPlace(f.place); err == nil && len(paths) == 0 {
		paths = []string{file}
	}
	return paths, nil
}

// likeRule matches what can be the ID or the name of a rule, and the path of no
// Python file.
var likeRule = regexp.MustCompile(`^[A-Za-z]+[0-9]*(-[A-Za-z]+)*$`)

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
	run, err := s.analyze(ctx, s.stdin)
	if err != nil {
		return err
	}
	if err := s.onlyNews(ctx, run); err != nil {
		return err
	}
	s.printErrors(run)
	account, err := s.env.backend.explain(ctx, s.request(s.program, s.stdin), name, line)
	if err != nil {
		return fmt.Errorf("explain %s: %w", s.flags.why.place, err)
	}
	s.addComments(account, run)
	var text bytes.Buffer // with names and lines of the program
	if err := why.Print(&text, account, s.flags.why.rule, func(f *report.Finding) string { return s.fate(run, f) }); err != nil {
		return err
	}
	_, err = io.WriteString(s.env.stdout, printable(text.String()))
	return writeError("standard output", err)
}

// addComments adds the rules about comments: where they report, and where they are
// asked for.
func (s *session) addComments(a *why.Account, run *report.Run) {
	for _, r := range suppress.Rules {
		ra := why.RuleAccount{Rule: r}
		for _, f := range run.Findings {
			if f.Rule == r.ID && f.File == a.File && f.Line == a.Line {
				ra.At = append(ra.At, f)
			}
		}
		if len(ra.At) == 0 && s.flags.why.rule != r.ID {
			continue
		}
		if len(ra.At) == 0 {
			ra.Steps = []why.Step{{Text: "no comment on this line speaks to kvrace and is wrong in this way"}}
		}
		a.Rules = append(a.Rules, ra)
	}
}

// fate says what became of a finding after its rule had found it.
func (s *session) fate(run *report.Run, f *report.Finding) string {
	same := func(have *report.Finding) bool { return have.Rule == f.Rule && have.Fingerprint == f.Fingerprint }
	for i := range run.Findings {
		if have := &run.Findings[i]; same(have) {
			return fmt.Sprintf("reported, %s, %s", have.Severity, have.Confidence)
		}
	}
	for i := range run.Suppressed {
		switch have := &run.Suppressed[i]; {
		case !same(&have.Finding):
		case have.By == report.SuppressedInSource:
			return fmt.Sprintf("found, and suppressed by a comment (%s)", have.Reason)
		case s.flags.news.since != "":
			return "found, and not new"
		default:
			return "found, and in the baseline"
		}
	}
	switch {
	case !s.config.Enabled(f.Rule):
		return "found, and the rule is not selected"
	case s.leftOut(f.Rule, f.File):
		return "found, and the rule is left out in this file"
	case s.refuted[f.Fingerprint]:
		return "found, and refuted: no schedule shows it (see --confidence possible)"
	case f.Confidence < s.config.Confidence:
		return fmt.Sprintf("found, and less sure (%s) than what is reported (%s)", f.Confidence, s.config.Confidence)
	}
	return "found, and not in the named files"
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
