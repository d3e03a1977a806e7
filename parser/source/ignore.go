package source

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Ignore rules as in gitignore(5): the innermost file that has a matching rule
// decides, and in it the last such rule. Nothing inside a folder that is left
// out can be brought back, which follows from the walk not entering it. Two
// departures, both in favour of looking: POSIX character classes such as
// [[:space:]] never match, and letter case always counts.
//
// The matcher is ours because a rule here is tried on each entry of the tree:
// most rules are plain names or suffixes, which cost a comparison. Everything
// else goes to doublestar.

const ignoreName = ".gitignore"

// An ignoreFile is the rules of one file, and a link to those outside of it.
type ignoreFile struct {
	outer *ignoreFile
	dir   string // the folder that patterns are relative to
	rules []ignoreRule
}

// ruleKind says how a rule is matched.
type ruleKind int

const (
	ruleName   ruleKind = iota // base name equals text
	ruleSuffix                 // base name ends in text
	ruleBase                   // glob over the base name
	rulePath                   // glob over the relative path
)

// An ignoreRule is one line of an ignore file.
type ignoreRule struct {
	text    string
	kind    ruleKind
	keep    bool // the line starts with !
	dirOnly bool // the line ends in /
}

// match reports whether the entry p, called name, is left out.
func (f *ignoreFile) match(p, name string, isDir bool) bool {
	for ; f != nil; f = f.outer {
		for i := len(f.rules) - 1; i >= 0; i-- {
			r := &f.rules[i]
			if (isDir || !r.dirOnly) && r.match(f.dir, p, name) {
				return !r.keep
			}
		}
	}
	return false
}

func (r *ignoreRule) match(dir, p, name string) bool {
	switch r.kind {
	case ruleName:
		return name == r.text
	case ruleSuffix:
		return strings.HasSuffix(name, r.text)
	case ruleBase:
		ok, err := doublestar.Match(r.text, name)
		return ok && err == nil
	default:
		ok, err := doublestar.Match(r.text, relName(dir, p))
		return ok && err == nil
	}
}

// inside returns the rules that hold for the entries of dir: those of its own
// ignore file before f. A repository of its own starts afresh.
func (f *ignoreFile) inside(dir string, entries []fs.DirEntry) (*ignoreFile, error) {
	for _, e := range entries {
		switch {
		case e.Name() == ".git" && (f == nil || f.dir != dir):
			f = repoIgnores(dir)
		case e.Name() == ignoreName && e.Type().IsRegular():
			b, err := os.ReadFile(path.Join(dir, ignoreName))
			if err != nil {
				return f, err
			}
			return f.with(dir, b), nil
		}
	}
	return f, nil
}

// with adds the rules in text, which are relative to dir, in front of f.
func (f *ignoreFile) with(dir string, text []byte) *ignoreFile {
	rules := parseIgnore(text)
	if len(rules) == 0 {
		return f
	}
	return &ignoreFile{outer: f, dir: dir, rules: rules}
}

