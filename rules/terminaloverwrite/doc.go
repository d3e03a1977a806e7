/*
Package terminaloverwrite implements KV105: a status replaces one that says that the request is over.

# What it finds

A request has failed, or was aborted, and then something stores another status
for it:

	with self.lock:
	    if self.status.get(room) != OPEN:
	        return
	self.engine.copy(room)           # abort() stores FAILED meanwhile
	with self.lock:
	    self.status[room] = DONE

The same happens where the greater of two statuses is kept and the failure is
the least of them, where a function that may have failed the request returns and
its caller goes on, and where a finally clause stores a success after a handler
has stored a failure.

# Why is this a bug

What was told that the request is over has given its memory back and forgotten
it. The new status brings it back to life, or tells a success of a transfer that
nobody waits for. A poller that has not looked in between never learns of the
failure.

# When it reports

  - a walk stores a terminal status and then another one, with no test of the
    status in between that would have stopped it, be it of the member, its value or
    name, its place in the order, or by a property of the enumeration;
  - or a step of another thread can store a terminal status before the step in
    question, and no test of the status, under a lock that both take, keeps the
    step from replacing it;
  - or max() decides, and a terminal status that is handed to it is less than
    one that is not terminal: it is never stored.

# When it does not

  - a failure replaces a success: it is the stronger of the two;
  - the step registers the request: nothing else stores a status that is not
    terminal for a key without an entry, nor the terminal one;
  - test and store are one critical section, or nothing is awaited in between, or
    the store follows the test at once;
  - the step needs the entry of another container, which whoever stores the terminal
    status takes out under the lock, before the store or with it: one of the two gets it;
  - one thread stores all statuses, and no walk of it stores two.

# Fixes

Store only where the entry does not hold a terminal status. What the statement does beside
the store is done all the same; what is stored for many keys is stored for each of them.
Where max() decides, a terminal status is stored past it, and where another one could
replace that, only in an entry that holds none.

# Known gaps

Statuses that are kept in a field of an object are looked at only when they are
constants that the poller of the object returns.
*/
package terminaloverwrite
