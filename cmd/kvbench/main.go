// Command kvbench measures kvrace: beside the tools it is compared with, in
// turns within one run, since seconds differ from machine to machine and ratios
// do not, and on faults that were really repaired, before and after. BENCHMARKS.md
// records the results. It is not part of releases.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// benchmark is one measurement.
type benchmark struct {
	name  string
	usage string // of its arguments
	run   func(args []string) error
}

var benchmarks = []benchmark{
	{"cases", "-repo NAME=GITDIR... [-paths NAME=PATH,...]... [-rules KV1,...] [-run REGEXP] [-keep FOLDER] [-timeout DURATION] [-focus] [-v] CASES.jsonl", runCases},
	{"facts", "[-rounds N] [-cpuprofile FILE] TREE", factsBenchmark},
	{"findings", "[-target FILE]... [-rules KV1] [-patches] [-witness] FOLDER", listFindings},
	{"parser", "[-rounds N] [-python FILE] TREE", parserBenchmark},
	{"peers", "[-rounds N] [-only NAME,...] [-python FILE] [-rg FILE] [-ast-grep FILE] [-pylint FILE] TREE", peersBenchmark},
	{"sizes", "[-rounds N] [-rule KV101] TREE", sizesBenchmark},
}

func main() {
	if len(os.Args) > 1 {
		for _, b := range benchmarks {
			if b.name != os.Args[1] {
				continue
			}
			err := b.run(os.Args[2:])
			if errors.Is(err, flag.ErrHelp) {
				return // what it takes has been printed
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "kvbench %s: %v\n", b.name, err)
				os.Exit(1)
			}
			return
		}
	}
	for _, b := range benchmarks {
		fmt.Fprintf(os.Stderr, "usage: kvbench %s %s\n", b.name, b.usage)
	}
	os.Exit(2)
}
