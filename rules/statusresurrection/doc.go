/*
Package statusresurrection implements KV106: an entry that was removed comes back, and nobody removes it again.

# What it finds

One entrypoint removes the entries of a request; another one, which runs at the
same time, stores an entry for the same request without a test that it is still
known. Storing is whatever can make an entry: d[k] = v, d[k] += 1, setdefault,
update, and the mere look-up of a defaultdict.

	def listen(self):
	    while True:
	        note = self.socket.receive()
	        self.peers.setdefault(note.rid, {})[note.rank] = note.address

	def clear(self, rid):
	    self.peers.pop(rid, None)

# Why is this a bug

A message, a result or an acknowledgement that is late makes an entry for a
request that is gone. A request is cleared once, so the entry stays: memory
grows, and the next request with the same id starts with what is left of the
former one. Where a sweep reports what it finds, the request is released twice.

# When it reports

All of this must hold:

  - an entrypoint stores the entry, and another one, on another thread or across
    an await, removes it;
  - the key is known before: another entrypoint registers the request in the same
    container, or in one that is cleared with it. Through a setter that stores
    what it is given, constructors register requests by the constants that they
    pass, and whoever passes others comes later. Or the remover concludes the
    request whether or not it finds the entry, and the store comes later;
  - no test for the key holds until the store: there is none, or the lock is
    released, or something slow runs, between the test and the store;
  - no sweep removes the entry, or the sweep concludes the request a second time.

A list, deque or set of requests is reported when what ends a request strikes it
off, whether it is on there or not, a hook puts it on without asking for a mark
of that, and a sweep ends what it finds.

The reverse is reported as well: a message about a request that is not known is
ignored, a hook stores the request without any test, a sweep by the clock is all
that ends it then, and nothing in the program tells the other side of it.

# When it does not

  - the test for the key and the store are under the lock of the remover, or
    next to each other; a loop that takes the key from a container which is
    cleared with it, or from a list of such keys, is a test as well;
  - one thread stores and removes, or commands reach it through one queue;
  - the handler that stores removes the entry again before it is done;
  - the remover takes the result that the store has left, as a consumer does;
  - a late event is ignored on purpose, by a mark that the remover leaves;
  - the store is reached only by a status with which requests are registered;
  - the store takes over all that waits in another container, which the remover takes the
    key out of as well, or which the key has left before the removal can find it;
  - the store takes over a list of which nothing but entries that are named is ever struck;
  - the hook that stores goes on to tell others of the request: what they answer
    comes later.

# Fixes

Ignore the event when the request is not known any more, under the lock of the
remover. What follows the store up is ignored with it, and what happens in any case, as telling
a queue that an item is done does, still happens; where the two cannot be told apart there is no
patch. What a patch leaves out that somebody may wait for, or that the program keeps on purpose
though it comes early, its title says. Where the store asks for that under a lock, take the lock at the removal. Where
the request becomes known by the store itself, let the remover note what it has ended too
early, and the store take the note back instead; the note stays where the request never
comes. Where a setter is what registers
requests, let it make one known only by a status that does. Where the store takes over all that
waits, let the remover take the key out of what waits. A message that comes before its request
is kept for a minute and heard again at each call: what is early cannot be told from what is
late, so neither is kept for ever. That is suggested for a hook which goes over all messages
that have come, in one loop; a thread that waits for the next one would hear it too late.

# Known gaps

A test for the key that stands directly before the store, without a lock, is
taken to hold: KV201 reports what can go wrong there. A late event with a status that
registers requests, too, brings one back through a setter. Entries of inner containers
are not looked at, nor containers that are keyed by a peer and list its requests.
*/
package statusresurrection
