package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// newRoot returns the command tree. A command is one file: its constructor
// stands in this list and nowhere else.
func newRoot(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "kvrace",
		Short:         "find requests that never conclude in Python KV connectors",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newAudit(env),
		newCheck(env),
		newConfig(env),
		newExplain(env),
		newParse(env),
		newReplay(env),
		newRules(env),
		newVersion(env),
	)
	if env.backend.maps {
		root.AddCommand(newMap(env))
	}
	if env.backend.reproduces {
		root.AddCommand(newRepro(env))
	}
	root.AddCommand(manCommands()...)
	return root
}

// isPositional reports whether the message of an error begins with the place
// it speaks of.
func isPositional(err error) bool {
	if _, ok := errors.AsType[*config.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[parser.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[source.Problem](err); ok {
		return true
	}
	_, ok := errors.AsType[report.Error](err)
	return ok
}

// printable returns s with everything quoted that a terminal would obey.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
