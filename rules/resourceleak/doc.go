/*
Package resourceleak implements KV302: an exit drops a request without the release that the normal exit performs.

# What it finds

A call takes a resource (a slot, a buffer, a pin, a registration), the same
entrypoint gives it back, and has another way out on which it does not:

	slot = self.slots.alloc()
	...
	if rid in self.aborted:
	    return                 # and the slot stays taken
	...
	self.slots.free(slot)

# Why is this a bug

Each request that ends so takes one for ever. When none is left, the next request
finds nothing, fails or waits, and nothing says why.

# When it reports

All of this holds:

  - the calls belong together by their verbs: alloc and free, acquire and release,
    pin and unpin, register and deregister, inc_ref and dec_ref;
  - both are calls on one object: through one attribute, or as far as the types of the
    program tell; or the release is one on what the call gave; or the configuration says
    that the calls belong together;
  - what is taken is the result of the call in one variable, or its argument; what has
    a name like get_slot takes nothing of its argument, can_alloc and after_alloc nothing;
  - the release can follow in the same iteration;
  - an iteration has a way from there to its end on which no call that gives it
    back, or hands it on, is passed; exceptions count where a handler catches them.

Or an object holds something for a request under its name: one method stores an
entry under its argument, and another one, with a verb of release, removes that. When a
request is put into a queue after the first call, and some code calls the second for one
that it drops, then a branch for requests that have failed, in a loop that lets them
leave the queue, has to do so as well.

# When it does not

  - the resource is stored, returned, or passed to a call after which this
    entrypoint does not give it back any more: someone else does;
  - a test says that there is no resource: that it, or the answer to the call for a
    request, is None or false, or lies on the side on which nothing is given back;
  - the object has another release by the name of what is taken: free_inbound for
    alloc_inbound, where free_staged is called;
  - a function that the branch calls, or one that calls the loop, gives it back;
  - an exception leaves the entrypoint: what it had taken is the least concern then.

# Fixes

Give it back before the statement that leaves, in the branch as the other code does.
Where an exception leaves that nobody handles, give it back in a finally.

# Known gaps

A resource that one entrypoint takes and others give back is not followed, nor one
that an attribute of the request holds; KV301 looks at pools.
*/
package resourceleak
