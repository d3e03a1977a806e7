/*
Package checkthenact implements KV201: an entry is found, then used as if it were still there.

# What it finds

An entrypoint finds that a container has an entry (by a membership test, an
assert, a read that succeeds, an insert, or by taking the key from a copy of the
container) and then reads or removes the entry in a way that fails when it is
gone:

	if room in self.infos:
	    self.infos.pop(room)

# Why is this a bug

The interpreter can switch threads between any two operations. Another
entrypoint that removes the entry in between makes the second one raise a
KeyError. In the loop of a worker or listener that ends the thread, and with it
all later requests; in a hook it hits the engine's main loop.

# When it reports

All of this must hold:

  - the access raises when the entry is absent, and the exception leaves the
    entrypoint: no handler takes it;
  - a walk leads from the check to the access without another check that holds;
  - a removal of the entry by another entrypoint, or by another instance of the
    same one, can run in between: the two run on different threads, or on one
    event loop with an await between check and access, and they share no lock
    that is held from the check to the access.

A test of another container of the key group counts as a check when there is no
other. An entry that the entrypoint itself has removed before is reported as
well. All uses of one container in one function that one removal breaks are one
finding, with one patch; it stands for the end of the thread (KV205), too.

No second thread is needed where a hook removes an entry strictly, for nothing but to
have it gone, and, beside it, the
entry of another container in a way that copes with an absent one, although the same
hook inserts both: that hook need not have been called for the request.

# When it does not

  - the access cannot fail (get, pop with a default, discard), or a handler in
    the entrypoint takes the exception;
  - check, access and removal hold a common lock, be it in a caller;
  - each key reaches one instance of the entrypoint only;
  - the removal takes out only what its own thread has put in;
  - the two work on objects that two owners have each made for themselves, or need another
    mode of one object, an attribute that its constructor alone sets;
  - the removal is in a method that nobody calls, of a part that its owner makes and calls;
  - the key was taken from a container with pop, so that no other thread has it;
  - the thread has claimed the key: put it into a set in which it has not found it, under
    one lock, or taken out an entry that is only made beside this one, and whatever
    removes does the same, or finds under the lock that nobody has;
  - the keys are numbers of slots, tested against bounds before anything is stored, both
    sides have them from a list of their work, and what takes an entry out puts a new one
    in its place: whoever fills a slot has been given it;
  - the removal comes before the thread is started, once and in any case;
  - the other side waits for the thread to end before it removes, or empties
    several containers to close the object.

# Fixes

Make the access tolerant: pop with a default, discard, get and a test for None. Look
the entry up once and keep it, before the statement or in place of the test, and remove
it if it is still there; or look it up and leave where it is absent. A function that
only returns the entry answers None to callers who only compare it. Put back what was
taken out to be moved. Where the removal holds a lock, hold it from the check to the
access. Where one function does all that is done with a container, give it a lock of
its own; what is read in the end is used after the lock. What changes the entry that was
tested, as d[k] += 1 does, shares a new lock with all that stores or removes one. A
look-up that comes before something that takes time needs review.

# Known gaps

A read with no check before it is a matter of KV205. Whether a handler that
swallows the exception concludes the request is a matter of KV103. Containers
that no class keeps are not looked at; kvrace map shows them.
*/
package checkthenact
