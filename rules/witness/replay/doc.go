// Package replay turns a schedule into a Python program that shows it.
//
// The program is a slice: the statements of the access programs that touch
// what the property speaks of, with the control flow around them. Each
// function of the code that is left becomes a generator which yields before
// each access; a driver lets the threads run one access at a time, in the
// order of the schedule, and then everything that can still run without
// anything from outside. In the end it tells whether the property is violated.
//
// Branches on tracked state are really evaluated, on containers that behave as
// those of Python do. What the slice cannot decide takes the outcome that it
// has in the schedule, and is listed as assumed. Calls that touch nothing of
// interest are cut, and listed too.
//
// The same schedule is written for the patched code. Places are called by
// function and text, so that they keep their names when lines move: a step
// that the patched code does not have is skipped, one that it has in addition
// is done on the way.
//
// A replay proves the slice, not the program. Where a slice would have to
// pretend, there is none: a [Refusal] says why.
package replay
