package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/parser/source/gitrev"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/report/baseline"
)

// newsFlags keep known findings out of the report.
type newsFlags struct {
	since         string
	diffOnly      bool
	baseline      string
	writeBaseline bool
	pruneBaseline bool
}

// defaultBaseline is the file that --write-baseline writes without --baseline.
const defaultBaseline = ".kvrace-baseline.json"

func (f *newsFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.since, "since", "", "report only what the merge base with `REV` does not have, or has in other words")
	fs.BoolVar(&f.diffOnly, "diff-only", false, "with --since: report only what rests on a line changed since, known or not")
	fs.StringVar(&f.baseline, "baseline", "", "leave out the findings listed in `FILE`")
	fs.BoolVar(&f.writeBaseline, "write-baseline", false, "list all findings in the file of --baseline (default "+defaultBaseline+") and exit with 0")
	fs.BoolVar(&f.pruneBaseline, "prune-baseline", false, "remove entries from the baseline for which there is no finding any more")
}

// validate returns an error for flags that need another one.
func (f *newsFlags) validate() error {
	switch {
	case f.diffOnly && f.since == "":
		return errors.New("--diff-only needs --since")
	case f.pruneBaseline && f.baseline == "":
		return errors.New("--prune-baseline needs --baseline")
	case f.writeBaseline && f.since != "":
		return conflict("--write-baseline", "--since")
	case f.writeBaseline && f.pruneBaseline:
		return conflict("--write-baseline", "--prune-baseline")
	}
	return nil
}

// compares reports whether findings are compared with those of another run, which must not
// depend on the formats of either.
func (f *newsFlags) compares() bool { return f.since != "" || f.baseline != "" || f.writeBaseline }

// A news remembers what is known, so that it is found out once.
type news struct {
	baseline *baseline.Baseline
	stale    []baseline.Entry // entries without a finding in the last run

	looked  bool              // whether the fields below are set
	known   []former          // the findings at the merge base
	renamed map[string]string // present name -> name at the merge base
	changed lineSet           // since the merge base
}

// A former is a finding at the merge base.
type former struct {
	fingerprint string
	identity    string // with the file that it stood in
	moved       string // without it, see movedIdentity
	lines       string // that it rests on
}

// onlyNews leaves out the findings that the flags call known.
func (s *session) onlyNews(ctx context.Context, run *report.Run) error {
	if s.flags.news.baseline != "" && !s.flags.news.writeBaseline {
		if err := s.applyBaseline(run); err != nil {
			return err
		}
	}
	if s.flags.news.since != "" {
		return s.applySince(ctx, run)
	}
	return nil
}

