package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kvrace/kvrace/report"
)

// A defect is one line of a file of cases: a fault that was repaired in some
// repository. It is met when one of the rules speaks in the function of the site
// at the commit that has the fault, and none of them does at the repair.
type defect struct {
	ID     string   `json:"id"`
	Repo   string   `json:"repo"`
	Parent string   `json:"parent"` // the commit that has the fault
	Fix    string   `json:"fix"`    // the commit that does not
	Rules  []string `json:"rules"`
	Site   site     `json:"site"`
	// Paths are the files and folders to analyze; without them those of -paths,
	// else the folder of the site.
	Paths []string `json:"paths"`
	// Missed says why it is not met, of one that is known not to be.
	Missed string `json:"missed"`
}

// A site is where a finding belongs.
type site struct {
	File     string `json:"file"`
	Class    string `json:"class"`
	Function string `json:"function"`
	Line     int    `json:"line"`
}

// holds reports whether a finding is in the function of the site, or in one
// that is nested in it.
func (s *site) holds(f *report.Finding) bool {
	name := s.Function
	if s.Class != "" {
		name = s.Class + "." + name
	}
	if f.File != s.File {
		return false
	}
	// A function inside of a method has the name of the method in between.
	inner, _ := strings.CutPrefix(f.Function, s.Class+".")
	return f.Function == name || strings.HasPrefix(f.Function, name+".") ||
		s.Class != "" && inner != f.Function && slices.Contains(strings.Split(inner, "."), s.Function)
}

// wants reports whether a finding is of one of the rules.
func (d *defect) wants(f *report.Finding) bool {
	for _, r := range d.Rules {
		if f.Rule == r {
			return true
		}
	}
	return false
}

// A caseRunner runs cases, each in a process of its own, so that one that takes
// too long costs only itself.
type caseRunner struct {
	repos   map[string]string   // name -> git directory
	paths   map[string][]string // name -> what to analyze
	keep    string              // folder for the files, or "" for a temporary one
	timeout time.Duration
	focus   bool // report only on the file of the site, which is faster
	verbose bool
}

// runCases prints for each case whether it is met.
func runCases(args []string) error {
	flags := flag.NewFlagSet("cases", flag.ContinueOnError)
	var repos, paths list
	flags.Var(&repos, "repo", "`NAME=GITDIR` of a repository; cases of others are left out")
	flags.Var(&paths, "paths", "`NAME=PATH,PATH` to analyze of a repository, by default the folder of the site")
	only := flags.String("rules", "", "leave out cases without a rule that begins with one of these, separated by commas")
	which := flags.String("run", "", "leave out cases whose id does not match this `REGEXP`")
	r := caseRunner{repos: map[string]string{}, paths: map[string][]string{}}
	flags.StringVar(&r.keep, "keep", "", "keep the files of the commits in this `FOLDER`, for the next run")
	flags.DurationVar(&r.timeout, "timeout", 2*time.Minute, "give up on one commit after this time")
	flags.BoolVar(&r.focus, "focus", false, "name only the file of the site, as a hook does, which is faster")
	flags.BoolVar(&r.verbose, "v", false, "print all findings in the function, whatever their rule")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want one file of cases")
	}
	match, err := regexp.Compile(*which)
	if err != nil {
		return err
	}
	for _, pair := range repos {
		name, dir, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("-repo %s: want NAME=GITDIR", pair)
		}
		r.repos[name] = dir
	}
	for _, pair := range paths {
		name, list, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("-paths %s: want NAME=PATH,PATH", pair)
		}
		r.paths[name] = strings.Split(list, ",")
	}
	if r.keep == "" {
		if r.keep, err = os.MkdirTemp("", "kvbench"); err != nil {
			return err
		}
		defer os.RemoveAll(r.keep)
	}
	all, err := readCases(flags.Arg(0))
	if err != nil {
		return err
	}
	met, ran, known := 0, 0, 0
	for i := range all {
		d := &all[i]
		if r.repos[d.Repo] == "" || !match.MatchString(d.ID) || !d.wantsOneOf(*only) {
			continue
		}
		ran++
		switch {
		case r.run(os.Stdout, d):
			met++
		case d.Missed != "":
			fmt.Printf("        known: %s\n", d.Missed)
			known++
		}
	}
	fmt.Printf("%d of %d met\n", met, ran)
	switch {
	case ran == 0:
		return errors.New("no case of the repositories given is left")
	case met+known < ran:
		return fmt.Errorf("%d cases are not met", ran-met-known)
	}
	return nil
}

