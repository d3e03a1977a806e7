package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
)

func newExplain(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE...",
		Short: "print the page of a rule, given its ID or name",
		Args:  cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleCompletions(env.backend.rules), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var missing []error
			for i, arg := range args {
				rule, err := findRule(env.backend.rules, arg)
				if err != nil {
					missing = append(missing, err)
					continue
				}
				if i > 0 {
					fmt.Fprintln(env.stdout)
				}
				if err := explainRule(env.stdout, rule); err != nil {
					return err
				}
			}
			return errors.Join(missing...)
		},
	}
}

func newRules(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "list the rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(env.stdout, 0, 8, 2, ' ', 0)
			for _, r := range env.backend.rules {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Summary)
			}
			return w.Flush()
		},
	}
}

// findRule returns the rule with the given ID or name, in any case.
func findRule(rules []report.Rule, name string) (report.Rule, error) {
	for _, r := range rules {
		if strings.EqualFold(r.ID, name) || strings.EqualFold(r.Name, name) {
			return r, nil
		}
	}
	return report.Rule{}, fmt.Errorf("no rule is called %s; see kvrace rules", name)
}

// explainRule writes the page of a rule under a title.
func explainRule(w io.Writer, r report.Rule) error {
	_, err := fmt.Fprintf(w, "# %s: %s\n\nSeverity: %s\n\n%s\n", r.ID, r.Name, r.Severity, strings.TrimSpace(r.Doc))
	return err
}

// ruleCompletions returns what a shell may offer for a rule.
func ruleCompletions(rules []report.Rule) []string {
	var words []string
	for _, r := range rules {
		words = append(words, r.ID+"\t"+r.Name)
	}
	return words
}
