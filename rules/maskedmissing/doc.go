/*
Package maskedmissing implements KV110: a poller takes a request whose entry was removed for one that waits.

# What it finds

A hook answers for a missing entry what it answers for a request that has just
begun: by a default, a conditional expression, a handler of KeyError, a case for
None, or the factory of a defaultdict. Another entrypoint removes entries.

	def poll(self, rid):
	    return self.states.get(rid, State.PENDING)

	def abort(self, rid):
	    self.states.pop(rid, None)

# Why is this a bug

A request is registered from its beginning, so one without an entry was taken
off, and whatever could end it has gone with the entry. Its poller is told to
wait and asks again, for ever.

# When it reports

All of this must hold:

  - a hook registers the request in the container before it is polled;
  - with the entry absent, and with it everything that the remover removes, the
    poller has one answer, and that is the answer for a request that is not over;
  - another answer exists for at least one of the values that are stored;
  - another entrypoint removes the entry of a request that is not over.

A hook that walks the requests that wait is a poller as well, when it keeps a
request whose entry is missing, and another entrypoint removes the entry alone.

# When it does not

  - the poller has a deadline of its own, which ends a request without an entry;
  - the remover sets a flag that the poller answers first, or another hook of the handle
    runs it when it has set one: it is what comes last;
  - the entry is made by a thread later, so that a missing one has not come yet;
  - the owner of the request removes the entry after it has seen the end of it.

# Fixes

Answer for a missing entry what is answered for a failed request, also where a match
statement tells the answers apart.

# Known gaps

What is answered is followed for constants. A poller whose callers are all known
is not looked at.
*/
package maskedmissing