func (d *defect) wantsOneOf(prefixes string) bool {
	for _, r := range d.Rules {
		if hasOneOf(r, prefixes) {
			return true
		}
	}
	return false
}

func readCases(name string) ([]defect, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []defect
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var d defect
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", name, len(all)+1, err)
		}
		all = append(all, d)
	}
}

// run runs one case and prints its result.
func (r *caseRunner) run(w io.Writer, d *defect) bool {
	before, took, err := r.at(d, d.Parent)
	if err != nil {
		fmt.Fprintf(w, "ERROR   %s: parent: %v\n", d.ID, err)
		return false
	}
	result := "missed"
	spoke := hits(d, before)
	var after []report.Finding
	if spoke > 0 {
		result = "met"
		var tookAfter time.Duration
		if after, tookAfter, err = r.at(d, d.Fix); err != nil {
			fmt.Fprintf(w, "ERROR   %s: fix: %v\n", d.ID, err)
			return false
		}
		took += tookAfter
		if hits(d, after) > 0 {
			result = "stays"
		}
	}
	fmt.Fprintf(w, "%-7s %s (%s, %.1fs)\n", result, d.ID, strings.Join(d.Rules, ", "), took.Seconds())
	r.printFindings(w, d, "parent", before)
	r.printFindings(w, d, "fix", after)
	return result == "met"
}

// hits counts the findings that a case asks for.
func hits(d *defect, findings []report.Finding) int {
	n := 0
	for i := range findings {
		if f := &findings[i]; d.Site.holds(f) && d.wants(f) {
			n++
		}
	}
	return n
}

func (r *caseRunner) printFindings(w io.Writer, d *defect, when string, findings []report.Finding) {
	for i := range findings {
		f := &findings[i]
		if d.Site.holds(f) && (r.verbose || d.wants(f)) {
			fmt.Fprintf(w, "          %s: %s at %d, %s: %s\n", when, f.Rule, f.Line, strings.Join(f.Containers, ", "), f.Message)
		}
	}
}

// at returns the findings at a commit.
func (r *caseRunner) at(d *defect, commit string) ([]report.Finding, time.Duration, error) {
	paths := d.Paths
	if paths == nil {
		paths = r.paths[d.Repo]
	}
	if paths == nil {
		paths = []string{path.Dir(d.Site.File)}
	}
	folder := filepath.Join(r.keep, strings.ReplaceAll(d.Repo, "/", "+"), commit)
	if err := extract(r.repos[d.Repo], commit, folder, paths); err != nil {
		return nil, 0, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	args := []string{"findings", "-rules", d.families(r.verbose)}
	if r.focus {
		args = append(args, "-target", d.Site.File)
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, append(args, folder)...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if ctx.Err() != nil {
		return nil, took, fmt.Errorf("not done after %v", r.timeout)
	}
	if err != nil {
		return nil, took, err
	}
	var findings []report.Finding
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var f report.Finding
		if err := dec.Decode(&f); err != nil {
			return nil, took, err
		}
		findings = append(findings, f)
	}
	return findings, took, nil
}

// families returns the rules to run: those of the case, or all of them.
func (d *defect) families(all bool) string {
	if all {
		return ""
	}
	return strings.Join(d.Rules, ",")
}
