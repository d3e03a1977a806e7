package main

import (
	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/rules/config"
)

func newConfig(env *environment) *cobra.Command {
	var flags configFlags
	var schema bool
	cmd := &cobra.Command{
		Use:   "config [PATH...]",
		Short: "print the configuration in force for the paths, and where each value comes from",
		Long: `Config prints, as a kvrace.toml, the configuration that kvrace check would use
for the same paths and flags. A comment on each line names the file and line,
or the flag, that the value comes from.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				_, err := env.stdout.Write(config.Schema)
				return err
			}
			c, err := flags.load(cmd.Flags(), args, env.backend.rules)
			if err != nil {
				return err
			}
			return config.Print(env.stdout, c)
		},
	}
	flags.register(cmd, env)
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of the configuration instead")
	return cmd
}
