package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/seeds"
)

// TestFixSeededFaults repairs faulty programs that are made from seeds: right
// fixtures and the repaired example into which changes put a fault, and small
// connectors in many spellings. The result parses under CPython, has no new
// finding, and repairing it again changes nothing. KVRACE_SEEDS is how many
// programs with a finding are tried; .ci/run asks for 300.
func TestFixSeededFaults(t *testing.T) {
	wanted := 12
	if n := os.Getenv("KVRACE_SEEDS"); n != "" {
		var err error
		if wanted, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	const shares = 4
	right := rightPrograms(t)
	for share := range uint64(shares) {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			t.Parallel()
			fixSeeds(t, right, share+1, shares, wanted/shares)
		})
	}
}

// fixSeeds tries every step-th seed until so many of them were faulty.
func fixSeeds(t *testing.T, right []string, seed, step uint64, wanted int) {
	dir := t.TempDir()
	var faulty, mutants, repaired, fixed int
	rules := map[string]int{}
	for ; faulty < wanted; seed += step {
		if seed > step*40*uint64(wanted) {
			t.Fatalf("the seeds up to %d gave only %d faulty programs", seed, faulty)
		}
		tree := filepath.Join(dir, fmt.Sprint("seed", seed))
		kinds := writeSeed(t, seed, right, tree)
		before := realFindings(t, tree)
		if len(before) == 0 {
			continue
		}
		faulty++
		if kinds != "connector" {
			mutants++
		}
		for _, f := range before {
			rules[f.Rule]++
		}
		was := contents(t, tree)
		realRun(t, "check", "--isolated", "--quiet", "--fix=review", tree)
		now := contents(t, tree)
		after := realFindings(t, tree)
		if !maps.Equal(was, now) {
			repaired++
		}
		fixed += len(before) - len(after)
		for fingerprint, f := range after {
			if _, ok := before[fingerprint]; !ok {
				t.Errorf("seed %d (%s): new finding: %s:%d %s %s", seed, kinds, f.File, f.Line, f.Rule, f.Message)
			}
		}
		realRun(t, "check", "--isolated", "--quiet", "--fix=review", tree)
		for name, src := range contents(t, tree) {
			if src != now[name] {
				t.Errorf("seed %d (%s): repairing %s again changed it", seed, kinds, name)
			}
		}
	}
	parseWithPython(t, dir)
	if faulty > 0 && (repaired == 0 || fixed <= 0) {
		t.Errorf("of %d faulty programs %d were changed, and %d findings repaired", faulty, repaired, fixed)
	}
	t.Logf("%d faulty programs, %d of them right ones before; %d changed, %d findings repaired; findings: %v", faulty, mutants, repaired, fixed, rules)
}

// rightPrograms returns the fixtures in which every rule is silent, and the
// repaired example.
func rightPrograms(t *testing.T) []string {
	t.Helper()
	safe, err := filepath.Glob("../../rules/*/testdata/*_safe*")
	if err != nil {
		t.Fatal(err)
	}
	return append(safe, "../../testdata/silentpin_fixed")
}

// writeSeed writes the program of a seed and returns what is wrong with it, as
// far as that is known.
func writeSeed(t *testing.T, seed uint64, right []string, tree string) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	if seed%10 == 0 {
		if err := os.MkdirAll(tree, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, "conn.py"), seeds.Connector(rng), 0o666); err != nil {
			t.Fatal(err)
		}
		return "connector"
	}
	from := right[rng.IntN(len(right))]
	if rng.IntN(5) == 0 {
		from = "../../testdata/silentpin_fixed"
	}
	copyPython(t, from, tree)
	files := pythonFiles(t, tree)
	slices.Sort(files)
	var kinds []string
	for range 1 + rng.IntN(4) {
		file := files[rng.IntN(len(files))]
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed, made := seeds.Mutate(rng, filepath.Base(file), src, 1)
		if err := os.WriteFile(file, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, made...)
	}
	return filepath.Base(from) + ": " + strings.Join(kinds, ", ")
}
