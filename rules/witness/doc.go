// Package witness searches for a schedule that shows a defect.
//
// A [Problem] is a handful of access programs, the locations whose content for
// one symbolic key matters, and the property that the schedule must violate.
// [Search] explores every interleaving of the programs within a [Bound] and
// answers found, excluded, or bound reached. [Check] validates a schedule with
// code that shares nothing with the search, and [Doubt] tells where an exclusion
// rests on what the model leaves out.
//
// # Model
//
// There is one key. An access whose key may be that key is taken to have it;
// an access with a constant as key, or with an element that stands for another
// request, has no effect. Each tracked location is absent, or holds an abstract
// value: a constant, or one of a few approximations of an unknown value.
//
// Threads interleave at operations on tracked state that another thread
// touches too. A lock excludes; a coroutine lets others of its loop run only
// at an await. The hooks of an object are called by one client, constructors
// first, in any order that the protocol of the hooks allows, and none where a
// constructor has raised. A loop that takes messages from outside takes any
// number of them; a loop that takes items from a tracked queue waits while it is
// empty. A condition that does not depend on tracked state goes either way.
//
// # Reduction
//
// A step that only its own thread can notice is executed together with the
// step before it: it is not a scheduling point. So are operations on a location
// that one thread alone touches, that nobody writes, or that every thread
// touches under one common lock. What acquires a lock, begins a hook or takes
// a message is executed together with the step after it. This is the theory of
// movers of Lipton (Reduction, CACM 1975), with the classes computed once per
// problem. What was done under a lock can be noticed from its release on, so the
// next scheduling point is another step. While a constructor runs and
// nothing else can, no operation on a location is a scheduling point, and what only
// constructors test is forgotten when the last of them has returned.
//
// # Order
//
// Few threads suffice for most schedules, so sets of them are tried, small ones
// first: to begin with, the programs of one way along the path, sliced as if there
// were no others. Within a set, states that have passed most of the path of the
// problem go first; of these, by turns, those with a content that no state before had,
// and those from which a thread has the shortest way to the next place. The order
// decides how soon a schedule is found, and which, but not whether there is one.
package witness
