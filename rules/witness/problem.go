package witness

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A Property is what a schedule violates.
type Property uint8

// The properties.
const (
	// NoPin (P1): a request that was triggered is concluded in the end.
	NoPin Property = iota
	// NoRevival (P2): an entry does not come back after the last cleanup.
	NoRevival
	// NoThreadDeath (P3): no exception leaves a thread.
	NoThreadDeath
	// NoOverwrite (P4): a terminal status is not replaced.
	NoOverwrite
	// NoRemains (P5): after the way out no watched location has the key.
	NoRemains
	// NoDoubleRelease (P6): nothing is released twice.
	NoDoubleRelease
	// NoLostUpdate (P7): an update does not undo what another thread did since
	// the read that it rests on.
	NoLostUpdate
	// NoPassage (P8): the steps of Problem.Path do not happen in their order.
	NoPassage
)

var propertyNames = [...]string{"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"}

// String returns the short name of the property, P1 to P8.
func (p Property) String() string { return propertyNames[p] }

// Hook says what a hook means to the protocol of its object.
type Hook uint8

// The kinds of hooks.
const (
	// PlainHook is called any number of times, while the request is not known
	// to be over.
	PlainHook Hook = iota
	// PollHook returns the status of the request.
	PollHook
	// AbortHook ends the request early. It is called because of something
	// outside, so nothing may rely on it.
	AbortHook
	// ClearHook drops the request. It is called once, after a poll returned a
	// terminal value when there is a poll, and nothing is called after it.
	ClearHook
)

// An Actor is one entrypoint of a problem.
type Actor struct {
	Entry *flow.Entry
	Hook  Hook // of an entrypoint on the caller's thread
	// Drops says that the hook drops the request, though it may be called at any time: what
	// a finding is about. Whoever waits may still poll, until it is over; nothing brings the
	// request in again.
	Drops bool
	// Instances is how many can run at once; 0 stands for two when there can
	// be many that see the same key, else one.
	Instances int
	// Task says that the hook is a coroutine: it runs at any time, beside the
	// other hooks, and lets them run at its awaits.
	Task bool
	// OnLoop says that it runs on the event loop, where nothing comes between
	// its steps but at an await. Coroutines do in any case.
	OnLoop bool
}

// A Mark is a place in a graph, and when passing it counts.
type Mark struct {
	Entry *flow.Entry
	Node  int32
	// To restricts the mark to the edge to that step; 0 stands for any.
	To int32
	// Loc is the location that the conditions speak of; nil stands for the one
	// that the step touches.
	Loc *flow.Location
	// Present restricts the mark to when Loc has the key before the step, and
	// Absent to when it has not.
	Present, Absent bool
	// Pending restricts the mark to when the status that the step finds in Loc,
	// or that it returns, is not terminal.
	Pending bool
	// Arrives says that it counts to come to the step, though it may block.
	Arrives bool
	// Raises restricts the mark to when the step raises, and makes a step that
	// is outside of tracked state do so at times.
	Raises bool
	// Takes restricts the mark to when a loop takes an element.
	Takes Taking
	// Same restricts a mark of a path to the thread that passed the first place
	// of it, and Other to the other threads.
	Same, Other bool
}

// Taking says which element a loop takes.
type Taking uint8

// The elements.
const (
	AnyStep      Taking = iota // whether or not it takes one
	AnyElement                 // of the key or another one
	KeyElement                 // of the key
	OtherElement               // of another key
)

// NamesAnother reports whether a step looks in a list for what an element of that list
// names, as in xs.remove(x.parent): that is another element than the one it has at hand.
func NamesAnother(n *flow.Node) bool {
	if n.Loc == nil || n.Loc.Type.Kind != program.List || n.Key == nil || n.Key.Kind != flow.Attribute {
		return false
	}
	of := n.Key.Base
	return of != nil && of.Kind == flow.Element && of.Loc == n.Loc
}

// A Sight is whatever an entrypoint does with a location.
type Sight struct {
	Entry *flow.Entry
	Loc   *flow.Location
}

// A Cond is a condition on the content of a location for the key.
type Cond struct {
	Loc *flow.Location
	// Values are the values of which it has one; without any, the condition
	// is that the location has an entry.
	Values []*flow.Value
	// Not negates the condition.
	Not bool
}

