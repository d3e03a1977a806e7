// Package config reads kvrace's configuration: kvrace.toml, or the table
// [tool.kvrace] of pyproject.toml. Unknown keys, wrong types and unknown
// values are errors with a position. Each value remembers where it came from.
package config

import (
	"encoding"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/report"
)

// A Config is a whole configuration. [Default] returns the one that holds
// when nothing is configured; the zero value selects no rule.
type Config struct {
	// Select and Ignore choose rules; the longest selector that fits a rule
	// decides, Ignore among equals.
	Select []Selector `toml:"select"`
	Ignore []Selector `toml:"ignore"`
	// PerFileIgnores maps a pattern of files to rules left out in them.
	PerFileIgnores map[string][]Selector `toml:"per-file-ignores"`
	// Include and Exclude are patterns of files, as in source.Options.
	Include []string `toml:"include"`
	Exclude []string `toml:"exclude"`
	// Confidence is the least confidence of a finding that is reported.
	Confidence report.Confidence `toml:"confidence"`
	// FailOn is the least severity of a finding that makes the exit status 1.
	FailOn report.Severity `toml:"fail-on"`
	// Severity overrides the severity of rules, by ID.
	Severity map[string]report.Severity `toml:"severity"`
	// PythonVersion is the oldest Python that the program must run on.
	PythonVersion Version `toml:"python-version"`
	// FreeThreaded tells that the program runs without the GIL. No rule asks yet.
	FreeThreaded bool `toml:"free-threaded"`

	// Hooks names functions that a framework calls, by what they are for, in
	// addition to those that are inferred.
	Hooks Hooks `toml:"hooks"`
	// TerminalValues names status values, such as Status.DONE, after which a
	// poller lets go of a request.
	TerminalValues []string `toml:"terminal-values"`
	// Resources are pairs of functions that must balance.
	Resources []Resource `toml:"resources"`
	// Locks names attributes that exclude like a lock though their type is
	// unknown.
	Locks []string `toml:"locks"`
	// Threads maps a qualified function name, or a pattern of them, to the
	// role of the thread that calls it.
	Threads map[string]string `toml:"threads"`

	// Origins says where each value that is not a default came from, by its
	// dotted key, such as "severity.KV101".
	Origins map[string]Origin `toml:"-"`
	// File is the file that was read, or "".
	File string `toml:"-"`
}

// Hooks are names of methods by purpose.
type Hooks struct {
	Poll  []string `toml:"poll"`  // asks for the status of a request
	Send  []string `toml:"send"`  // hands over work for a request
	Abort []string `toml:"abort"` // ends a request early
	Fail  []string `toml:"fail"`  // reports that a request failed
	Clear []string `toml:"clear"` // forgets a request
}

// A Resource is a pair of functions, by name.
type Resource struct {
	Acquire string `toml:"acquire"`
	Release string `toml:"release"`
}

// An Origin is the place of a value: a flag, or a position in a file.
type Origin struct {
	Source       string // file name, or flag with its dashes
	Line, Column int    // 0 for a flag
}

// String returns "file:line" or the flag.
func (o Origin) String() string {
	if o.Line == 0 {
		return o.Source
	}
	return o.Source + ":" + strconv.Itoa(o.Line)
}

// A Selector chooses rules by the start of their ID: KV101, KV1, KV, or ALL.
type Selector string

var selectorSyntax = regexp.MustCompile(`^(ALL|KV[0-9]{0,3})$`)

var _ encoding.TextUnmarshaler = (*Selector)(nil)

// UnmarshalText accepts a rule ID, the start of one, or ALL.
func (s *Selector) UnmarshalText(b []byte) error {
	if !selectorSyntax.Match(b) {
		return fmt.Errorf("%q is not a rule ID, the start of one, or ALL", b)
	}
	*s = Selector(b)
	return nil
}

// ParseSelectors accepts selectors that commas separate.
func ParseSelectors(list string) ([]Selector, error) {
	var selectors []Selector
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		var s Selector
		if err := s.UnmarshalText([]byte(part)); err != nil {
			return nil, err
		}
		selectors = append(selectors, s)
	}
	return selectors, nil
}

// Matches reports whether the selector chooses the rule with the given ID.
func (s Selector) Matches(id string) bool {
	return s == "ALL" || strings.HasPrefix(id, string(s))
}

// weight orders selectors by how exact they are.
func (s Selector) weight() int {
	if s == "ALL" {
		return 0
	}
	return len(s)
}

// Enabled reports whether the rule with the given ID is selected.
func (c *Config) Enabled(id string) bool {
	in, out := best(c.Select, id), best(c.Ignore, id)
	return in >= 0 && in > out
}

// IgnoredIn reports whether a rule is left out in the files of one of the
// patterns; match tells whether a pattern matches.
func (c *Config) IgnoredIn(id string, match func(pattern string) bool) bool {
	for pattern, selectors := range c.PerFileIgnores {
		if best(selectors, id) >= 0 && match(pattern) {
			return true
		}
	}
	return false
}

