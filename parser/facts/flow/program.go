package flow

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// A Program is the access programs of all entrypoints. It is immutable after
// [Build].
type Program struct {
	Index     *program.Program
	Entries   []*Entry    // hooks first, in source order, then what they start
	Locations []*Location // in order of first use
	// Taught is what people tell about the program; it may be nil.
	Taught *taught.Lore
	// Focus names the files that matter; nil means all.
	Focus map[string]bool

	effort  effort
	wanted  func(*program.Class) bool // nil for all
	locs    map[string]*Location
	attrs   map[attrKey]*Location // what attrLocation has found
	aliases map[attrKey]place     // by the class that declares the attribute
	// selfStores counts the assignments to attributes of self by name.
	selfStores    map[string]int
	selfContained map[*program.Class]bool    // what keepsToItself has found
	tests         map[*program.Module]bool   // modules that isTest has found
	wrappers      map[*program.Func]wrapping // what wrapper has found
	records       map[*program.Class][]field // what fields has found
	locating      int                        // calls of attrLocation under way
	byKey         map[string]*Entry
	pending       []*Entry
	captured      map[*program.Func]map[string]bool
	assigned      map[ast.Stmt]map[string]bool // what assignedIn has found, by the first statement
	touching      relevance
	handles       map[*program.Class]bool    // memo of isHandle
	partOf        map[*program.Class]bool    // memo of isPart
	tables        map[*program.Class][]table // memo of allTables
	// nested are the functions inside of others that are said to run on a
	// thread, as values.
	nested []*Value

	noneType, scalarType *program.Type

	frames   []*Frame   // of all graphs, until these are built
	numbers  []string   // "#1", "#2" and so on
	scratch  []Node     // memory for the graph that is being built
	edges    []Edge     // memory for the edges of the next steps
	dangling []dangling // likewise, for those that wait
}

// Build lowers every entrypoint of the program: the constructors and hooks of
// each concrete class, and whatever these start.
func Build(index *program.Program) *Program { return BuildAround(index, nil, nil) }

// BuildAround is Build for the entrypoints that matter to some files: those of
// the classes in them, of the classes that these derive from or keep, and of
// those that keep them. Nil stands for all files.
func BuildAround(index *program.Program, lore *taught.Lore, files map[string]bool) *Program {
	near := neighbours(index, files)
	p := newProgram(index, lore, files)
	return p.build(func(c *program.Class) bool { return (near == nil || near[c]) && p.concrete(c) }, func(m *program.Module) bool {
		return files == nil || files[m.File]
	})
}

// BuildClasses is Build for some classes, of which objects can exist, and the functions of
// some modules, alone.
func BuildClasses(index *program.Program, lore *taught.Lore, wanted func(*program.Class) bool, global func(*program.Module) bool) *Program {
	p := newProgram(index, lore, nil).build(wanted, global)
	p.wanted = wanted
	return p
}

// Concerns reports whether the program is about a class; see [BuildClasses].
func (p *Program) Concerns(c *program.Class) bool { return p.wanted == nil || p.wanted(c) }

func newProgram(index *program.Program, lore *taught.Lore, files map[string]bool) *Program {
	p := &Program{
		Index: index, Focus: files, Taught: lore,
		locs: map[string]*Location{}, attrs: map[attrKey]*Location{}, aliases: map[attrKey]place{}, byKey: map[string]*Entry{},
		captured: map[*program.Func]map[string]bool{}, assigned: map[ast.Stmt]map[string]bool{},
		noneType: &program.Type{Kind: program.None}, scalarType: &program.Type{Kind: program.Scalar},
	}
	p.effort.limit.Store(math.MaxInt64) // until somebody sets one
	p.countStores()
	p.touching = newRelevance(p)
	return p
}

