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
shows that there is one, and whoever stores the first status keeps one that is there.
Otherwise move the removal under the guard, store the guarded entry first, where one function
stores both, or, where it is in another container, give the other side of the guard its
terminal write. Where the
entry is what every conclusion asks for, conclude the request before it is removed.

# Known gaps

A removal that moves under the guard leaves an event that comes before the first status
without effect: it is what is offered where a setter stores first and later words alike. A
conclusion that code outside the program makes is not seen. An early return
between the removal and the write is reported when it depends on a container of
the key group, not when it depends on the message alone.
*/
package conditionalcleanup