// best returns the weight of the most exact selector for a rule, or -1.
func best(selectors []Selector, id string) int {
	w := -1
	for _, s := range selectors {
		if s.Matches(id) {
			w = max(w, s.weight())
		}
	}
	return w
}

// A Version is a version of Python, as in "3.12".
type Version struct{ parser.Version }

// UnmarshalText accepts a version that the parser knows.
func (v *Version) UnmarshalText(b []byte) (err error) {
	v.Version, err = parser.ParseVersion(string(b))
	return err
}

// MarshalText returns the version as String does.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Default returns the configuration that holds when nothing is configured.
func Default() *Config {
	return &Config{
		Select:        []Selector{"ALL"},
		Confidence:    report.Likely,
		FailOn:        report.SeverityNote,
		PythonVersion: Version{parser.Newest},
		Origins:       make(map[string]Origin),
	}
}

// Table returns what the configuration tells the analysis about the program, or
// nil.
func (c *Config) Table() *directives.Table {
	t := directives.Table{
		Hooks: slices.Concat(c.Hooks.Poll, c.Hooks.Send, c.Hooks.Abort, c.Hooks.Fail, c.Hooks.Clear),
		Polls: c.Hooks.Poll, Clears: c.Hooks.Clear, Terminal: c.TerminalValues, Locks: c.Locks,
	}
	for _, r := range c.Resources {
		t.Pairs = append(t.Pairs, directives.Pair(r))
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.Threads)) {
		t.Threads = append(t.Threads, directives.ThreadOf{Pattern: pattern, Thread: c.Threads[pattern]})
	}
	if len(t.Hooks)+len(t.Terminal)+len(t.Locks)+len(t.Pairs)+len(t.Threads) == 0 {
		return nil
	}
	return &t
}

// Override records that a flag sets the value of a key.
func (c *Config) Override(key, flag string) {
	for k := range c.Origins {
		if k == key || strings.HasPrefix(k, key+".") {
			delete(c.Origins, k)
		}
	}
	c.Origins[key] = Origin{Source: flag}
}

// Check returns an [Error] for each selector, sorted by position, that no
// rule answers to. The IDs are those of all rules.
func (c *Config) Check(ids []string) []error {
	var errs []error
	check := func(key string, s Selector) {
		if !slices.ContainsFunc(ids, s.Matches) {
			errs = append(errs, c.errorAt(key, fmt.Sprintf("no rule is called %s", s)))
		}
	}
	for i, s := range c.Select {
		check(fmt.Sprintf("select.%d", i), s)
	}
	for i, s := range c.Ignore {
		check(fmt.Sprintf("ignore.%d", i), s)
	}
	for pattern, selectors := range c.PerFileIgnores {
		for i, s := range selectors {
			check(fmt.Sprintf("per-file-ignores.%s.%d", pattern, i), s)
		}
	}
	for id := range c.Severity {
		if !slices.Contains(ids, id) {
			errs = append(errs, c.errorAt("severity."+id, fmt.Sprintf("no rule is called %s", id)))
		}
	}
	sortErrors(errs)
	return errs
}

// checkValues returns an Error for each value that has the right type and is
// wrong all the same.
func (c *Config) checkValues() []error {
	var errs []error
	pattern := func(key, p string) {
		if !doublestar.ValidatePattern(p) {
			errs = append(errs, c.errorAt(key, fmt.Sprintf("%q is not a pattern", p)))
		}
	}
	// The decoder passes UnmarshalText over for elements of arrays.
	selectors := func(key string, list []Selector) {
		for i, s := range list {
			if err := new(Selector).UnmarshalText([]byte(s)); err != nil {
				errs = append(errs, c.errorAt(fmt.Sprintf("%s.%d", key, i), err.Error()))
			}
		}
	}
	selectors("select", c.Select)
	selectors("ignore", c.Ignore)
	for i, p := range c.Include {
		pattern(fmt.Sprintf("include.%d", i), p)
	}
	for i, p := range c.Exclude {
		pattern(fmt.Sprintf("exclude.%d", i), p)
	}
	for p := range c.PerFileIgnores {
		pattern("per-file-ignores."+p, p)
		selectors("per-file-ignores."+p, c.PerFileIgnores[p])
	}
	for i, r := range c.Resources {
		if r.Acquire == "" || r.Release == "" {
			errs = append(errs, c.errorAt(fmt.Sprintf("resources.%d", i), "a resource needs acquire and release"))
		}
	}
	for p, thread := range c.Threads {
		if _, err := path.Match(p, ""); err != nil {
			errs = append(errs, c.errorAt("threads."+p, fmt.Sprintf("%q is not a pattern", p)))
		}
		if thread == "" {
			errs = append(errs, c.errorAt("threads."+p, "a thread needs a name"))
		}
	}
	sortErrors(errs)
	return errs
}

// errorAt returns an Error at the origin of a key, or of the nearest key
// above it.
func (c *Config) errorAt(key, message string) error {
	for {
		if o, ok := c.Origins[key]; ok {
			return &Error{File: o.Source, Line: o.Line, Column: o.Column, Message: message}
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return &Error{File: c.File, Message: message}
		}
		key = key[:i]
	}
}
