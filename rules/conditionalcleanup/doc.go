/*
Package conditionalcleanup implements KV101: an entry of a request is removed whether or not the request is concluded.

# What it finds

A handler removes a companion of a request (its transfer info, its lease, its
timer) on every path, but stores the terminal status, or reports the request as
finished, only behind a guard on another container of the same key group:

	self.peers.pop(room, None)
	if room in self.status:
	    self.status[room] = FAILED

# Why is this a bug

When the guard is false while the request is alive, the request loses what would
have carried it on and gains nothing that ends it. The guard is false when the
status is registered later than the companion, or when another thread removes
what the guard tests. Nobody concludes the request any more: its client waits for
ever, a gauge stays up, nothing is logged.

# When it reports

All of this must hold:

  - one entrypoint has a path that removes an entry of the key and ends without
    a terminal write for it, and a path that does both;
  - the paths part at a guard on a container of the key group;
  - the guard can be false while the request is alive: some entrypoint publishes
    the companion before the status is known to be registered, or another thread
    removes what the guard tests and concludes nothing.

# When it does not

  - nothing is removed beside the guard;
  - the other side of the guard concludes the request in another way;
  - the guard is false only for requests that are over: it tests for a terminal
    status, or for an entry that goes away together with the request.

# Fixes

Where the guard asks for the status, conclude a request that has none yet as well: the entry
shows that there is one, all that goes with the conclusion is done for it, too, and whoever stores
the first status keeps one that is there. A later status, or one that is given, is stored unless
the request has failed. A guard that leaves early does so only where there was no entry either.
None of this where what goes with the conclusion needs what comes with the status, or where a
request must not have a status when it begins. Where the guard asks for an entry of another
container, its other side gets the terminal write. Otherwise store the guarded entry first, where
one function stores both, or move the removal, with the test or try statement that makes it
tolerant, behind what the guard governs. Where the entry is what every conclusion asks for, conclude
the request before it is removed.

No status is kept where a key can come again with the last one: where the entry and the status are
not removed together, or a method that begins a request is also called by another one. All
these patches are for review.

# Known gaps

A removal that moves under the guard leaves an event that comes before what the guard asks for
without effect, and is not verified where the request does not end then. There is no
patch where removal and guard are in critical sections of their own: what the first
finds does not hold in the second. A conclusion that code outside the program makes is not seen. An early return
between the removal and the write is reported when it depends on a container of
the key group, not when it depends on the message alone.
*/
package conditionalcleanup
