// Package flow lowers the functions of a program to access programs: control
// flow graphs whose steps are only operations on shared state.
//
// One graph belongs to one entrypoint: a function in which a thread of control
// begins, on an instance of one concrete class. The calls it makes are inlined,
// so a helper is seen under the locks and guards of its caller, with the
// constants that are passed to it: a branch that they decide has one edge. What
// is outside the program is a single step that may raise.
//
// Values are symbolic. Two accesses have the same key when their keys are the
// same [Value]: the same parameter, message field, attribute of the handle or
// derivation of one. A step that yields something (a read, a membership test)
// is the register of its result, and branches test registers, so the graphs
// can be executed as well as queried.
package flow

import (
	"crypto/sha256"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// Op is the operation of a step.
type Op uint8

// The operations. Each is one step that the interpreter lock makes atomic.
const (
	Nop Op = iota
	Start
	Exit // the function returns
	Fail // an exception leaves the function

	Read    // d[k], d.get(k)
	Has     // k in d
	Put     // d[k] = v, s.add(k), l.append(k)
	Del     // del d[k], d.pop(k), s.discard(k)
	Size    // len(d), truth of d
	Iter    // a loop or a snapshot begins
	Next    // the loop takes the next element of a live iteration
	Clear   // d.clear()
	Rebind  // self.d = ...
	PutAll  // d.update(x), s |= x
	DelAll  // s -= x
	GetFlag // self.f is read
	SetFlag // self.f = v

	Acquire
	Release
	Wait // a blocking call: Condition.wait, Event.wait, Future.result, a socket read

	Enqueue
	Dequeue
	TaskDone

	Spawn // a thread, task or callback begins
	Join
	Await
	Yield

	Branch
	LoopHead
	Call   // something outside the program, or not inlined
	Move   // Res takes Val, where branches meet
	Return // of the entrypoint itself
	Raise
	Assert // the failing side of an assert
	Clock  // the time is read
	Sleep
)

var opNames = [...]string{
	"nop", "start", "exit", "fail",
	"read", "has", "put", "del", "size", "iter", "next", "clear", "rebind", "putall", "delall", "get", "set",
	"acquire", "release", "wait", "enqueue", "dequeue", "taskdone",
	"spawn", "join", "await", "yield",
	"branch", "loop", "call", "move", "return", "raise", "assert", "clock", "sleep",
}

func (o Op) String() string { return opNames[o] }

// Mode refines an operation.
type Mode uint16

// The modes; they can be combined.
const (
	// Strict marks a Read or Del that raises when the key is absent.
	Strict Mode = 1 << iota
	// Upsert marks a Put that keeps a present entry (setdefault), and a Read
	// that creates an absent one (defaultdict).
	Upsert
	// Update marks the Put or SetFlag of a read-modify-write: d[k] += 1, self.n = self.n + 1.
	Update
	// Live marks an Iter whose loop body runs while the container can change.
	Live
	// Comprehension marks a Live iteration by a comprehension or generator.
	Comprehension
	// Swap marks a Rebind that hands the former content to a variable.
	Swap
	// Filter marks a Rebind to a filtered copy of the former content.
	Filter
	// Initial marks the creation of a container or flag in a constructor.
	Initial
	// Forever marks the LoopHead of a loop without a condition, or over iter(f, end).
	Forever
	// Timeout marks a Wait or Dequeue that gives up after a time.
	Timeout
	// Counting marks a Put or SetFlag that adds to a number, and Down one that subtracts.
	Counting
	Down
	// Async marks an Acquire, Await or Spawn of a coroutine.
	Async
	// AnyKey marks a Del of an element that the container chooses: popitem,
	// popleft, set.pop.
	AnyKey
	// Reraise marks a Raise without an exception of its own.
	Reraise
	// Backward marks a Live iteration that begins at the end: reversed(l).
	Backward
)

// EdgeKind tells when an edge is taken.
type EdgeKind uint8

// The kinds of edges.
const (
	Normal EdgeKind = iota
	True            // of a Branch or Next
	False
	Exc // the step raised
)

// An Edge leads to a successor.
type Edge struct {
	To   int32
	Kind EdgeKind
	// Exc is the class of the exception of an Exc edge, "*" when unknown.
	Exc string
}

// A Node is one step.
type Node struct {
	Op   Op
	Mode Mode
	Test Test // of a Branch

	Loc *Location // of an access
	// On is the class of the object that keeps Loc, as far as it is known at
	// the step: the owner of Loc or a class derived from it.
	On *program.Class
	// Obj is the object whose flag a GetFlag or SetFlag touches.
	Obj  *Value
	Path []*Value // keys of the containers around Loc, outermost first
	Key  *Value   // nil when the step touches the whole container
	Val  *Value   // what is stored, tested, returned, enqueued or spawned; what a loop takes, at its head
	Def  *Value   // default of a Read that is not strict; nil means None
	Want *Value   // what a TestEq compares with
	Res  *Value   // what the step yields, if anything

	Lock *Value // of Acquire and Release
	// Name is the source of a callee, and the exception class of a Raise.
	Name string
	// Recv is the object whose method a Call runs, if any.
	Recv *Value
	// Target is the callee of a Call, when it is in the program.
	Target *program.Func
	// Entry is what a Spawn starts, and what a Join waits for when that is
	// known.
	Entry *Entry

	Locks []*Value // held while the step runs
	Mod   *program.Module
	Fn    *program.Func // whose statement it is
	Src   ast.Node      // the expression or statement
	Stmt  ast.Stmt      // the innermost statement around Src
	Frame *Frame
	Succ  []Edge
	Pred  []int32
}

// Test is the condition of a Branch, which holds on its True edge.
type Test uint8

// The tests.
const (
	TestUnknown Test = iota // taken either way
	TestTruth               // Val is true
	TestNone                // Val is None
	TestEq                  // Val == Want
	TestLess                // Val < Want, where order matters
)

// A Frame is one call on the way from the entrypoint to a step.
type Frame struct {
	Caller *Frame // nil for the entrypoint itself
	Fn     *program.Func
	Self   *Value
	Args   []*Value        // the positional arguments, without self
	Call   ast.Node        // the call expression, nil for the entrypoint
	Mod    *program.Module // of the call expression
	depth  int
	serial int

	env     map[string]*Value
	shell   bool   // the call of a decorated function from outside
	shared  bool   // env belongs to saved places, too: see own
	closure *Frame // frame of the enclosing function
	onYield func() // body of the with statement that the function manages

	wraps *program.Func // of a closure: the function that a decorator put it around
}

// Wraps returns the function around which a decorator has put the one of the frame, with
// the class of the object that it is called on, or nil.
func (f *Frame) Wraps() (*program.Func, *program.Class) {
	if f.closure == nil || f.closure.wraps == nil {
		return nil, nil
	}
	if len(f.Args) > 0 && f.closure.wraps.SelfFunc() != nil {
		return f.closure.wraps, f.Args[0].Type.Class
	}
	return f.closure.wraps, nil
}

// A Location is where a container, flag, lock or queue is kept: an attribute of
// the objects of a class, a module global, or a local variable that a nested
// function shares. Locations are unique; compare them by pointer.
type Location struct {
	ID    string
	Name  string         // as written: the attribute or variable
	Owner *program.Class // nil for globals and locals
	Mod   *program.Module
	Fn    *program.Func // of a local
	Type  *program.Type
	// Optional reports that it is None at times.
	Optional bool
	// Settled reports that nobody but constructors assigns it.
	Settled bool
	// Confined reports that it is said to belong to one thread.
	Confined bool
	// Guard is the lock under which it is said to be used, or nil.
	Guard *Location
	// Outer is the container whose values this location is, for d[k][j].
	Outer *Location
	// Decl is where it is first assigned.
	Decl    ast.Node
	DeclMod *program.Module
}

// String returns the name with its nesting: d[] for the values of d.
func (l *Location) String() string {
	if l.Outer != nil {
		return l.Outer.String() + "[]"
	}
	return l.Name
}

// Root returns the outermost location around l.
func (l *Location) Root() *Location {
	for l.Outer != nil {
		l = l.Outer
	}
	return l
}

// Keyed reports whether the location holds a container that is used with keys.
func (l *Location) Keyed() bool { return l.Type.Kind.Keyed() }

// HoldsTools reports whether the location holds a container of locks, queues,
// threads and the like, which say nothing about the requests whose they are.
func (l *Location) HoldsTools() bool {
	k := l.Type.Element().Kind
	return l.Keyed() && (located(k) || k == program.Thread)
}

// A Graph is the access program of one entrypoint.
type Graph struct {
	Entry *Entry
	// Taught is what people tell about the program; it may be nil.
	Taught *taught.Lore
	Nodes  []Node // Nodes[0] is Start, Nodes[1] Exit, Nodes[2] Fail
	// Truncated reports that a bound cut the lowering: recursion, depth or size.
	Truncated bool

	// Barriers are the places where it has waited for what it has handed out.
	Barriers []Barrier

	effort *effort // nil for no limit
	spent  atomic.Int64

	remembers memory
	reach     reach    // memo of Leads
	lingers   lingers  // memo of Lingers
	once      once     // memo of Once
	guards    guards   // memo of Guards
	producers struct { // memo of Producer
		once sync.Once
		of   map[string]int32
	}
	formed struct { // memo of form
		once sync.Once
		sum  [sha256.Size]byte
	}
	all   dominators // over all edges
	known dominators // over KnownEdges
	loops loops      // memo of LoopsAround
	// stored maps the IDs of values to the attribute of the entrypoint's object
	// that keeps them from then on.
	stored map[string]string
	owned  map[*Location]ownership // who can reach the objects that keep them
}

// KeyID returns the ID by which other entrypoints of the same object know a
// value: that of the attribute in which a constructor keeps it, or its own.
func (g *Graph) KeyID(v *Value) string {
	if id, ok := g.stored[v.id]; ok {
		return id
	}
	return v.id
}

// Positions of the fixed nodes of a Graph.
const (
	StartNode = 0
	ExitNode  = 1
	FailNode  = 2
)

// An Entry is an entrypoint: a function in which a thread of control begins.
type Entry struct {
	Func  *program.Func
	Class *program.Class // concrete class of self; nil for plain functions
	Role  Role
	// Many reports whether several instances can run at once.
	Many bool
	// Thread is the thread that it is said to run on, or "". See package
	// directives for the names that mean something of their own.
	Thread string
	// Process reports that it is the main thread of a process of its own, which
	// shares no objects with the one that starts it.
	Process  bool
	threaded bool // it is started as a thread, too
	// Serial is the executor with one worker on which alone it runs, or "": what
	// runs there runs one after the other.
	Serial    string
	elsewhere bool // it runs on other executors, too
	// Sharded reports that a key reaches only one of the instances.
	Sharded bool
	// Forever reports that the body loops without end.
	Forever bool
	Spawns  []SpawnSite // where it starts, empty for hooks
	Graph   *Graph

	fn   *Value // the function with what is bound to it; nil for hooks
	args []*Value
	kw   map[string]*Value
}

// A SpawnSite is a place where an entrypoint is started.
type SpawnSite struct {
	Mod *program.Module
	Src ast.Node
	By  *Entry
	// Looped reports that the site runs several times whenever By does.
	Looped bool
	// On is the executor or task group of which it is a job, as in [Barrier], nil for
	// none.
	On ast.Node
	// OnAny reports that it is a job of one of which nothing is known.
	OnAny bool
	// Kept are the containers and attributes that hold the future.
	Kept []*Location
}

// Name returns the qualified name of the function, under the concrete class
// when the function is inherited.
func (e *Entry) Name() string {
	q := e.Func.Qual
	if e.Class == nil {
		return q
	}
	home := e.Func.SelfFunc()
	if home == nil || home.Class == e.Class {
		return q
	}
	return e.Class.Qual + strings.TrimPrefix(q, home.Class.Qual)
}

// Role is the kind of thread an entrypoint runs on.
type Role uint8

// The roles.
const (
	Caller   Role = iota // a hook: one thread calls all hooks of an object, in any order
	Init                 // a constructor: before the object is shared
	ThreadOf             // its own thread
	Pool                 // a worker thread of an executor
	Callback             // the thread that completes a future, a timer
	LoopTask             // a coroutine or callback on an event loop
)

var roleNames = [...]string{"caller", "init", "thread", "pool", "callback", "loop"}

func (r Role) String() string { return roleNames[r] }
