package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kvrace/kvrace/cmd/internal/peak"
)

// A contender is a command whose processor time is measured.
type contender struct {
	name  string
	args  []string
	stdin string
	times []time.Duration
	peak  int64 // bytes of memory, 0 if unknown
}

// astRules are what ast-grep looks for: three of the shapes that kvrace knows
// much more about.
const astRules = `id: removal
language: python
rule: {pattern: "$D.pop($K, None)"}
---
id: thread
language: python
rule: {pattern: threading.Thread($$$A)}
---
id: check-then-act
language: python
rule:
  kind: if_statement
  has: {field: condition, kind: comparison_operator, pattern: $K in $D}
`

// words are what ripgrep looks for.
var words = []string{`threading\.Thread\(`, `\.pop\(`, `\bdel `, `create_task\(`, `\.discard\(`, `add_done_callback\(`}

// peersBenchmark measures kvrace on a tree beside other tools, in turns.
func peersBenchmark(args []string) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often each command runs")
	only := flags.String("only", "", "the contenders, separated by commas; empty for all that are installed")
	python := flags.String("python", "python3", "the Python interpreter")
	rg := flags.String("rg", "rg", "ripgrep")
	astGrep := flags.String("ast-grep", "ast-grep", "ast-grep")
	pylint := flags.String("pylint", "pylint", "pylint")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *rounds < 1 {
		return errors.New("want one tree and at least one round")
	}
	tree := flags.Arg(0)
	kvrace, remove, err := buildKvrace()
	if err != nil {
		return err
	}
	defer remove()
	sources, err := readTree(tree)
	if err != nil {
		return err
	}
	var files strings.Builder
	size := 0
	for _, s := range sources {
		fmt.Fprintln(&files, s.name)
		size += len(s.text)
	}
	rgArgs := []string{*rg, "-t", "py", "-c"}
	for _, w := range words {
		rgArgs = append(rgArgs, "-e", w)
	}
	contenders := []*contender{
		{name: "kvrace", args: []string{kvrace, "check", "--isolated", "--no-cache", "--exit-zero", "--format", "compact", tree}},
		{name: "ripgrep", args: append(rgArgs, tree)},
		{name: "ast-grep", args: []string{*astGrep, "scan", "--inline-rules", astRules, "--json=stream", tree}},
		{name: "ast.parse", args: []string{*python, "-W", "ignore", "-c", astParse}, stdin: files.String() + "\nonce\n"},
		{name: "pylint", args: []string{*pylint, "-j", "1", "--recursive=y", tree}},
		{name: "start", args: []string{kvrace, "version"}},
	}
	contenders = slices.DeleteFunc(contenders, func(c *contender) bool {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), c.name) {
			return true
		}
		_, err := exec.LookPath(c.args[0])
		if err != nil {
			fmt.Printf("%s is not installed: %v\n", c.name, err)
		}
		return err != nil
	})
	if len(contenders) == 0 {
		return errors.New("nothing to measure")
	}
	fmt.Printf("%d files, %.2f MB, processor time, median of %d\n", len(sources), float64(size)/1e6, *rounds)
	if err := takeTurns(contenders, *rounds); err != nil {
		return err
	}
	printContenders(contenders)
	return nil
}

// takeTurns runs the contenders one after the other, round by round.
func takeTurns(contenders []*contender, rounds int) error {
	for range rounds {
		for _, c := range contenders {
			if err := c.run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// run measures one run. The exit status tells of findings and is no matter.
func (c *contender) run() error {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Stdin = strings.NewReader(c.stdin)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	c.times = append(c.times, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	c.peak = max(c.peak, peak.Of(cmd.ProcessState))
	return nil
}

func (c *contender) median() time.Duration {
	slices.Sort(c.times)
	return c.times[len(c.times)/2]
}

// printContenders prints a line for each, with its ratio to the first.
func printContenders(contenders []*contender) {
	first := contenders[0].median()
	for _, c := range contenders {
		fmt.Printf("%-20s %10v  %s / %s = %.3g  peak %d MB\n", c.name, c.median().Round(time.Millisecond),
			contenders[0].name, c.name, first.Seconds()/c.median().Seconds(), c.peak>>20)
	}
}

// buildKvrace builds the program as a release is built.
func buildKvrace() (name string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "kvbench")
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join(dir, "kvrace")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, "github.com/kvrace/kvrace/cmd/kvrace")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		os.RemoveAll(dir)
		return "", nil, fmt.Errorf("build kvrace: %w", err)
	}
	return name, func() { os.RemoveAll(dir) }, nil
}

// sizesBenchmark measures kvrace on parts and copies of a tree, in turns.
func sizesBenchmark(args []string) error {
	flags := flag.NewFlagSet("sizes", flag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "how often each size runs")
	rule := flags.String("rule", "", "the only rule to run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *rounds < 1 {
		return errors.New("want one tree and at least one round")
	}
	kvrace, remove, err := buildKvrace()
	if err != nil {
		return err
	}
	defer remove()
	sources, err := readTree(flags.Arg(0))
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "kvbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var contenders []*contender
	for _, part := range []struct {
		name        string
		step, times int
	}{{"1/8", 8, 1}, {"1/4", 4, 1}, {"1/2", 2, 1}, {"whole", 1, 1}, {"twice", 1, 2}} {
		dir := filepath.Join(scratch, strings.ReplaceAll(part.name, "/", "_"))
		size := 0
		for copied := range part.times {
			for i := 0; i < len(sources); i += part.step {
				rel, err := filepath.Rel(flags.Arg(0), sources[i].name)
				if err != nil {
					return err
				}
				name := filepath.Join(dir, fmt.Sprint("copy", copied), rel)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					return err
				}
				if err := os.WriteFile(name, sources[i].text, 0o666); err != nil {
					return err
				}
				size += len(sources[i].text)
			}
		}
		command := []string{kvrace, "check", "--isolated", "--no-cache", "--exit-zero", "--format", "compact", dir}
		if *rule != "" {
			command = append(command, "--select", *rule)
		}
		contenders = append(contenders, &contender{name: fmt.Sprintf("%s, %.2f MB", part.name, float64(size)/1e6), args: command})
	}
	if err := takeTurns(contenders, *rounds); err != nil {
		return err
	}
	printContenders(contenders)
	return nil
}
