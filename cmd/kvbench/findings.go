package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
)

// list is a flag that can be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// listFindings prints the findings in a folder, one JSON object a line, without
// patches and schedules unless they are asked for.
func listFindings(args []string) error {
	flags := flag.NewFlagSet("findings", flag.ContinueOnError)
	var targets list
	flags.Var(&targets, "target", "report on this file only; can be given several times")
	only := flags.String("rules", "", "run the rules whose names begin with one of these, separated by commas")
	patches := flags.Bool("patches", false, "make and check patches")
	witness := flags.Bool("witness", false, "search for schedules")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("want one folder, not %d", flags.NArg())
	}
	opt := checker.Options{MinConfidence: report.Likely, NoPatches: !*patches, NoWitness: !*witness}
	for _, r := range rules.All {
		if hasOneOf(r.ID, *only) {
			opt.Rules = append(opt.Rules, r)
		}
	}
	for _, t := range targets {
		if opt.Targets == nil {
			opt.Targets = map[string]bool{}
		}
		opt.Targets[t] = true
	}
	return printFindings(os.Stdout, flags.Arg(0), opt)
}

// hasOneOf reports whether a rule begins with one of the prefixes, or whether
// there is none.
func hasOneOf(id, prefixes string) bool {
	for p := range strings.SplitSeq(prefixes, ",") {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}

func printFindings(w io.Writer, folder string, opt checker.Options) error {
	ctx := context.Background()
	prog, problems := source.Load(ctx, []string{folder}, source.Options{Root: folder, Alone: true})
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p.Error())
	}
	for _, f := range prog.Files {
		opt.Files = append(opt.Files, checker.File{Name: f.Name, Path: f.Path, Module: f.Module})
	}
	run, err := checker.Run(ctx, opt)
	if err != nil {
		return err
	}
	for _, e := range run.Errors {
		fmt.Fprintln(os.Stderr, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range run.Findings {
		if err := enc.Encode(&run.Findings[i]); err != nil {
			return err
		}
	}
	return nil
}
