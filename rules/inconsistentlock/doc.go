/*
Package inconsistentlock implements KV203: a container is written without the lock that the others hold.

# What it finds

Most accesses of a container hold one lock, and some entrypoint rests on that: it
tests the container and then writes it, all under the lock. Another entrypoint
writes it without the lock:

	with self.lock:
	    if self.state.get(rid) != FAILED:
	        self.state[rid] = DONE

	self.state[rid] = FAILED   # elsewhere, no lock

# Why is this a bug

The write comes between the test and what follows from it. A single operation is
atomic, so the container stays whole, but the decision is made on what is no longer
true: a failure is overwritten, an entry exists twice, a removed one comes back.

# When it reports

All of this must hold:

  - at least three places access the container with the lock, and they are more
    than those without;
  - the access here writes and holds no lock in common with them;
  - another entrypoint, which can run at the same time on another thread, reads and
    then writes the container under one hold of the lock.

# When it does not

  - the access only reads;
  - a caller holds the lock;
  - the two are on one thread, or a key reaches one thread only;
  - the locked side does nothing but single operations: these are atomic anyway;
  - the same danger has a name of its own: the locked side fails on an absent entry
    (KV201), walks over the container (KV202) or counts (KV204).

# Fixes

Hold the lock.

# Known gaps

Reads without the lock are not reported, even where something is decided by them.
*/
package inconsistentlock
