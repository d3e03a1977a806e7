package checker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	facts "github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// The check of a patch analyzes the components that run changed code, and of the
// program only the files that findings in these depend on: an excerpt. It is analyzed
// as it is first. That tells whether the excerpt shows what the whole program shows,
// and its findings are what those after the patch are compared with.

// excerpts makes the excerpts of a program, each once. It is safe for concurrent use.
type excerpts struct {
	p     *program
	comps []*component.Component
	all   []ruleFinding
	sites map[site]bool // of all
	whole *excerpt

	mu     sync.Mutex
	byName map[string]*excerpt
	parts  map[string]*part
	files  map[*component.Component]map[string]bool // memo of runs
}

func newExcerpts(p *program, all []ruleFinding) *excerpts {
	comps, _ := p.results[component.Analyzer].([]*component.Component)
	x := &excerpts{p: p, comps: comps, all: all, sites: map[site]bool{}, byName: map[string]*excerpt{}, parts: map[string]*part{}, files: map[*component.Component]map[string]bool{}}
	for i := range all {
		x.sites[siteOf(&all[i])] = true
	}
	x.whole = &excerpt{syntax: p.syntax}
	x.whole.compareWith(knownOf(all))
	return x
}

// An excerpt is what is analyzed again for some components.
type excerpt struct {
	once sync.Once
	// about are the classes of the components in the whole program, and names what
	// they are called. Nil stands for all.
	about  map[*facts.Class]bool
	names  map[string]bool
	syntax *syntax.Result

	before map[string]bool     // fingerprints of what is found in it
	causes map[string][]*known // that, by what it is about
	ids    map[site]string     // fingerprints by place
	err    error
}

// known is what has to be remembered of a finding. The finding itself holds on to the
// whole program that it was found in.
type known struct {
	fingerprint, cause string
	containers         []string
	at                 site
	component          string // the name of its class, or ""
	text               string // the lines of its place
}

func knownOf(found []ruleFinding) []known {
	out := make([]known, len(found))
	for i := range found {
		f := &found[i]
		out[i] = known{f.fingerprint, f.cause(), f.Containers, siteOf(f), "", f.text()}
		if f.Component != nil {
			out[i].component = className(f.Component)
		}
	}
	return out
}

// A part is some files of the program with what is found in them as they are.
// Excerpts that are about different components can be of the same part.
type part struct {
	once   sync.Once
	syntax *syntax.Result
	found  []known
	err    error
}

// part returns the part of some files, for a look at some classes; nil stands for all.
func (x *excerpts) part(ctx context.Context, names, classes map[string]bool) *part {
	key := fmt.Sprint(names == nil, slices.Sorted(maps.Keys(names)), classes == nil, slices.Sorted(maps.Keys(classes)))
	x.mu.Lock()
	pt := x.parts[key]
	if pt == nil {
		pt = &part{}
		x.parts[key] = pt
	}
	x.mu.Unlock()
	pt.once.Do(func() {
		pt.err = errors.New("the excerpt could not be analyzed") // unless it can
		pt.syntax = x.p.syntax.Part(names, classes)
		ex := excerpt{syntax: pt.syntax}
		var found []ruleFinding
		found, _, pt.err = ex.analyze(ctx, x.p, nil, nil)
		pt.found = knownOf(found)
	})
	return pt
}

// shows reports whether a finding is among those in the excerpt.
func (ex *excerpt) shows(f *ruleFinding) bool { return ex.err == nil && ex.ids[siteOf(f)] != "" }

// compareWith takes what is found in the excerpt for what there was before a patch.
func (ex *excerpt) compareWith(found []known) {
	ex.before, ex.causes, ex.ids = make(map[string]bool, len(found)), map[string][]*known{}, make(map[site]string, len(found))
	for i := range found {
		f := &found[i]
		ex.before[f.fingerprint] = true
		ex.causes[f.cause] = append(ex.causes[f.cause], f)
		ex.ids[f.at] = f.fingerprint
	}
}

// A site tells findings apart without regard to what else is found.
type site struct {
	rule, file string
	from, to   int
	shape      string
}

func siteOf(f *ruleFinding) site {
	return site{f.rule.ID, f.Mod.File, int(f.From), int(f.To), f.Shape}
}

// A view is what the check of a fix has to look at.
type view struct {
	name  string // tells it apart
	file  string // that of the finding
	about map[*facts.Class]bool
	comps []*component.Component
	files map[string]bool
}