// build lowers the entrypoints of the wanted classes and of the functions of some modules.
func (p *Program) build(wanted func(*program.Class) bool, global func(*program.Module) bool) *Program {
	index := p.Index
	for _, c := range index.Classes {
		if !p.isTest(c.Module) && p.touching.near[c] && wanted(c) {
			p.addHooks(c)
		}
	}
	var targets []*program.Func // perhaps of threads
	for _, m := range index.Modules {
		if !global(m) || p.isTest(m) {
			continue
		}
		for _, f := range m.Funcs {
			switch {
			case !p.touching.globals(f) && !p.touching.starting[f]:
			case p.touching.values[f.Name] && !p.called(f):
				targets = append(targets, f)
			default:
				p.newEntry(f, nil, callerRole(f), nil, nil, nil)
			}
		}
	}
	for _, m := range index.Modules {
		if global(m) && !p.isTest(m) {
			p.lowerModule(m)
		}
	}
	p.lowerPending()
	for _, f := range targets {
		if !slices.ContainsFunc(p.Entries, func(e *Entry) bool { return e.Func == f }) {
			p.newEntry(f, nil, callerRole(f), nil, nil, nil)
		}
	}
	p.lowerPending()
	p.addTaught(wanted)
	p.addHandlers(wanted)
	p.lowerPending()
	p.dropTargets()
	p.settle()
	for _, l := range p.Locations { // now that all stores are known
		l.Settled = l.Owner != nil && l.Outer == nil && p.onlyConstructed(l.Owner, l.Name)
	}
	p.shard()
	p.release()
	return p
}

// release lets go of what only the making of graphs needs.
func (p *Program) release() {
	for _, fr := range p.frames {
		fr.env = nil
	}
	for _, e := range p.Entries {
		e.fn, e.args, e.kw = nil, nil, nil
	}
	p.touching.callees, p.touching.kin = nil, nil
	p.frames, p.numbers, p.scratch, p.edges, p.dangling, p.assigned = nil, nil, nil, nil, nil, nil
}

// number returns "#" and a number, which counts from 1.
func (p *Program) number(n int) string {
	for len(p.numbers) < n {
		p.numbers = append(p.numbers, "#"+strconv.Itoa(len(p.numbers)+1))
	}
	return p.numbers[n-1]
}

// called reports whether the program calls a function of a module by its name.
func (p *Program) called(f *program.Func) bool {
	return slices.ContainsFunc(p.Index.Calls(f.Name), func(s program.CallSite) bool {
		return p.Index.Resolve(s.Call.Func, s.Func, s.Module).Func == f
	})
}

func (p *Program) lowerPending() {
	for len(p.pending) > 0 {
		e := p.pending[0]
		p.pending = p.pending[1:]
		p.lower(e)
	}
}

// Acts reports whether an entrypoint other than a constructor may run on the
// objects of a class, or of one derived from it.
func (p *Program) Acts(c *program.Class) bool {
	if isThreadClass(c) {
		return true
	}
	for _, k := range c.MRO {
		for _, f := range k.MethodList() {
			if !constructor(f) && p.touchesFunc(f) && !f.Abstract && (p.isHook(f, c) || p.spawnTarget(f, c)) {
				return true
			}
		}
	}
	for _, sub := range c.Subclasses {
		if p.Acts(sub) {
			return true
		}
	}
	return false
}

// neighbours returns the classes that share state with those in some files; nil
// when all do.
func neighbours(index *program.Program, files map[string]bool) map[*program.Class]bool {
	if files == nil {
		return nil
	}
	near := map[*program.Class]bool{}
	family := func(c *program.Class) bool {
		for _, k := range c.MRO {
			if files[k.Module.File] {
				return true
			}
		}
		return false
	}
	kept := map[*program.Class]bool{} // what classes of the files keep
	for _, c := range index.Classes {
		if !family(c) {
			continue
		}
		near[c] = true
		for _, k := range c.MRO {
			for name := range k.Attrs {
				if t := index.AttrType(c, name); t.Kind == program.Instance && !t.Class.Enum() {
					kept[t.Class] = true
				}
			}
		}
	}
	for _, c := range index.Classes {
		if near[c] {
			continue
		}
		for k := range kept {
			near[c] = near[c] || c.IsSubclass(k)
		}
		for _, k := range c.MRO { // what a base keeps, it keeps
			for name := range k.Attrs {
				if t := index.AttrType(c, name); t.Kind == program.Instance && !t.Class.Enum() && family(t.Class) {
					near[c] = true
				}
			}
		}
	}
	return near
}

