package report

import "io"

// A Format is one way of writing a [Run].
type Format struct {
	Name  string // as in --format
	About string // one line for the help text
	Write func(io.Writer, *Run) error
}

// Formats lists every format by name. Text stands here with the options that
// suit a file; for a terminal, call [Text].
var Formats = []Format{
	{"compact", "one line per finding, for editors", Compact},
	{"json", "the whole record, version 1", JSON},
	{"sarif", "SARIF 2.1.0, for code scanning and viewers", SARIF},
	{"text", "source, schedule and patch, for people", plainText},
}

// plainText is Text for files and pipes.
func plainText(w io.Writer, run *Run) error { return Text(w, run, TextOptions{}) }
