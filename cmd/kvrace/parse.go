package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/rules/config"
)

func newParse(env *environment) *cobra.Command {
	var version config.Version
	var versionText string
	var positions, quiet, stats bool
	cmd := &cobra.Command{
		Use:   "parse {FILE... | --stats PATH...}",
		Short: "print the syntax trees of Python files",
		Long: `Parse prints the syntax tree of each file as Python's ast.dump does, and its
syntax errors as path:line:col: message on the standard error. With errors the
exit status is 2. The file - is the standard input.

With --stats it parses all files of the paths, which may be folders, and prints
how many there are, their size, the throughput on one core without the time to
read them, and the number of errors, which go to the standard error.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if versionText != "" {
				if err := version.UnmarshalText([]byte(versionText)); err != nil {
					return fmt.Errorf("--python-version: %w", err)
				}
			}
			p := treePrinter{env: env, opt: parser.Options{Version: version.Version, Mode: parser.Check}, quiet: quiet}
			if positions {
				p.mode = ast.Positions
			}
			if stats {
				return p.stats(cmd.Context(), args)
			}
			return p.files(cmd.Context(), args)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&positions, "positions", false, "print positions too")
	fs.BoolVar(&stats, "stats", false, "print files, bytes, MB/s and errors of whole trees")
	fs.BoolVarP(&quiet, "quiet", "q", false, "print errors only")
	fs.StringVar(&versionText, "python-version", "", "`VERSION` of the grammar (default the newest)")
	return cmd
}

// A treePrinter prints syntax trees.
type treePrinter struct {
	env   *environment
	opt   parser.Options
	mode  ast.DumpMode
	quiet bool
}

// files prints the trees of all files that can be parsed, and the errors of
// the others.
func (p *treePrinter) files(ctx context.Context, names []string) error {
	failed := false
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := p.file(name)
		if errors.As(err, new(*writeFailure)) {
			return err
		}
		if err != nil {
			printError(p.env.stderr, err)
			failed = true
		}
	}
	if failed {
		return errReported
	}
	return nil
}

// stats parses the files of paths, one after the other, and prints what that
// took.
func (p *treePrinter) stats(ctx context.Context, paths []string) error {
	prog, problems := source.Load(ctx, paths, source.Options{Alone: true})
	faults := len(problems)
	for _, problem := range problems {
		printError(p.env.stderr, problem)
	}
	var took time.Duration
	files, size := 0, 0
	for i := range prog.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		src, err := prog.Read(i)
		if err != nil {
			printError(p.env.stderr, err)
			faults++
			continue
		}
		start := time.Now()
		_, err = parser.ParseFile(prog.Files[i].Name, src, p.opt)
		took += time.Since(start)
		files++
		size += len(src)
		var list parser.ErrorList
		if errors.As(err, &list) {
			faults += len(list)
			for _, e := range list {
				printError(p.env.stderr, e)
			}
		}
	}
	const format = "files %d, bytes %d, %.1f MB/s, errors %d\n"
	if _, err := fmt.Fprintf(p.env.stdout, format, files, size, float64(size)/1e6/max(took.Seconds(), 1e-9), faults); err != nil {
		return &writeFailure{"standard output", err}
	}
	if faults > 0 {
		return errReported
	}
	return nil
}

func (p *treePrinter) file(name string) error {
	src, err := p.read(name)
	if err != nil {
		return err
	}
	m, err := parser.ParseFile(name, src, p.opt)
	if err != nil {
		return err
	}
	if p.quiet {
		return nil
	}
	if _, err := fmt.Fprintln(p.env.stdout, ast.Dump(m, p.mode)); err != nil {
		return &writeFailure{"standard output", err}
	}
	return nil
}

func (p *treePrinter) read(name string) ([]byte, error) {
	if name == stdinArg {
		return io.ReadAll(io.LimitReader(p.env.stdin, source.DefaultMaxSize))
	}
	return source.ReadFile(name, source.DefaultMaxSize)
}