// concrete reports whether objects of exactly this class can exist: nothing
// derives from it, the program makes one, or it hands the class on as a value,
// as a table of backends does.
func (p *Program) concrete(c *program.Class) bool {
	if len(c.Subclasses) == 0 || p.touching.values[c.Name] || p.touching.methods[c.Name] {
		return true
	}
	for _, s := range p.Index.Calls(c.Name) {
		if r := p.Index.Resolve(s.Call.Func, s.Func, s.Module); r.Class == c {
			return true
		}
	}
	return false
}

func callerRole(f *program.Func) Role {
	if f.Async {
		return LoopTask
	}
	return Caller
}

// addHooks makes entrypoints of the constructor and the hooks of c.
func (p *Program) addHooks(c *program.Class) {
	seen := map[string]bool{}
	for _, k := range c.MRO {
		for _, f := range k.MethodList() {
			if seen[f.Name] || !p.touchesFunc(f) || f.Abstract || f.Trivial() {
				seen[f.Name] = true
				continue
			}
			seen[f.Name] = true
			switch {
			case f.Name == "__init__", f.Name == "__post_init__" && c.Method("__init__") == nil:
				p.newEntry(f, c, Init, nil, nil, nil)
			case f.Name == "run" && isThreadClass(c):
				p.threadEntry(c, f)
			case p.Taught.Hook(f.Name), p.isHook(f, c):
				p.newEntry(f, c, callerRole(f), nil, nil, nil)
			}
		}
	}
}

// isHook reports whether something outside the program's known calls can call
// the method: a framework, or code whose receiver has no known type. A method
// that is only called on self is a helper.
func (p *Program) isHook(f *program.Func, c *program.Class) bool {
	if f.Kind == program.Property || f.Kind == program.ContextManager || strings.HasPrefix(f.Name, "__") && f.Name != "__call__" {
		return false
	}
	internal, typed, unknown := false, false, false
	for _, s := range p.Index.Calls(f.Name) {
		at, ok := s.Call.Func.(*ast.Attribute)
		if !ok || p.isTest(s.Module) {
			continue
		}
		if s.Func.OnSelf(at.Value) {
			internal = internal || selfClassRelated(s.Func, c)
			continue
		}
		if program.IsSuper(at.Value) {
			internal = internal || selfClassRelated(s.Func, c)
			continue
		}
		t := p.Index.TypeOf(at.Value, program.Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()})
		switch {
		case t.Kind == program.Unknown || t.Kind == program.External || t.Kind == program.Instance && t.Class.HasExternalBase("typing.Protocol", "typing_extensions.Protocol"):
			unknown = true
		case t.Class != nil && c.IsSubclass(t.Class) && t.Class.Method(f.Name) != f:
			return true // called through a base, which runs whatever overrides it
		case t.Class != nil && c.IsSubclass(t.Class) && s.Func.SelfClass() == nil:
			if s.Func != nil && s.Func.Class == nil && p.touching.values[s.Func.Name] && !p.called(s.Func) {
				internal = true // by what a thread runs
				continue
			}
			return true // called by a function outside of classes, as a main loop is
		case t.Class != nil && (t.Class.IsSubclass(c) || c.IsSubclass(t.Class)):
			internal = internal || !p.isHandle(c) || selfClassRelated(s.Func, c)
			typed = true
		}
	}
	if unknown && !(typed && !p.isHandle(c)) {
		return true
	}
	if internal {
		return false
	}
	if !typed && !p.UsedAsValue(f.Name) && !decorated(f) && p.isPart(c) {
		return false // nobody calls it
	}
	return (f.Public() || p.touching.named[f.Name]) && !p.spawnTarget(f, c)
}

func decorated(f *program.Func) bool {
	d, ok := f.Node.(*ast.FunctionDef)
	return ok && len(d.DecoratorList) > 0
}

// isPart reports whether the objects of a class are parts of other objects of the
// program: each is made for an attribute of another one, which calls its methods and
// hands it to nobody. What is not called there is called by nobody.
func (p *Program) isPart(c *program.Class) bool {
	if known, ok := p.partOf[c]; ok {
		return known
	}
	if p.partOf == nil {
		p.partOf = map[*program.Class]bool{}
	}
	p.partOf[c] = len(c.Subclasses) == 0 && !slices.ContainsFunc(c.External, callsMethods) && len(c.MRO) == 1 && !p.touching.values[c.Name] &&
		p.madeForAttributes(c) && slices.ContainsFunc(c.MethodList(), func(f *program.Func) bool { return p.calledByHolder(f, c) })
	return p.partOf[c]
}

