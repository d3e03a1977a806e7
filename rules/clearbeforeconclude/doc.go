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

Conclude first, then remove. Where the conclusion cannot be had earlier, the removal goes
behind it: into the finally clause that concludes, or behind the store in the same block when
a hook removes the entry of a request that is not concluded, so that nothing stays when what
is waited for raises. Where the removal cannot wait either, as when something in between looks
at the entries, what a finally clause concludes in any case is concluded at once.

# Known gaps

A membership test of the entry is not taken for a use of it.
*/
package clearbeforeconclude
