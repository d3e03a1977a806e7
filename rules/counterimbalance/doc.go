/*
Package counterimbalance implements KV304: a counter of a request is not restored on some exit.

# What it finds

A number that is kept for each request (jobs under way, uses, chunks) goes up, and
there is a way out on which it does not go down again:

	job = self.jobs.get()
	...
	missing = self.store.missing(pages)    # raises, the loop logs it
	...
	self.left[rid] -= 1

# Why is this a bug

Somebody waits for the number to come back to what it was: a request that counts as
busy is never reported as finished, its blocks are never freed.

# When it reports

One of this holds:

  - an entrypoint that puts items into a queue counts up, a worker takes an item
    from it and counts down, and the worker has a way from there to the next item
    without counting down, exceptions that its loop survives included;
  - one call counts up and down, nobody else counts down, and the call has a way out
    in between. A thread that ends is not such a way out.

# When it does not

  - a finally, or the handler of the exception, counts down;
  - the counter has no entry for the key, is dropped, or is cleared;
  - there was no item, only the mark that ends the queue;
  - the item goes back into the queue: it is counted over several turns;
  - a callback or another hook counts down.

# Fixes

Count down before the statement that leaves. Where an exception leaves, count down in a
finally around all that can raise, be it the yield of a generator that manages a with
statement; or, where several ways out count down by themselves, in a handler that raises
again.

# Known gaps

Counters that are attributes of an object, and not entries of a container, are not
looked at. Numbers that are compared with a total are not known to be counters.
*/
package counterimbalance
