package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
)

func newMap(env *environment) *cobra.Command {
	flags := checkFlags{maps: true, mapsOnly: true}
	flags.output.fallback = "text"
	var format string
	var filter report.MapFilter
	cmd := &cobra.Command{
		Use:   "map [PATH...]",
		Short: "show the containers of each key group: who touches them, on which thread, under which lock",
		Long: `Map shows, for each component and each key, the containers that the key
indexes: where each is created, and every access with its function, the
entrypoints that reach it, the locks that are held and the condition that it is
under. Then come the entrypoints with the places that start them, and the
statuses with who writes and who reads each.

The containers are those that code in the given files and folders creates or
touches; by default the working directory.`,
		Example: `  kvrace map python/sglang/srt/disaggregation --key room
  kvrace map . --container outcomes --format markdown`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			s, err := newSession(cmd, env, &flags, args)
			if err != nil {
				return err
			}
			return s.printMap(cmd.Context(), format, filter)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&format, "format", "f", "text", "print the map as `text|json|markdown`")
	fs.StringVarP(&flags.output.file, "output", "o", "", "write the map to `FILE`")
	fs.StringVar(&flags.output.color, "color", "auto", "colour the text on the standard output: `auto|always|never`")
	fs.StringVar(&filter.Container, "container", "", "show only the container with this `NAME`, as jobs or Manager.jobs")
	fs.StringVar(&filter.Key, "key", "", "show only the groups with an access that writes its key as `NAME`")
	fs.StringVar(&filter.Entrypoint, "entrypoint", "", "show only what the entrypoint with this `NAME` reaches")
	completeWords(cmd, "format", "text", "json", "markdown")
	completeWords(cmd, "color", "auto", "always", "never")
	flags.registerProgram(cmd, env)
	return cmd
}

// printMap analyzes the program and writes the key groups that the filter lets
// pass.
func (s *session) printMap(ctx context.Context, format string, filter report.MapFilter) error {
	opt := report.TextOptions{}
	if s.flags.output.file == "" {
		opt = s.textOptions()
	}
	write := map[string]func(io.Writer, *report.Run) error{
		"text":     func(w io.Writer, run *report.Run) error { return report.MapText(w, run, opt) },
		"json":     report.MapJSON,
		"markdown": report.MapMarkdown,
	}[format]
	if write == nil {
		return fmt.Errorf("--format: no format is called %q; see kvrace map --help", format)
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	run, err := s.analyze(ctx, nil)
	if err != nil {
		return err
	}
	s.printErrors(run)
	run.Maps = filter.Apply(run.Maps)
	if file := s.flags.output.file; file != "" {
		err = s.env.writeFile(file, func(w io.Writer) error { return write(w, run) })
	} else {
		err = writeError("standard output", write(s.env.stdout, run))
	}
	if err == nil && len(run.Errors) > 0 {
		return errReported
	}
	return err
}
