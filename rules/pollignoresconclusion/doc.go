/*
Package pollignoresconclusion implements KV102: a poller answers that a request is alive without reading what says that it is over.

# What it finds

An abort, a failure or a timeout concludes a request in one place, and the
poller looks in another:

	def abort(self):
	    self.conclusion = FAILED

	def poll(self):
	    return self.manager.status.get(self.room, WAITING)

What concludes can be a flag of the handle, or a set or map beside the status:
keys that workers drop, errors that are noted instead of a status, a set of ids
that the hook which reports finished requests never empties.

# Why is this a bug

The scheduler keeps a request as long as its poller does not answer with a
terminal status. It will never do so for this one.

# When it reports

For each concrete class, after inheritance:

  - a poller has a path to an answer that is not terminal and that does not read
    the carrier;
  - a hook of the same class stores a terminal value in it, or a thread notes the
    key in it instead of concluding, or whatever else concludes skips a key that
    is noted in it;
  - nothing copies the carrier to where the poller looks.

A queue is reported, too, when it leaves out the poll of what was ready once:

	if all(entry.ready for entry in self.entries):
	    return

A hook that concludes an entry after that is not noticed while the queue does not
move.

# When it does not

  - the same hook also stores a terminal status that the poller reads: on every
    path on which the request is not over already, and where an absent entry does
    not read as alive;
  - a thread that needs no further input concludes what it finds noted;
  - every concrete class overrides the poller;
  - the queue polls its entries elsewhere, or whoever concludes one takes it out,
    takes back that it is ready, or stores something else in it.

# Fixes

Test the carrier first in the poller, as sibling classes do. A queue polls an entry
all the same when its carrier is set.

# Known gaps

A queue that leaves out the poll for another reason than a flag of its entries, a
count of them for example, is not seen.
*/
package pollignoresconclusion