// parseIgnore returns the rules of an ignore file, in order.
func parseIgnore(text []byte) []ignoreRule {
	var rules []ignoreRule
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(text), "\n") {
		line = trimBlanks(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		if r, ok := parseRule(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// trimBlanks cuts trailing blanks that no backslash quotes.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// parseRule turns one line into a rule; a line without a pattern has none.
func parseRule(line string) (ignoreRule, bool) {
	var r ignoreRule
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	if strings.Contains(line, "/") {
		r.kind, r.text = rulePath, translate(strings.TrimPrefix(line, "/"))
		return r, r.text != ""
	}
	switch rest := strings.TrimPrefix(line, "*"); {
	case !strings.ContainsAny(line, `*?[\`):
		r.kind, r.text = ruleName, line
	case rest != line && !strings.ContainsAny(rest, `*?[\`):
		r.kind, r.text = ruleSuffix, rest
	default:
		r.kind, r.text = ruleBase, translate(line)
	}
	return r, true
}

// translate turns a pattern into doublestar's language, in which a/** matches
// a itself, braces mean alternatives, a negated class matches a slash, and only
// two asterisks that are alone between slashes may cross folders.
func translate(pattern string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			c = pattern[i]
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if i+1 < len(pattern) && (pattern[i+1] == '!' || pattern[i+1] == '^') {
				b.WriteString("[!")
				i, c = i+1, '/'
			}
		case c == '{' || c == '}':
			b.WriteByte('\\')
		case c == '*':
			end := i
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			alone := (i == 0 || pattern[i-1] == '/') && (end == len(pattern) || pattern[end] == '/')
			if alone && end-i > 1 {
				b.WriteByte('*')
			}
			i = end - 1
		}
		b.WriteByte(c)
	}
	if strings.HasSuffix(b.String(), "/**") {
		b.WriteString("/*")
	}
	return b.String()
}

// outerIgnores returns the rules that hold in dir because of the folders
// above it, up to the root of its repository if there is one, else up to the
// root of its project.
func outerIgnores(dir string) *ignoreFile {
	top := dir
	for d := dir; ; d = parent(d) {
		if exists(path.Join(d, ".git")) {
			top = d
			break
		}
		if parent(d) == d {
			top = findProject(dir, true).dir
			break
		}
	}
	f := repoIgnores(top)
	var between []string
	for d := dir; d != top; d = parent(d) {
		between = append(between, parent(d))
	}
	for i := len(between) - 1; i >= 0; i-- {
		b, err := os.ReadFile(path.Join(between[i], ignoreName))
		if err == nil {
			f = f.with(between[i], b)
		}
	}
	return f
}

// repoIgnores returns the rules of the repository at top that stand outside of
// its files: the user's own and $GIT_DIR/info/exclude. Unreadable files count
// as absent, as in git.
func repoIgnores(top string) *ignoreFile {
	gitDir := commonGitDir(top)
	f := &ignoreFile{dir: top}
	if b, err := os.ReadFile(excludesFile(gitDir)); err == nil {
		f = f.with(top, b)
	}
	if gitDir != "" {
		if b, err := os.ReadFile(path.Join(gitDir, "info", "exclude")); err == nil {
			f = f.with(top, b)
		}
	}
	return f
}

// commonGitDir returns the folder with the repository's shared files, or ""
// if top has no repository. In a linked work tree .git is a file that names
// the private folder, whose file commondir names the shared one
// (gitrepository-layout(5)).
func commonGitDir(top string) string {
	dir := path.Join(top, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		private, ok := strings.CutPrefix(firstLine(dir), "gitdir: ")
		if !ok {
			return ""
		}
		dir = joinSlash(top, private)
	}
	if common := firstLine(path.Join(dir, "commondir")); common != "" {
		dir = joinSlash(dir, common)
	}
	return dir
}

// excludesFile returns the file that core.excludesFile names, or its default
// (git-config(1)). Included configuration files are not followed.
func excludesFile(gitDir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	home = filepath.ToSlash(home)
	xdg := filepath.ToSlash(os.Getenv("XDG_CONFIG_HOME"))
	if xdg == "" {
		xdg = path.Join(home, ".config")
	}
	name := path.Join(xdg, "git", "ignore")
	configs := []string{path.Join(xdg, "git", "config"), path.Join(home, ".gitconfig")}
	if gitDir != "" {
		configs = append(configs, path.Join(gitDir, "config"))
	}
	for _, config := range configs {
		if v := gitConfigValue(config, "core", "excludesfile"); v != "" {
			if rest, ok := strings.CutPrefix(v, "~/"); ok {
				v = path.Join(home, rest)
			}
			name = filepath.ToSlash(v)
		}
	}
	return name
}

// gitConfigValue returns the last value of a key in a git configuration file,
// or "". It knows neither continued lines nor included files.
func gitConfigValue(file, section, key string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	value, inside := "", false
	for scan := bufio.NewScanner(bytes.NewReader(b)); scan.Scan(); {
		line := strings.TrimSpace(scan.Text())
		if strings.HasPrefix(line, "[") {
			inside = strings.EqualFold(line, "["+section+"]")
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if ok && inside && strings.EqualFold(strings.TrimSpace(k), key) {
			value = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return value
}

// firstLine returns the first line of a file, or "" if there is none.
func firstLine(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// joinSlash returns p relative to dir, with slashes.
func joinSlash(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.ToSlash(p)
	}
	return path.Join(dir, filepath.ToSlash(p))
}