// A Problem is one question to the search.
type Problem struct {
	Property Property
	// Actors are the entrypoints that run. Constructors are called first, in
	// this order.
	Actors []Actor
	// Track are the locations whose content may matter: the containers of the
	// key group, flags and queues. A queue that is tracked gets its items from
	// the actors alone; one that is not is filled from outside. Locks need not
	// be listed.
	Track []*flow.Location
	// Terminal are the values after which the poller lets go of the request.
	Terminal []*flow.Value
	// Status are the locations that hold a status (P4).
	Status []*flow.Location
	// Drained are containers that a hook empties and returns: the request is
	// over when a hook has taken the key from one.
	Drained []*flow.Location
	// Watch are the locations that must not have the key in the end (P2, P5).
	Watch []*flow.Location
	// Trigger are the places after which the request must be concluded (P1), or
	// its entries gone (P2, P5). Without any, that is the return of an abort
	// hook (P1) or of a clear hook (P2, P5).
	Trigger []Mark
	// Live are the conditions that hold while somebody waits for the request.
	// A client that has been constructed and has seen no terminal value waits
	// for it in any case.
	Live []Cond
	// Forgotten are containers of futures that lose some for which nobody has waited:
	// to wait for what is in them is not to wait for all.
	Forgotten []*flow.Location
	// Tag is the constant that the messages which arrive begin with, as far as the
	// problem is about one. The search does not look into messages; a replay of
	// changed code does, which may test for it.
	Tag string
	// Concluded are conditions of which each alone concludes the request, beside
	// a poll that returns a terminal value.
	Concluded []Cond
	// Victim is the entrypoint whose exception counts (P3); nil stands for any
	// but hooks.
	Victim *flow.Entry
	// Victims are the steps that count: their exceptions when they leave the
	// entrypoint (P3), the status or the update that they store (P4, P7).
	// Without any, all do.
	Victims []Mark
	// Path are the places that a schedule passes in this order, of each element
	// one. That violates P8; to the properties that speak of what happens in
	// the end (P1, P2, P5) it is the trigger. A place of Undo makes it begin
	// anew, unless it is the next place of the path.
	Path [][]Mark
	Undo []Mark
	// Must is how many of the first places of the path a replay of changed code has to
	// pass: without them it shows nothing. It need not when the problem is about a request
	// that has to end (Ends), and the request does.
	Must int
	Ends bool
	// Sight is an entrypoint and a location. In changed code, whatever the entrypoint
	// does with that is a place of Undo.
	Sight *Sight
	// Granted are sides of branches that a replay of changed code takes, where the schedule
	// does not come to the branch.
	Granted []Mark
	// Beside are locations of Track that matter whatever the rest of the problem is
	// about.
	Beside []*flow.Location
	// Release and Reset are the places that release a resource, and that take
	// it (P6). Without any that take it, it is held once from the start.
	Release, Reset []Mark
	// Initial are values of flags before any constructor.
	Initial map[*flow.Location]*flow.Value
	// OtherKey reports that a step does not touch the entry of the key, for
	// what the values of a graph do not show. It may be nil.
	OtherKey func(e *flow.Entry, n *flow.Node) bool

	// firm are the values of which threads remember what tests have shown.
	firm firm
}

// Faults says which exceptions of steps outside tracked state occur.
type Faults uint8

// The choices of faults.
const (
	// HandledFaults: those that a handler catches.
	HandledFaults Faults = iota
	// AllFaults: any, and failing assertions on unknown conditions.
	AllFaults
	// NoFaults: none.
	NoFaults
)

// A Bound limits a search. The zero value of a field stands for its default.
type Bound struct {
	States     int // distinct states, 50000
	Part       int // those of a search with some of the threads, 500
	Steps      int // scheduling steps of one schedule, 200
	Iterations int // items of one loop over something unknown, 2
	Faults     Faults
}

func (b Bound) withDefaults() Bound {
	for _, d := range []struct {
		field *int
		value int
	}{{&b.States, 50000}, {&b.Part, 500}, {&b.Steps, 200}, {&b.Iterations, 2}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return b
}

// A Verdict says how a search ended.
type Verdict uint8

// The verdicts.
const (
	Bounded  Verdict = iota // the bound was reached, nothing is known
	Found                   // a schedule violates the property
	Excluded                // no schedule within the model does
)

var verdictNames = [...]string{"bound", "found", "excluded"}

func (v Verdict) String() string { return verdictNames[v] }

// A Result is the answer to a problem.
type Result struct {
	Verdict Verdict
	// Schedule is what happens on tracked state, in order, and Trace every step
	// behind it; both are empty unless a schedule was found.
	Schedule []Step
	Trace    []Event
	// Tracked are the locations that turned out to matter, and Present those of
	// them that have the key from the start: nothing in the problem fills them,
	// so something outside must.
	Tracked, Present []*flow.Location
	// States is the number of distinct states that were reached.
	States int
	// Reason tells which bound was reached.
	Reason string
	// Assumptions are what a reader must check.
	Assumptions []string
}

// An Event is one step of one thread, and the step that its thread does next.
type Event struct {
	Thread int // 0 is the client that calls constructors and hooks
	Entry  *flow.Entry
	Node   int32
	To     int32 // -1 at the end of a run
	// Key reports, for the head of a loop, whether the element taken is that of
	// the key, and for a change of a whole container whether the key is in it
	// afterwards.
	Key bool
	// Skipped reports that the step does not matter to the property. If it is
	// a branch, the side taken is one of those possible, not what would happen.
	Skipped bool
}

// A Step is an event that a reader wants to see.
type Step struct {
	Event  int // index of the event in the trace
	Entry  *flow.Entry
	Thread int
	Node   *flow.Node
	File   string
	Line   int // from 1
	// Action is the step in the words of the source, with its outcome, such as
	// "7 in status? no".
	Action string
	// State maps the name of each tracked container and flag to its content
	// for the key after the step.
	State map[string]string
	// Input reports whether the step needs something from outside: a message,
	// or an abort.
	Input bool
}