// callsMethods reports whether a base from outside of the program may call the methods of
// what derives from it.
func callsMethods(base string) bool {
	switch base {
	case "object", "builtins.object", "abc.ABC", "typing.Generic":
		return false
	}
	return true
}

// madeForAttributes reports whether the program makes objects of a class, and every one
// for an attribute of the object whose method makes it.
func (p *Program) madeForAttributes(c *program.Class) bool {
	made := false
	for _, s := range p.Index.Calls(c.Name) {
		if p.isTest(s.Module) || p.Index.Resolve(s.Call.Func, s.Func, s.Module).Class != c {
			continue
		}
		holder := s.Func.SelfClass()
		if holder == nil {
			return false
		}
		made = false
		for _, a := range holder.Attrs {
			if slices.ContainsFunc(a.Defs, func(d program.Def) bool { return d.Value == ast.Expr(s.Call) && !d.Elem }) {
				made = !p.UsedAsValue(a.Name)
			}
		}
		if !made || holder.Method("__getattr__") != nil {
			return false
		}
	}
	return made
}

// calledByHolder reports whether a method of another class calls a method on an object
// that is known to be of a class.
func (p *Program) calledByHolder(f *program.Func, c *program.Class) bool {
	return slices.ContainsFunc(p.Index.Calls(f.Name), func(s program.CallSite) bool {
		at, ok := s.Call.Func.(*ast.Attribute)
		if !ok || p.isTest(s.Module) || s.Func.SelfClass() == nil || s.Func.SelfClass() == c {
			return false
		}
		return p.Index.TypeOf(at.Value, program.Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()}).Class == c
	})
}

// isHandle reports whether the objects of a class answer how far a request is: a
// public method that takes nothing returns a member of a class of constants. Whoever
// keeps such objects calls their methods in any order, as a framework does, also
// when it is part of the program.
func (p *Program) isHandle(c *program.Class) bool {
	if known, ok := p.handles[c]; ok {
		return known
	}
	if p.handles == nil {
		p.handles = map[*program.Class]bool{}
	}
	found := false
	for _, k := range c.MRO {
		for _, f := range k.MethodList() {
			found = found || f.SelfFunc() == f && f.Public() && len(f.Params) == 1 && c.Method(f.Name) == f && p.answersMember(f, c)
		}
	}
	p.handles[c] = found
	return found
}

// answersMember reports whether a method returns a member of a class, or an
// attribute of its object that takes one.
func (p *Program) answersMember(f *program.Func, c *program.Class) bool {
	for _, e := range f.Returns {
		at, ok := e.(*ast.Attribute)
		if !ok {
			continue
		}
		if p.Index.Resolve(at, f, f.Module).Member != nil {
			return true
		}
		if home := c.AttrOwner(at.Attr()); home != nil && f.OnSelf(at.Value) {
			for _, d := range home.Attrs[at.Attr()].Defs {
				if d.Func != nil && d.Value != nil && p.Index.Resolve(d.Value, d.Func, d.Func.Module).Member != nil {
					return true
				}
			}
		}
	}
	return false
}

// spawnTarget reports whether the classes around c use a method as a value, as the
// target of a thread is.
func (p *Program) spawnTarget(f *program.Func, c *program.Class) bool {
	for _, k := range p.touching.bound[f.Name] {
		if k.IsSubclass(c) || c.IsSubclass(k) {
			return true
		}
	}
	return false
}

func selfClassRelated(f *program.Func, c *program.Class) bool {
	k := f.SelfClass()
	return k != nil && (k.IsSubclass(c) || c.IsSubclass(k))
}

// threadEntry returns the entrypoint of the run method of a Thread subclass.
func (p *Program) threadEntry(c *program.Class, run *program.Func) *Entry {
	e := p.newEntry(run, c, ThreadOf, nil, nil, nil)
	e.startAs(c.HasExternalBase("multiprocessing.Process"))
	return e
}