// writeBaseline lists all findings, and takes them out of the run.
func (s *session) writeBaseline(run *report.Run) error {
	name := s.flags.news.baseline
	if name == "" {
		name = defaultBaseline
	}
	old, err := readBaseline(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh := baseline.New(run.Findings, old)
	if err := s.env.writeFile(name, fresh.Write); err != nil {
		return err
	}
	fmt.Fprintf(s.env.stderr, "kvrace: wrote %s to %s\n", count(len(fresh.Entries), "finding"), name)
	run.Findings = []report.Finding{}
	return nil
}

// applyBaseline leaves out the findings in the baseline.
func (s *session) applyBaseline(run *report.Run) error {
	if s.news.baseline == nil {
		var err error
		if s.news.baseline, err = readBaseline(s.flags.news.baseline); err != nil {
			return err
		}
	}
	fresh, known, stale := s.news.baseline.Split(run.Findings)
	s.news.stale = slices.DeleteFunc(stale, func(e baseline.Entry) bool { return !s.analyzed(e) })
	run.Findings = append([]report.Finding{}, fresh...)
	run.Compared = true
	s.holdKnown(run, known)
	return nil
}

// holdKnown notes findings that the baseline or the merge base has too.
func (s *session) holdKnown(run *report.Run, known []report.Finding) {
	for _, f := range known {
		s.hold(run, report.Suppressed{Finding: f, By: report.SuppressedByBaseline})
	}
}

// tellStale removes or names the entries of the baseline without a finding.
func (s *session) tellStale() error {
	name := s.flags.news.baseline
	if len(s.news.stale) > 0 && s.flags.news.pruneBaseline {
		return s.env.writeFile(name, s.news.baseline.Without(s.news.stale).Write)
	}
	for _, e := range s.news.stale {
		fmt.Fprintf(s.env.stderr, "kvrace: %s: no finding matches %s %s in %s any more; --prune-baseline removes it\n",
			name, e.Rule, e.Fingerprint, e.File)
	}
	return nil
}

// analyzed reports whether an entry of a baseline would have been found: its
// rule ran, and its file is a target or gone.
func (s *session) analyzed(e baseline.Entry) bool {
	if !s.config.Enabled(e.Rule) {
		return false
	}
	_, exists := s.program.Lookup(e.File)
	return !exists || s.program.Targets[e.File]
}

func readBaseline(name string) (*baseline.Baseline, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	defer f.Close()
	b, err := baseline.Read(f)
	if err != nil {
		return nil, fmt.Errorf("read baseline %s: %w", name, err)
	}
	return b, nil
}

// applySince keeps the findings that the merge base does not have, and those
// that rest on other lines than there: lines that moved, or were indented
// anew, are the same. With --diff-only it keeps what rests on lines that git
// calls changed.
func (s *session) applySince(ctx context.Context, run *report.Run) error {
	if !s.news.looked {
		if err := s.lookBack(ctx, run); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
	}
	fresh, known := []report.Finding{}, []report.Finding(nil)
	gone := s.gone(run)
	for _, f := range run.Findings {
		if s.isNews(run, &f) && !moved(&gone, &f, restsOn(run, &f)) {
			fresh = append(fresh, f)
		} else {
			known = append(known, f)
		}
	}
	run.Findings = fresh
	run.Compared = !s.flags.news.diffOnly
	run.Changed = s.news.changed
	s.holdKnown(run, known)
	return nil
}

// isNews decides on one finding.
func (s *session) isNews(run *report.Run, f *report.Finding) bool {
	if s.flags.news.diffOnly {
		return s.news.changed.touches(f)
	}
	lines := restsOn(run, f)
	before := identity(f, f.File)
	if old, ok := s.news.renamed[f.File]; ok {
		before = identity(f, old)
	}
	return !slices.ContainsFunc(s.news.known, func(k former) bool {
		return (k.fingerprint == f.Fingerprint || k.identity == before) && k.lines == lines
	})
}

// gone returns the findings of the merge base that are not there any more, unless
// lines are all that counts.
func (s *session) gone(run *report.Run) []former {
	if s.flags.news.diffOnly {
		return nil
	}
	here := fingerprints(run)
	for _, f := range run.Suppressed {
		here[f.Fingerprint] = true
	}
	return slices.DeleteFunc(slices.Clone(s.news.known), func(k former) bool { return here[k.fingerprint] })
}

// moved reports whether a finding is one of those that are gone, moved with its
// function to another file or class, and takes that one from the list: of two
// copies of a faulty function, one is new.
func moved(gone *[]former, f *report.Finding, lines string) bool {
	id := movedIdentity(f)
	i := slices.IndexFunc(*gone, func(k former) bool { return k.moved == id && k.lines == lines })
	if i < 0 {
		return false
	}
	*gone = slices.Delete(*gone, i, i+1)
	return true
}

// lookBack finds out what changed since the merge base and, if there is
// anything to compare, what was found there.
func (s *session) lookBack(ctx context.Context, run *report.Run) error {
	defer s.stage("since")()
	repo, err := gitrev.Open(ctx, filepath.FromSlash(s.program.Root))
	if err != nil {
		return err
	}
	base, err := repo.MergeBase(ctx, s.flags.news.since)
	if err != nil {
		return err
	}
	s.news.looked = true
	if len(run.Findings) == 0 {
		return nil
	}
	changes, err := s.changesSince(ctx, repo, base)
	if err != nil {
		return err
	}
	s.news.changed = make(lineSet)
	s.news.renamed = make(map[string]string)
	for _, c := range changes {
		if c.Old != "" && c.New != "" && c.Old != c.New {
			s.news.renamed[c.New] = c.Old
		}
		for _, lines := range c.Lines {
			s.news.changed[c.New] = append(s.news.changed[c.New], report.LineRange(lines))
		}
	}
	if !s.flags.news.diffOnly {
		s.news.known, err = s.knownAt(ctx, repo, base, changes)
	}
	return err
}

// changesSince returns the changes since base with names relative to the
// root of the program.
func (s *session) changesSince(ctx context.Context, repo *gitrev.Repo, base string) ([]gitrev.Change, error) {
	changes, err := repo.Changes(ctx, base)
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(filepath.FromSlash(s.program.Root))
	if err != nil {
		return nil, err
	}
	rename := func(name string) (string, error) {
		if name == "" {
			return "", nil
		}
		rel, err := filepath.Rel(top, filepath.FromSlash(path.Join(repo.Top, name)))
		return filepath.ToSlash(rel), err
	}
	var kept []gitrev.Change
	for _, c := range changes {
		old, err1 := rename(c.Old)
		name, err2 := rename(c.New)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		kept = append(kept, gitrev.Change{Old: old, New: name, Lines: c.Lines})
	}
	return kept, nil
}

// knownAt returns the findings at base. The program there is the present one with
// the changes undone.
func (s *session) knownAt(ctx context.Context, repo *gitrev.Repo, base string, changes []gitrev.Change) ([]former, error) {
	was, overlay, err := s.programAt(ctx, repo, base, changes)
	if err != nil {
		return nil, err
	}
	if len(was.Files) == 0 {
		return nil, nil
	}
	req := s.request(was, overlay)
	req.NoPatches, req.Replay = true, false
	if req.Targets != nil {
		// What stands in a target now may have stood in any changed file.
		req.Targets = maps.Clone(req.Targets)
		for name := range overlay {
			req.Targets[name] = true
		}
	}
	run, err := s.env.backend.analyze(ctx, req)
	if err != nil {
		return nil, err
	}
	var known []former
	for i := range run.Findings {
		f := &run.Findings[i]
		known = append(known, former{f.Fingerprint, identity(f, f.File), movedIdentity(f), restsOn(run, f)})
	}
	return known, nil
}

// identity tells what a finding is about as if it stood in the given file. A
// fingerprint may change with the name of the file, this does not.
func identity(f *report.Finding, file string) string {
	return strings.Join([]string{file, f.Rule, f.Function, f.Key, strings.Join(f.Containers, ",")}, "\x00")
}

// movedIdentity is what a finding keeps when its function moves elsewhere.
func movedIdentity(f *report.Finding) string {
	name := f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	return strings.Join([]string{f.Rule, name, f.Key, strings.Join(f.Containers, ",")}, "\x00")
}

// programAt returns the program at base, and the content of the files that
// were different there.
func (s *session) programAt(ctx context.Context, repo *gitrev.Repo, base string, changes []gitrev.Change) (*source.Program, map[string][]byte, error) {
	top, err := filepath.EvalSymlinks(filepath.FromSlash(s.program.Root))
	if err != nil {
		return nil, nil, err
	}
	gone := make(map[string]bool)
	var olds, blobs []string
	for _, c := range changes {
		if c.New != "" && c.New != c.Old {
			gone[c.New] = true
		}
		_, stands := s.program.Lookup(c.New)
		if c.Old == "" || !stands && !(c.New == "" && strings.HasSuffix(c.Old, ".py")) {
			continue // not part of the program now, nor a file that it lost
		}
		rel, err := filepath.Rel(filepath.FromSlash(repo.Top), filepath.Join(top, filepath.FromSlash(c.Old)))
		if err != nil {
			return nil, nil, err
		}
		olds, blobs = append(olds, c.Old), append(blobs, filepath.ToSlash(rel))
	}
	contents, err := repo.Contents(ctx, base, blobs)
	if err != nil {
		return nil, nil, err
	}
	overlay := make(map[string][]byte)
	for i, old := range olds {
		if content, ok := contents[blobs[i]]; ok {
			overlay[old] = content
		}
	}
	return s.program.With(overlay, gone), overlay, nil
}
