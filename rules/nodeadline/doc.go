/*
Package nodeadline implements KV108: a request that waits for a peer waits without end.

# What it finds

A poller answers that a request is alive for as long as the other side is silent,
and nothing else ends the request:

	def poll(self):
	    with self.post.lock:
	        return self.post.status.get(self.rid, FAILED)

Or a hook that the scheduler calls in its loop blocks until somebody else acts:

	session.ready.wait()
	future.result()
	self.answers.get()

# Why is this a bug

A peer that dies is silent for ever. The request keeps its memory, its client
waits, and nothing is logged; a hook that blocks stops all the other requests as
well.

# When it reports

For each concrete class with a poller, or with a hook that returns what has
finished:

  - a thread that waits for the outside stores the statuses, or adds what has
    finished; or the poller itself takes in what has come for all requests, and
    then looks for its own;
  - the poller has no path that tests the clock and concludes the request;
  - neither has anything else that runs by itself: a hook that takes no request,
    a timer, a thread that sleeps between its rounds.

A thread that gives up requests by itself does not count when it only knows those
of which a message has come: it asks for them in a container that nothing but
messages fill.

A poller that does so in one state, but not in another out of which only a
message leads, is reported for the other. A blocking call without a limit is
reported in hooks.

So is a wait without a limit for an event that a thread sets once it is ready, in the
function that starts it: what the thread opens first can raise, a socket whose address
is taken, say, and it ends without having set the event.

# When it does not

  - a queue that the request was put on when it began leads to its end;
  - what a hook returns are messages: nothing told the object of the request
    before;
  - what is called is named after a deadline or a timeout;
  - every concrete class overrides the poller;
  - the thread sets another event, several, or one in each turn of a loop;
  - the hook that blocks takes the object down, waits for work that it has handed
    to a pool itself, takes from a queue what that has said it holds, or from a
    queue of its own the one answer that the work which it has started puts there in any
    case, also where that has handled an exception.

# Fixes

Call the deadline check of the base class that sibling classes call, or the sweep that
others of the class call. Else let the poller of a handle say that the request has
failed once it has waited for long, let one that is given a request compare the clock
with the time that is stored for it, or store one: where its status begins, else where a
hook makes it known, else at its first poll. Or give a call that blocks a limit. A
hook that returns what is over gives back what has waited for long as well, by the time
of its registration, or by one that the fix keeps beside what the hooks register.
The limits are for the author to choose.

# Known gaps

A timer that runs but ends other requests is taken for a deadline of all of
them, unless it takes its keys from a container that only other classes fill.
*/
package nodeadline