// newEntry returns the entrypoint of f on an instance of c, making it when
// there is none yet.
func (p *Program) newEntry(f *program.Func, c *program.Class, role Role, fn *Value, args []*Value, kw map[string]*Value) *Entry {
	key := f.Module.File + ":" + strconv.Itoa(int(f.Node.Pos())) + " " + role.String()
	if c != nil {
		key += " " + c.Module.File + ":" + c.Qual
	}
	if e := p.byKey[key]; e != nil {
		return e
	}
	e := &Entry{Func: f, Class: c, Role: role, fn: fn, args: args, kw: kw, Thread: p.Taught.Thread(f)}
	e.Many = e.several(role == Pool || role == Callback)
	p.byKey[key] = e
	p.Entries = append(p.Entries, e)
	p.pending = append(p.pending, e)
	return e
}

// spawned records that a site starts e, perhaps repeatedly.
func (p *Program) spawned(e *Entry, s SpawnSite, repeated bool) {
	for _, have := range e.Spawns {
		if have.Src == s.Src {
			return
		}
	}
	e.Spawns = append(e.Spawns, s)
	e.Many = e.several(e.Many || repeated || len(e.Spawns) > 1)
}

// settle finds the threads that run once in the life of an object although the hook
// that starts them could be called again: a thread that goes round until it is told to
// end, and knows nothing of what the hook was called for, belongs to the object, as in
// start(). To start it again would be to leak it.
func (p *Program) settle() {
	for _, e := range p.Entries {
		if !e.Many || e.Thread != "" || e.Role != ThreadOf || !e.serves() || len(e.Spawns) != 1 {
			continue
		}
		s := e.Spawns[0]
		if s.Looped || s.By == nil || s.By.Many || s.By.Role != Caller || slices.ContainsFunc(e.args, asked) || containsAsked(e.kw) {
			continue
		}
		e.Many = false
	}
}

// serves reports whether an entrypoint has a while loop.
func (e *Entry) serves() bool {
	return slices.ContainsFunc(e.Graph.Nodes, func(n Node) bool { return n.Op == LoopHead })
}

// asked reports whether a value may be an argument of the hook around it.
func asked(v *Value) bool {
	for _, leaf := range v.Leaves() {
		if leaf.Kind != Const && leaf.Kind != Function && (leaf.Kind != Param || leaf.Name != "self") {
			return true
		}
	}
	return false
}

func containsAsked(kw map[string]*Value) bool {
	for _, v := range kw {
		if asked(v) {
			return true
		}
	}
	return false
}

// lower builds the graph of an entrypoint. What a graph has no room for would be
// missing as if it did not happen, so an entrypoint that is too large is lowered
// again with fewer calls inlined into each other. What it starts on the way
// stays known.
func (p *Program) lower(e *Entry) {
	b, frames := newBuilder(p, e, maxDepth), len(p.frames)
	b.lower(e)
	for depth := (maxDepth + 1) / 2; b.full && depth > 0; depth /= 2 {
		p.frames = p.frames[:frames]
		b = newBuilder(p, e, depth)
		b.lower(e)
	}
	e.Graph = b.finish()
	e.Graph.guarded()
	e.Forever = len(e.Graph.Nodes[ExitNode].Pred) == 0
}

func (b *builder) lower(e *Entry) {
	var self *Value
	if e.Class != nil {
		self = b.intern(&Value{Kind: Param, Name: "self", id: "self", Type: program.NewInstance(e.Class)})
	}
	var closure *Frame
	var args []*Value
	var kw map[string]*Value
	if e.fn != nil {
		im := importer{b: b, frames: map[*Frame]*Frame{}}
		bound := e.fn.more()
		closure = im.frame(bound.frame)
		if bound.self != nil {
			self = im.value(bound.self)
		}
		for _, a := range e.args {
			args = append(args, im.value(a))
		}
		kw = map[string]*Value{}
		for k, v := range e.kw {
			kw[k] = im.value(v)
		}
	}
	fr := b.newFrame(e.Func, self, closure, args, kw)
	if fr.Self == nil && closure == nil && e.Func.SelfFunc() != nil {
		fr.Self = self
	}
	if e.fn == nil {
		b.freeDefaults(fr, e.Func)
	}
	for name, v := range fr.env {
		if v.Kind == Opaque && v.Name == name {
			fr.env[name] = b.intern(&Value{Kind: Param, Name: name, Type: v.Type, id: "param " + name})
		}
	}
	b.frame = fr
	c := &context{kind: callContext}
	b.push(c)
	if !b.wrappedEntry(e.Func) {
		b.body(e.Func)
	}
	b.pop()
	b.pend = nil
	for _, o := range c.returns {
		b.pend = append(b.pend, o.pend...)
	}
}

