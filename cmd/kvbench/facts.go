package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/parser/facts/syntax"
)

// factStages are what factsBenchmark measures, in order.
var factStages = [...]string{"parse", "index", "access programs", "components", "statuses"}

// stageTimes is the processor time of each stage.
type stageTimes [len(factStages)]time.Duration

func (t stageTimes) total() time.Duration {
	var sum time.Duration
	for _, d := range t {
		sum += d
	}
	return sum
}

// factsBenchmark measures the stages before the rules, on one core.
func factsBenchmark(args []string) error {
	flags := flag.NewFlagSet("facts", flag.ContinueOnError)
	rounds := flags.Int("rounds", 7, "how often the facts are built")
	profile := flags.String("cpuprofile", "", "write a profile to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *rounds < 1 {
		return errors.New("want one tree and at least one round")
	}
	root := flags.Arg(0)
	sources, err := readTree(root)
	if err != nil {
		return err
	}
	texts := map[string][]byte{}
	var names []string
	for _, s := range sources {
		name, err := filepath.Rel(root, s.name)
		if err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(name))
		texts[filepath.ToSlash(name)] = s.text
	}
	runtime.GOMAXPROCS(1)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as kvrace does
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	read := func(name string) ([]byte, error) { return texts[name], nil }
	var all []stageTimes
	for range *rounds {
		all = append(all, buildFacts(names, read))
	}
	slices.SortFunc(all, func(a, b stageTimes) int { return int(a.total() - b.total()) })
	fmt.Printf("%d files, %d rounds on one core, processor time\n", len(names), *rounds)
	fmt.Printf("%-16s %9s %9s\n", "", "best", "median")
	best, median := all[0], all[len(all)/2]
	for i, stage := range factStages {
		fmt.Printf("%-16s %9s %9s\n", stage, milliseconds(best[i]), milliseconds(median[i]))
	}
	fmt.Printf("%-16s %9s %9s\n", "all", milliseconds(best.total()), milliseconds(median.total()))
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1e3) }

// buildFacts builds the facts once. The garbage of the round before is
// collected first.
func buildFacts(names []string, read func(string) ([]byte, error)) stageTimes {
	runtime.GC()
	var times stageTimes
	stage := 0
	last := cpuTime()
	next := func() {
		now := cpuTime()
		times[stage] = now - last
		stage++
		last = now
	}
	syn := syntax.Parse(names, read, token.NewFileSet(), 0)
	next()
	index := program.New(syn.Modules)
	next()
	graphs := flow.Build(index)
	next()
	components := component.Build(graphs)
	next()
	for _, c := range components {
		status.InferWith(c, status.DefaultWords, nil)
	}
	next()
	return times
}
