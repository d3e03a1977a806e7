package main

import (
	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
)

func newAudit(env *environment) *cobra.Command {
	flags := checkFlags{exitZero: true, maps: true}
	flags.output.own = report.AuditFormats
	cmd := &cobra.Command{
		Use:   "audit [TREE...]",
		Short: "write the whole report on a tree, for those who operate it",
		Long: `Audit reports everything about a tree in one document: the findings, how each
goes wrong and how to repair it, the containers of each key group, and what
could not be analyzed. It is Markdown on the standard output unless --format
says otherwise; --format html=FILE writes a page that loads nothing else.

Findings do not change the exit status: it is 2 if anything could not be done,
else 0.`,
		Example: `  kvrace audit python/sglang --format html=audit.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			s, err := newSession(cmd, env, &flags, args)
			if err != nil {
				return err
			}
			return s.check(cmd.Context())
		},
	}
	flags.output.register(cmd, "markdown")
	flags.registerProgram(cmd, env)
	return cmd
}
