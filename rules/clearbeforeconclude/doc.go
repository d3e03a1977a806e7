/*
Package clearbeforeconclude implements KV107: the shared entry of a request is removed before the request is concluded.

# What it finds

An abort, a failure or a timeout removes the entry first and says that the
request is over only afterwards, while a poller looks in the other order: it
tests the conclusion, and then uses the entry:

	def fail(self):
	    self.table.pop(self.room, None)
	    self.conclusion = FAILED

	def poll(self):
	    if self.conclusion is not None:
	        return self.conclusion
	    return self.table[self.room]

The conclusion can be a flag of the handle, an entry of a second map or set.

# Why is this a bug

Between the two statements the request is in neither place. A poll in between
passes the test and then raises a KeyError, or takes the missing entry for
something that it is not. The same state lasts for ever when what stands between
the two statements raises.

# When it reports

All of this must hold:

  - one entrypoint removes the entry of a key and later concludes the same
    request, which it has not done before;
  - a hook reads the entry only where the conclusion is not there yet, and an
    absent entry makes it raise, or give an answer that no other state gives;
  - the hook can run in between: on another thread, or at an await between the
    two, with no lock that covers both; or the removal itself, or a call between
    the two, can raise out of the entrypoint.

# When it does not

  - the conclusion comes first;
  - an absent entry reads as the same answer as the conclusion;
  - both happen in one critical section of the lock that the hook takes.

# Fixes

Conclude first, then remove. The reason and the like that is stored right before the conclusion
goes with it. What takes a lock, may wait or calls unknown code does not get under a lock that
it was not under; the removal stays under its own. Where the conclusion cannot be had
earlier, or looks at the entries, the removal goes behind it: into the finally clause that concludes, or
behind the store in the same block when nothing in between raises or a hook removes the entry of a
request that is not concluded, or else into a finally clause around all that leads to the
conclusion, so that nothing stays when what is waited for raises. Where the removal cannot
wait either, as when something in between looks at the entries, or when the entry decides who ends
the request, what a finally clause concludes
in any case is concluded at once.

# Known gaps

A membership test of the entry is not taken for a use of it. There is no patch where a
function that concludes also looks at what is left without the entry, or where what has been
removed is used before the conclusion. Behind a finally clause around all that leads to the
conclusion, a request for which that raises has neither, as before: what to conclude it
with then is for its author to say.
*/
package clearbeforeconclude
