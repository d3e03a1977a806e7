/*
Package iteratewhilemutated implements KV202: a container changes while a loop walks over it.

# What it finds

A loop or comprehension walks over a shared container itself, and an insert or a
removal can happen before it takes its next element: by another entrypoint, or in
the body of the loop:

	for rid in self.open:
	    if self.poll(rid):
	        self.open.remove(rid)

# Why is this a bug

A dictionary, set or deque that changes its size raises a RuntimeError at the next
step of the loop; in a thread that is the end of the thread. A list does not raise:
the loop skips the neighbours of what was removed.

# When it reports

All of this must hold:

  - the loop is live: it does not walk over a copy;
  - a step inserts or removes entries of the container: in the body with a way on
    to the next element, or in another entrypoint that can run beside the loop
    with no lock in common, on an event loop only if there is an await in the body;
  - the exception leaves the entrypoint, or the container is a list, of which
    elements are removed.

# When it does not

  - the loop walks over list(d), sorted(d), a copy or another snapshot;
  - the change only replaces the value of an entry that is there;
  - the loop is left at once after the change;
  - the loop walks over a list from its end and removes what it has taken;
  - the attribute is only bound to another container: the loop keeps the old one;
  - elements are appended to a list, or a handler takes the RuntimeError;
  - an inner container was taken out of the outer one before, or its entries are
    counted by whoever inserts them, so that the loop runs when it is complete;
  - a hook fills a table that never shrinks with all that it is given;
  - one of the two has waited for the other to end: it has joined the thread, left the
    with statement of the executor or task group, or waited for all its futures;
  - the loop looks up, in a defaultdict, the key that it has just taken;
  - the container is emptied after the loop, which closes or takes over what is in
    it: whether that loses something is a matter of KV204.

A filtered copy that is stored back is a matter of KV204.

# Fixes

Walk over a snapshot. It is taken in one step, so it needs no lock. Of an iterator that
the loop goes on with by hand, a snapshot is made where the iterator is. A loop that
removes other entries than the one it has taken leaves out those that have gone when it
comes to them. One that counts along by hand, and removes from a list what stands at the
count, must not count what it has removed; where it does, and the count is not the last
thing that it does, there is no patch.

A loop that removes from a list what stands at the place which it counts goes backwards
over a snapshot, so that the places before keep their elements; one that may be left on
the way removes them after it. A loop that walks over what it adds itself has to see the
list change: it gets a lock, and so does whatever else stores or removes entries. That is
for a person to judge, since whatever the loop calls runs under the lock as well. There is
none where the loop waits for something.

# Known gaps

Changes by code outside of the program are not seen, nor are containers that only
local variables hold.
*/
package iteratewhilemutated
