// Package taught joins what people tell the analysis about a program, in
// comments and in tables of the configuration, with the classes, functions and
// attributes that they speak of.
//
// What is taught wins over what is inferred: it is there for what the program
// does not show, such as a lock that the framework takes, or a thread of a
// library that calls back.
package taught

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/syntax"
)

// Analyzer collects what is taught; its result is a *Lore.
var Analyzer = &analysis.Analyzer{
	Name:       "taught",
	Doc:        "collect what comments and the configuration tell about the program",
	Requires:   []*analysis.Analyzer{syntax.Analyzer, program.Analyzer},
	ResultType: reflect.TypeFor[*Lore](),
	Run: func(pass *analysis.Pass) (any, error) {
		syn := pass.ResultOf[syntax.Analyzer].(*syntax.Result)
		return New(pass.ResultOf[program.Analyzer].(*program.Program), syn.Directives, syn.Taught), nil
	},
}

// A Lore is what is taught about a program. Nil is a Lore that knows nothing.
type Lore struct {
	table     *directives.Table
	threads   map[*program.Func]string
	guarded   map[place]string
	confined  map[place]bool
	members   map[*program.Class][]string // terminal values of a class of constants
	carriers  map[place][]string          // terminal values of a container or flag
	functions []*program.Func             // those of threads, in source order
}

// A place is where something is kept: an attribute of the class that is the
// first to have it, or a variable of a module.
type place struct {
	owner *program.Class
	mod   *program.Module
	name  string
}

// New returns the lore of a program. The directives are those of each file, by
// name; the table may be nil.
func New(index *program.Program, comments map[string][]directives.Directive, table *directives.Table) *Lore {
	if table == nil {
		table = &directives.Table{}
	}
	l := &Lore{
		table: table, threads: map[*program.Func]string{}, guarded: map[place]string{}, confined: map[place]bool{},
		members: map[*program.Class][]string{}, carriers: map[place][]string{},
	}
	for _, m := range index.Modules {
		for i := range comments[m.File] {
			l.learn(index, m, &comments[m.File][i])
		}
	}
	if len(table.Threads) > 0 {
		for _, f := range index.Funcs {
			if _, told := l.threads[f]; told || f.Name == "<lambda>" {
				continue
			}
			if t := table.Thread(f.Module.Path, f.Qual); t != "" {
				l.threads[f] = t
			}
		}
	}
	for _, f := range index.Funcs {
		if l.threads[f] != "" {
			l.functions = append(l.functions, f)
		}
	}
	return l
}

// learn records what one comment says.
func (l *Lore) learn(index *program.Program, m *program.Module, d *directives.Directive) {
	st := d.Subject(m.AST)
	if st == nil {
		return
	}
	switch st := st.(type) {
	case *ast.FunctionDef:
		if f := index.FuncOf(st); f != nil {
			l.threads[f] = d.Args[0]
		}
		return
	case *ast.ClassDef:
		if c := index.ClassOf(st); c != nil {
			l.members[c] = append(l.members[c], d.Args...)
		}
		return
	}
	for _, p := range assigned(index, m, st) {
		switch d.Kind {
		case directives.GuardedBy:
			l.guarded[p] = d.Args[0]
		case directives.Confined:
			l.confined[p] = true
		case directives.Terminal:
			l.carriers[p] = append(l.carriers[p], d.Args...)
		}
	}
}

// assigned returns the attributes and module variables that a statement assigns.
func assigned(index *program.Program, m *program.Module, st ast.Stmt) []place {
	var out []place
	for _, c := range index.Classes {
		if c.Module != m {
			continue
		}
		for name, a := range c.Attrs {
			if slices.ContainsFunc(a.Defs, func(d program.Def) bool { return d.Node == ast.Node(st) }) {
				out = append(out, place{owner: c.AttrOwner(name), name: name})
			}
		}
	}
	for _, top := range m.AST.Body {
		if top != st {
			continue
		}
		targets := []ast.Expr{}
		switch st := st.(type) {
		case *ast.Assign:
			targets = st.Targets
		case *ast.AnnAssign:
			targets = []ast.Expr{st.Target}
		}
		for _, t := range targets {
			if n, ok := t.(*ast.Name); ok {
				out = append(out, place{mod: m, name: n.Id()})
			}
		}
	}
	return out
}