// freeDefaults forgets the defaults of the parameters of a hook: whoever calls it
// may pass something else.
func (b *builder) freeDefaults(fr *Frame, f *program.Func) {
	for _, p := range f.Params {
		if p.Default == nil {
			continue
		}
		t := fr.env[p.Name].Type
		if fr.env[p.Name].IsNone() {
			t = b.prog.ParamType(p, b.g.Entry.Class)
		}
		fr.env[p.Name] = b.opaque(t, p.Name)
	}
}

// importer copies values from the graph that starts a thread to the graph of
// the thread. What has no meaning there becomes a parameter.
type importer struct {
	b      *builder
	frames map[*Frame]*Frame
}

func (im *importer) frame(f *Frame) *Frame {
	if f == nil {
		return nil
	}
	if g := im.frames[f]; g != nil {
		return g
	}
	g := im.b.addFrame(&Frame{Fn: f.Fn, env: map[string]*Value{}})
	im.frames[f] = g
	g.closure = im.frame(f.closure)
	if f.Self != nil {
		g.Self = im.value(f.Self)
	}
	captured := im.b.p.capturedBy(f.Fn)
	for name, v := range f.env {
		if captured[name] {
			g.env[name] = im.value(v)
		}
	}
	return g
}

func (im *importer) value(v *Value) *Value {
	b := im.b
	switch v.Kind {
	case Const:
		return b.intern(v)
	case Param, Class, Module:
		return b.intern(v)
	case Attribute:
		return b.attribute(im.value(v.Base), v.Name, v.Type)
	case Container:
		path := make([]*Value, len(v.Path()))
		for i, k := range v.Path() {
			path[i] = im.value(k)
		}
		return b.container(v.Loc, v.Cls, path)
	case Function:
		w := *v
		bound := w.change()
		if bound.self != nil {
			bound.self = im.value(bound.self)
		}
		bound.frame = im.frame(bound.frame)
		w.Args = nil
		for _, a := range v.Args {
			w.Args = append(w.Args, im.value(a))
		}
		return b.intern(&w)
	case Element:
		if located(v.Type.Kind) && v.Base != nil && v.Base.Kind == Container {
			own := b.intern(&Value{Kind: Param, Name: "own", id: "own instance"})
			return b.container(b.p.nestedLocation(v.Base.Loc, v.Type), v.Base.Cls, []*Value{own})
		}
	}
	return b.intern(&Value{Kind: Param, Name: v.Name, Type: v.Type, id: outer(v)})
}

// outer returns the identity of a parameter that stands for a value of the graph that starts
// an entrypoint.
func outer(v *Value) string { return "outer " + v.Name + v.id }

// shard finds the entrypoints of which each instance has a queue of its own,
// when the queue is chosen by the key of the item: no two instances see the
// same key.
func (p *Program) shard() {
	byKey := map[*Location]bool{}
	for _, e := range p.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != Enqueue || n.Loc == nil || n.Loc.Outer == nil || len(n.Path) == 0 {
				continue
			}
			index := n.Path[len(n.Path)-1]
			if index.Kind == Param && index.id == "own instance" {
				continue // put back on the queue it came from
			}
			keyed := derivedByKey(index)
			if was, ok := byKey[n.Loc]; ok {
				keyed = keyed && was
			}
			byKey[n.Loc] = keyed
		}
	}
	for _, e := range p.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == Dequeue && n.Loc != nil && byKey[n.Loc] && len(n.Path) > 0 && n.Path[len(n.Path)-1].id == "own instance" {
				e.Sharded = true
			}
		}
	}
}

// derivedByKey reports whether an index is computed from a value with a
// remainder, as key % n or hash(key) % n. A counter as the value spreads the
// items instead.
func derivedByKey(v *Value) bool {
	for v.Kind == Derived && v.Name != ast.Mod.String() && len(v.Args) == 1 {
		v = v.Args[0]
	}
	if v.Kind != Derived || v.Name != ast.Mod.String() {
		return false
	}
	x := v.Args[0]
	for x.Kind == Derived && len(x.Args) > 0 {
		x = x.Args[0]
	}
	return x.Kind != Result
}
