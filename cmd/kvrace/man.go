//go:build man

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommands returns the command that writes the manual pages. It is in a
// build of its own, so that the released program does not carry the generator.
func manCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use:    "man FOLDER",
		Short:  "write the manual pages into a folder",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "KVRACE", Section: "1", Source: "kvrace", Manual: "kvrace manual"}
			return doc.GenManTree(root, header, args[0])
		},
	}}
}
