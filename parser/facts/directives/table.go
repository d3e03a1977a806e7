package directives

import (
	"path"
	"slices"
	"strings"
)

// A Table is what the configuration tells the analysis about a program, beside
// the comments in it. The zero value tells nothing.
type Table struct {
	// Hooks are the names of methods that a framework calls, whatever the
	// program itself does with them.
	Hooks []string
	// Polls are those of them that answer with the status of a request.
	Polls []string
	// Clears are those of them that forget a request.
	Clears []string
	// Terminal are statuses that end a request, as they are written: DONE,
	// Status.DONE, "done" or 3.
	Terminal []string
	// Pairs are calls that take something, and those that give it back.
	Pairs []Pair
	// Locks are attributes that exclude like a lock: gate, or Depot.gate.
	Locks []string
	// Threads are the threads of functions.
	Threads []ThreadOf
}

// Words returns the names that code must have for the table to tell something
// about it; a nil table has none.
func (t *Table) Words() []string {
	if t == nil {
		return nil
	}
	words := slices.Concat(t.Hooks, t.Terminal, t.Locks)
	for _, p := range t.Pairs {
		words = append(words, p.Acquire, p.Release)
	}
	for _, th := range t.Threads {
		words = append(words, th.Pattern)
	}
	for i, word := range words {
		// What is left of a dotted name or a pattern is in the code, too.
		word = word[strings.LastIndexByte(word, '.')+1:]
		parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(`*?[]\\"'`, r) })
		words[i] = ""
		for _, part := range parts {
			if len(part) > len(words[i]) {
				words[i] = part
			}
		}
	}
	return words
}

// A Pair is the names of two functions.
type Pair struct{ Acquire, Release string }

// A ThreadOf says on which thread the functions run whose qualified name fits a
// pattern, as in path.Match. See [Thread] for the names of threads.
type ThreadOf struct{ Pattern, Thread string }

// Names of threads that mean something of their own. Any other name is that of
// one thread, which runs nothing else at the same time.
const (
	CallerThread = "caller" // the thread that calls the hooks of an object
	LoopThread   = "loop"   // the event loop
	PoolThread   = "pool"   // several threads at once
)

// Thread returns the thread that the table gives to a function, by its
// qualified name and the dotted path of its module, or "". The pattern may
// begin anywhere in the dotted name; the longest one that fits decides.
func (t *Table) Thread(module, qual string) string {
	full := module + "." + qual
	best := ThreadOf{}
	for _, th := range t.Threads {
		if (len(th.Pattern) > len(best.Pattern) || len(th.Pattern) == len(best.Pattern) && th.Pattern < best.Pattern) && fits(th.Pattern, full) {
			best = th
		}
	}
	return best.Thread
}

// fits reports whether a pattern matches a dotted name from one of its parts on.
func fits(pattern, name string) bool {
	for {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			return false
		}
		name = rest
	}
}

// Lock reports whether the table calls an attribute of a class a lock.
func (t *Table) Lock(class, attr string) bool {
	return slices.ContainsFunc(t.Locks, func(name string) bool {
		return name == attr || name == class+"."+attr
	})
}
