/*
Package lostupdate implements KV204: what one thread stores is overwritten by another that has not seen it.

# What it finds

An entrypoint reads shared state and writes back what it has computed from that,
or throws it away, while another entrypoint writes in between:

	self.waiting = [r for r in self.waiting if not r.done]   # filter and store back

	done.update(self.failed)                                 # copy, then clear
	self.failed.clear()

	self.used += size                                        # read, add, write

# Why is this a bug

An id that is added between the copy and the clear is in neither: its request
never finishes. An entry that is added while a filtered copy is made is gone with
the old container, and one that is removed comes back. A counter drifts, and what
is decided by it goes wrong for good.

# When it reports

  - a container is filtered and stored back, and another entrypoint can insert
    or remove in between;
  - a container is copied and then emptied, and another entrypoint can insert in
    between;
  - an entry or attribute is changed with += or the like, or an attribute as in
    self.n = self.n - 1, in two entrypoints, or in two instances of one, and a
    condition depends on it.

The two must really run at once: on different threads, or on one event loop with
an await in between, and without a common lock from the read to the write.

# When it does not

  - a lock covers both, be it in a caller;
  - a loop walks over the container once more, to its end, before it is emptied;
  - each key reaches one instance of the entrypoint only, or its instances take
    turns: each round waits first, for an event of its own, for its number under a
    condition or for the one token, and hands on the turn when it has written, with
    what no other code of the program has;
  - the container changes in place, by single operations;
  - the attribute belongs to an object that no other thread has, or only counts
    for statistics: all that its conditions decide is what is logged.

# Fixes

Change the container in place, by operations that are atomic; take elements out
one by one instead of copy and clear, or remove from a set only what was copied; hold the
lock that the other side holds. Where there is none, both sides get one, which is held
from the first to the last use in a function as far as nothing slow comes between, and
wherever an attribute is set anew. On an event loop, empty a container right after it is
copied, before anything is awaited.

# Known gaps

A swap (taken, self.done = self.done, set()) is taken to be atomic, although an
insert that has already loaded the old container can be late. A filtered copy that
a loop builds statement by statement is not recognized.
*/
package lostupdate