// view returns what the check of a fix has to look at: the components that run the code
// which its edits change, and that of the finding.
func (x *excerpts) view(f *ruleFinding, edits []patch.Edit) view {
	v := view{file: f.Mod.File, about: map[*facts.Class]bool{}, comps: affected(x.comps, f, edits), files: map[string]bool{f.Mod.File: true}}
	for _, c := range v.comps {
		v.about[c.Class] = true
	}
	if f.Component != nil {
		v.about[f.Component] = true // even if none of its entrypoints runs the code
	}
	for _, e := range edits {
		v.files[e.File] = true
	}
	for _, c := range v.comps {
		for name := range x.runs(c) {
			delete(v.files, name) // it is in the excerpt anyway
		}
	}
	key := slices.Sorted(maps.Keys(v.files))
	for _, c := range v.comps {
		key = append(key, className(c.Class))
	}
	if f.Component != nil {
		key = append(key, className(f.Component))
	}
	v.name = strings.Join(key, "\x00")
	return v
}

// views returns what the checks of the first fixes of some findings look at, each once.
func (x *excerpts) views(findings []ruleFinding) []view {
	var out []view
	seen := map[string]bool{}
	for i := range findings {
		if len(findings[i].Fixes) == 0 {
			continue
		}
		if v := x.view(&findings[i], findings[i].Fixes[0].Edits); !seen[v.name] {
			seen[v.name] = true
			out = append(out, v)
		}
	}
	return out
}

// of returns the excerpt of the components in a view.
func (x *excerpts) of(ctx context.Context, v view) *excerpt {
	return x.once(v.name, func(ex *excerpt) { x.fill(ctx, ex, v) })
}

// around returns the smallest excerpt that shows a finding and what edits of a fix
// change: the components that run the code, all components of the files that findings
// in these depend on, or the whole program.
func (x *excerpts) around(ctx context.Context, f *ruleFinding, edits []patch.Edit) *excerpt {
	v := x.view(f, edits)
	ex := x.of(ctx, v)
	if !ex.shows(f) {
		ex = x.once(v.name+"\x00*", func(ex *excerpt) { x.widen(ctx, ex, v) })
	}
	if !ex.shows(f) {
		ex = x.whole
	}
	return ex
}

// runs returns the files whose code the entrypoints of a component run.
func (x *excerpts) runs(c *component.Component) map[string]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	files := x.files[c]
	if files == nil {
		files = map[string]bool{}
		for _, e := range c.Entries {
			for i := range e.Graph.Nodes {
				if m := e.Graph.Nodes[i].Mod; m != nil {
					files[m.File] = true
				}
			}
		}
		x.files[c] = files
	}
	return files
}

// once returns the excerpt with a name, and fills it if it is new.
func (x *excerpts) once(name string, fill func(*excerpt)) *excerpt {
	x.mu.Lock()
	ex := x.byName[name]
	if ex == nil {
		ex = &excerpt{}
		x.byName[name] = ex
	}
	x.mu.Unlock()
	ex.once.Do(func() { fill(ex) })
	return ex
}

// fill makes an excerpt about some components of the files that findings in them
// depend on, or, where that shows something else than the whole program does, of all
// files.
func (x *excerpts) fill(ctx context.Context, ex *excerpt, v view) {
	ex.about, ex.names = v.about, map[string]bool{}
	for c := range v.about {
		ex.names[className(c)] = true
	}
	var needed, classes map[string]bool
	for _, rivals := range []bool{false, true} {
		needed, classes = x.need(ctx, v, rivals)
		if 2*len(needed) < len(x.p.syntax.Modules) {
			if x.compare(ex, x.part(ctx, needed, classes)) {
				return
			}
		}
	}
	x.compare(ex, x.part(ctx, nil, classes))
}

// widen makes an excerpt about all components of the files that findings in some
// depend on.
func (x *excerpts) widen(ctx context.Context, ex *excerpt, v view) {
	needed, _ := x.need(ctx, v, true)
	if 2*len(needed) < len(x.p.syntax.Modules) {
		x.compare(ex, x.part(ctx, needed, nil))
	}
}

// need returns the files that findings in some components depend on, and the classes
// and files whose entrypoints run in these or, if wanted, are named by these findings.
func (x *excerpts) need(ctx context.Context, v view, rivals bool) (needed, classes map[string]bool) {
	seeds := maps.Clone(v.files)
	needed, classes = maps.Clone(v.files), map[string]bool{}
	add := func(e *flow.Entry) {
		switch {
		case e == nil:
			return
		case e.Class != nil:
			classes[className(e.Class)] = true
			seeds[e.Class.Module.File] = true
		case e.Func != nil:
			classes[e.Func.Module.File] = true
			seeds[e.Func.Module.File] = true
		}
		for i := range e.Graph.Nodes {
			if m := e.Graph.Nodes[i].Mod; m != nil {
				needed[m.File] = true
			}
		}
	}
	for c := range v.about {
		classes[className(c)] = true
		seeds[c.Module.File] = true
	}
	for _, c := range v.comps {
		for _, e := range c.Entries {
			add(e)
		}
	}
	for i := range x.all {
		f := &x.all[i]
		if f.Component == nil || !v.about[f.Component] {
			continue
		}
		if t := f.Threat; t != nil && !slices.Contains(x.comps, t.Status.Comp) {
			for _, e := range t.Status.Comp.Entries { // a replay runs them
				add(e)
			}
		}
		if !rivals {
			continue
		}
		add(f.Entry)
		for _, r := range f.Related {
			add(r.Entry)
		}
	}
	if x.p.opt.Around == nil {
		for _, m := range x.p.syntax.Modules {
			needed[m.Name] = true
		}
		return needed, classes
	}
	for _, name := range x.p.opt.Around(ctx, slices.Sorted(maps.Keys(seeds))) {
		needed[name] = true
	}
	return needed, classes
}