// Thread returns the thread that a function runs on, or "".
func (l *Lore) Thread(f *program.Func) string {
	if l == nil {
		return ""
	}
	return l.threads[f]
}

// Functions returns the functions whose thread is known.
func (l *Lore) Functions() []*program.Func {
	if l == nil {
		return nil
	}
	return l.functions
}

// Hook reports whether a framework calls the methods of a name.
func (l *Lore) Hook(name string) bool { return l != nil && slices.Contains(l.table.Hooks, name) }

// Polls reports whether the methods of a name answer with a status.
func (l *Lore) Polls(name string) bool { return l != nil && slices.Contains(l.table.Polls, name) }

// Clears reports whether the methods of a name forget a request.
func (l *Lore) Clears(name string) bool { return l != nil && slices.Contains(l.table.Clears, name) }

// Guard returns the lock, as it is written, under which an attribute of a class
// is used, or "". The class is the owner of the attribute.
func (l *Lore) Guard(owner *program.Class, name string) string {
	if l == nil {
		return ""
	}
	return l.guarded[place{owner: owner, name: name}]
}

// GlobalGuard is Guard for a variable of a module.
func (l *Lore) GlobalGuard(mod *program.Module, name string) string {
	if l == nil {
		return ""
	}
	return l.guarded[place{mod: mod, name: name}]
}

// Confined reports whether an attribute belongs to one thread.
func (l *Lore) Confined(owner *program.Class, name string) bool {
	return l != nil && l.confined[place{owner: owner, name: name}]
}

// GlobalConfined is Confined for a variable of a module.
func (l *Lore) GlobalConfined(mod *program.Module, name string) bool {
	return l != nil && l.confined[place{mod: mod, name: name}]
}

// Takes reports whether a call of one name takes what a call of another gives
// back, as the configuration tells, and whether it tells of the latter at all.
func (l *Lore) Takes(acquire, release string) (takes, known bool) {
	if l == nil {
		return false, false
	}
	for _, p := range l.table.Pairs {
		if last(p.Release) == release {
			known = true
			takes = takes || last(p.Acquire) == acquire
		}
	}
	return takes, known
}

// last returns the last part of a dotted name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// A Verdict is what is taught about a status.
type Verdict uint8

// The verdicts.
const (
	Untold Verdict = iota
	Ends           // it ends a request
	Goes           // it does not: others of its kind are listed, and it is not
)

// Status returns what is taught about a status. Its class is that of which it is a
// member, nil for a word or number, whose text is then given as it is written; the
// holders are the containers and flags that it is stored in.
func (l *Lore) Status(class *program.Class, text string, holders []Holder) Verdict {
	if l == nil {
		return Untold
	}
	told := Untold
	judge := func(list []string, all bool) {
		for _, v := range list {
			switch {
			case names(v, class, text):
				told = Ends
			case told == Untold && all:
				told = Goes
			}
		}
	}
	judge(l.table.Terminal, l.lists(class))
	if class != nil {
		judge(l.members[class], true)
	}
	for _, h := range holders {
		judge(l.carriers[place{owner: h.Owner, mod: h.Mod, name: h.Name}], true)
	}
	return told
}

// A Holder is where statuses are kept: an attribute of its owner, or a variable
// of a module.
type Holder struct {
	Owner *program.Class
	Mod   *program.Module // nil for an attribute
	Name  string
}

// lists reports whether the table has members of a class, so that those which
// it does not have are not terminal.
func (l *Lore) lists(class *program.Class) bool {
	return class != nil && slices.ContainsFunc(l.table.Terminal, func(v string) bool {
		qual, member, dotted := cutLast(v)
		return dotted && (qual == class.Qual || strings.HasSuffix(qual, "."+class.Qual)) && class.Attrs[member] != nil
	})
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// names reports whether what is written in a list is a status: its name, with or
// without the class and what is before that, or the literal.
func names(written string, class *program.Class, text string) bool {
	if class == nil {
		if unquoted, err := strconv.Unquote(written); err == nil {
			written = unquoted
		} else if n := len(written); n > 1 && written[0] == '\'' && written[n-1] == '\'' {
			written = written[1 : n-1]
		}
		return written == text
	}
	qual, member, dotted := cutLast(written)
	return member == text && (!dotted || qual == class.Qual || qual == class.Name || strings.HasSuffix(qual, "."+class.Qual))
}
