package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/rules/witness/replay"
)

// replayCommand is the name of the command that the program runs itself as.
const replayCommand = "replay-programs"

// newReplay returns the hidden command that executes reproducers for another
// process of this program.
func newReplay(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:    replayCommand,
		Short:  "execute reproducers that are on the standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return replay.Serve(env.stdin, env.stdout)
		},
	}
}

// executor returns the function that executes reproducers in a process of their
// own, or nil when this program cannot find itself.
func executor() func(context.Context, []string) ([]replay.Outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return replay.Child{Path: self, Args: []string{replayCommand}}.Run
}