// compare takes a part for an excerpt, and reports whether it shows the findings of
// the components that the whole program shows, and no others.
func (x *excerpts) compare(ex *excerpt, pt *part) bool {
	ex.syntax = pt.syntax
	if ex.err = pt.err; ex.err != nil {
		return false
	}
	found := pt.found
	ex.compareWith(found)
	for i := range x.all {
		if f := &x.all[i]; f.Component != nil && ex.about[f.Component] && !ex.shows(f) {
			return false
		}
	}
	for i := range found {
		if f := &found[i]; ex.names[f.component] && !x.sites[f.at] {
			return false
		}
	}
	return true
}

// A question is what the check of a patch asks: what is found in some components, by
// the names of their classes, and whether the finding of one rule is still there,
// wherever it is seen. See [excerpt.after].
type question struct {
	components map[string]bool
	of         *rule.Rule
	// refutes reports whether some of the findings after the patch, all of one rule, are
	// enough to know that it does not hold.
	refutes func(found []ruleFinding) bool
}

// narrow leaves the rule no components but those that the question is about, unless
// it is asked about all.
func (q *question) narrow(r *rule.Rule, inputs map[*analysis.Analyzer]any) {
	facts, ok := inputs[status.Analyzer].([]*status.Facts)
	if q == nil || q.components == nil || r == q.of || r.Across || !ok {
		return
	}
	var about []*status.Facts
	for _, st := range facts {
		if q.components[className(st.Comp.Class)] {
			about = append(about, st)
		}
	}
	inputs[status.Analyzer] = about
}

// analyze returns what is found in the excerpt with some files changed, as far as it
// is asked for, and its access programs.
func (ex *excerpt) analyze(ctx context.Context, p *program, overlay map[string][]byte, about *question) ([]ruleFinding, *flow.Program, error) {
	syn := ex.syntax.With(overlay)
	q := &program{
		opt: p.opt, paths: p.paths, names: p.names, fset: p.fset, syntax: syn, alone: true, about: about, answers: p.answers,
		results: map[*analysis.Analyzer]any{syntax.Analyzer: syn},
	}
	found, err := q.findings(ctx)
	if err == nil && len(q.excess) > 0 {
		err = errors.New("too large to be decided")
	}
	prog, _ := q.results[flow.Analyzer].(*flow.Program)
	return found, prog, err
}

// after returns the fingerprints of what is found after a patch, under which the same
// was known before. Components of other classes than its own are not whole in the
// excerpt: of what is found in those, only what there was before counts.
func (ex *excerpt) after(found []ruleFinding) []string {
	var ids []string
	for i := range found {
		f := &found[i]
		if was := same(f, ex.causes); was != nil {
			ids = append(ids, was.fingerprint)
		} else if ex.names == nil || f.Component == nil || ex.names[className(f.Component)] {
			ids = append(ids, f.fingerprint)
		}
	}
	return ids
}

func className(c *facts.Class) string { return syntax.ClassName(c.Module.File, c.Qual) }

// affected returns the components that run one of the functions which edits
// change. Where that of the finding is among them, it stands for its siblings,
// which run the same code on state of the same form.
func affected(comps []*component.Component, f *ruleFinding, edits []patch.Edit) []*component.Component {
	var out []*component.Component
	for _, c := range comps {
		if !runsAny(c, edits) {
			continue
		}
		if c.Class == f.Component {
			return []*component.Component{c}
		}
		out = append(out, c)
	}
	return out
}

// runsAny reports whether a component runs a function that an edit changes.
func runsAny(c *component.Component, edits []patch.Edit) bool {
	for _, e := range c.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Fn == nil || n.Mod == nil {
				continue
			}
			for _, ed := range edits {
				if n.Mod.File == ed.File && int(n.Fn.Node.Pos()) <= ed.Start && ed.End <= int(n.Fn.Node.End())+1 {
					return true
				}
			}
		}
	}
	return false
}
