/*
Package missedowner implements KV109: an abort, or the question whether all is done, looks in fewer places than a request can be in.

# What it finds

A request waits in one of several lists, queues, maps or slots of an object and
moves from one to the next. An abort looks for it in some of them:

	for request in self.waiting:
	    ...
	for request in self.inflight:
	    ...
	# self.parked is not looked at

The same holds for a predicate that says that nothing is left.

# Why is this a bug

A request that is in the place that is not looked at is not aborted: it keeps
its memory and is computed for nobody. A server that takes itself for idle stops
what would have moved the request on.

# When it reports

  - items move between at least three places of one object, as its methods show;
  - a method that takes a request, and moves none, looks in at least two of them
    and not in another from which items move on; or in the place behind a queue
    and not in the queue;
  - or a method without arguments that only returns a condition, or gathers one
    in a variable, asks fewer places than such a method looks in;
  - or it looks in one place of an object that it holds, and not in another one
    of it from which items move there.

# When it does not

  - the place is an index of what is in another one, or a record whose entries have
    names that the code knows;
  - it is filled and emptied within one method;
  - a method fills it together with a place that is looked in: both are parts of
    one record;
  - nothing moves on from it;
  - a predicate leaves it out, and items move on from it only when a message asks for it, by a
    method in a table of handlers: nothing happens to them by itself;
  - the abort leaves a note that is read where the items of the place are taken.

# Fixes

Do with the missing place what is done with another one, of those from which requests
move on to the same place first: repeat the loop over it, with what it rebuilds, ask
the same of it, widen the test, or add an elif. What is in a slot is treated as an item of
the place from which it comes. A queue is emptied first, by the method that takes its items to
the place that is looked in, as long as that does not wait. There is none for an object.
What an abort has to do with an item there is for the author to say in the end.

# Known gaps

Places in different objects are seen when one object holds the others. When a
method calls one of the held object, what that looks at is not followed.
*/
package missedowner
