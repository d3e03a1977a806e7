/*
Package abortnotpropagated implements KV104: an abort reaches only some of those that have to know of it.

# What it finds

Several places say that a request is over: a flag of its handle, an entry of the
shared status, a set of ids that a worker skips, a set that a hook returns. An
abort, or the loss of a peer, writes one of them:

	def abort(self):
	    self.conclusion = FAILED        # poll() reads it

	def _work(self):
	    if self.status.get(room) != PENDING:
	        continue                    # never true for an aborted request
	    self.engine.send(room)

# Why is this a bug

Whoever reads the other place goes on with a request that is over: it sends into
memory that may belong to another request by now, stores a success over the
abort, or waits for a word that never comes.

# When it reports

  - a hook stores a failure in its handle and leaves the shared status alone,
    which a thread tests before it acts;
  - an entrypoint stores a failure in the status, and not the mark by which a
    thread is stopped, although another entrypoint stores both;
  - of two statuses that a request is given when it begins, one is concluded and
    the other one, which has a poller too, is not;
  - a hook marks a request, the thread drops what is marked without reporting it,
    and the hook does not report it either;
  - a class leaves to a method that does nothing what its siblings use to
    conclude.

# When it does not

  - the entry is removed and the thread stops at one that is gone;
  - a helper or the method of the base class writes the rest;
  - nothing decides by the place that is not written;
  - the poller itself concludes.

# Fixes

Write the missing carrier beside the other one: a mark in the form in which another
entrypoint sets it, a second map as the first one is written, the status of a manager
by the method of it that stores one.

# Known gaps

What a message to the peer brings about is not followed.
*/
package abortnotpropagated
