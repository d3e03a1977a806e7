/*
Package threaddeath implements KV205: an exception ends a thread that should run for ever.

# What it finds

A thread loops over its items or messages, and a step of the loop can raise an
exception that nothing in the loop handles:

	def listen(self):
	    while True:
	        msg = self.socket.recv_multipart()
	        assert msg[0] == GUARD
	        self.offers[msg[1]].accept(msg)

# Why is this a bug

One unexpected message, or one late one, ends the thread. Nothing starts it again
and nothing reports it: every later request that needs the thread waits for ever.

# When it reports

All of this must hold:

  - the entrypoint is a thread that stays in a loop: one without a condition, or
    one after which it comes to its end; none that goes round only when what it tries
    has failed;
  - a step in the loop raises by itself: an assert about a message or about shared
    state, an explicit raise, an access that fails on an absent entry although
    nothing in the iteration has found or stored it;
  - no handler in the loop takes the exception.

All steps of one thread are one finding, with the places that take a message
apart. An entry that was found and is removed by another thread before its use is
reported as KV201, which then speaks for the end of the thread as well.

# When it does not

  - a try in the loop takes the exception, whatever it does then, or one that a decorator of the
    program puts around a function that the loop calls, if what it tries is the call of that function;
  - the assert is about configuration, which no message changes;
  - the assert, or the test that a raise stands directly under, asks nothing but what the loop takes
    its items from, before it takes one: a thread ends once there is nothing to come;
  - the raise stands in a handler, or leads to a handler that raises: somebody wants
    the thread to end;
  - it tells that an object is gone that the thread refers to weakly;
  - the assert compares an attribute of what a call has just made with what the call was
    given for it;
  - the raise stands under a test that compares nothing but lengths with each other, which
    whoever calls has made alike;
  - an object is of none of some classes of the program: whoever has put it there is part of
    the program;
  - the entry is known to be there, or nobody ever removes entries: whoever has waited for
    the thread to end does not count, nor, where each item is queued together with an entry
    of its own, the thread itself when it is done with one, who gets it then from there, be it
    as part of a new record, and the job that is started with it then.

# Fixes

Handle exceptions for each iteration: log and go on. What waits for the next item stays
outside, since it would fail again and again once the other side is gone. Where the step is a strict
removal, make it tolerant; where it is a strict read or an assert, skip the item, unless that would
pass over what the item is owed.

What an iteration owes is paid back for the item that has failed as well: an item that the queue
counts, as for queue.task_done(), a number that has gone up and goes down, an event that
has been cleared, something that has been allocated, a slot or a lock that has been acquired by
hand. That follows the handler, or stands in a finally clause, as does the event that is set once
the number is what it should be; for a lock, a with statement takes
the place of acquire() and release(). A future that waits for its result gets the exception.
Where none of that can be done, a raise or assert is replaced by a line of the log, by what pays
back what is owed there, in reverse order, and by a continue; where it is not certain what
that is, there is no such fix. The title of the fix says what the failed item leaves undone: an event
that nobody sets any more, a number that another function takes down, or has raised.

What fails ahead of the taking of an item would fail again at once: the handler waits a moment
before it begins anew, unless the loop does at its end. Nothing is lost by that, since nothing
has been taken yet.

# Known gaps

Calls of code outside of the program are taken not to raise; so are int() and
other conversions. The iteration that failed is not concluded by the fix.
*/
package threaddeath
