/*
Package partialcleanup implements KV301: one end of a request leaves entries behind that belong to it.

# What it finds

Several containers hold entries of one request. One way out (success, abort,
timeout, failure, preemption) removes some of them and leaves another:

	def clear(self):
	    self.states.pop(self.rid, None)    # and self.targets stays

# Why is this a bug

The entry outlives its request. The container grows for as long as the process
lives, and when the key comes again its entry is found by a request that it does
not belong to.

# When it reports

A removal from one container of a key group is the end of a request: its key is
not put into another container and not into a queue on the way. It leaves the
entry of a second container, and one of this holds:

  - nothing in the program removes an entry of the second container, whose key one
    entrypoint inserts into both, be it that those of the first one only ever give
    way to new ones;
  - every removal from the second container requires the key to be in the first
    one, so it cannot happen any more;
  - only threads remove the entry while they work on the request, a hook can
    conclude the request at any time, and what is removed is its status.

So is a call that takes something under a key, a look-up that pins, say, when the
program has a call that gives it back and says so in its name (unpin_lookup for
lookup), the key is noted in a container whose content another hook hands on, and one
way out does not note it.

And so is a pool: a method stores what it hands out in an attribute of a request, the
class of the pool has a method that takes it back (free for alloc), no code calls that
on this pool, and a loop lets such requests leave the last list that they are in. The
pools of a class are told apart by the expressions that make them.

Of several such removals the one is reported that ends the same kind of request:
its entrypoint removes the most of what belongs to the entry.

# When it does not

  - a caller, a base class or a later hook removes the rest, whether or not the
    first entry is still there;
  - the container is emptied, swapped or replaced as a whole somewhere, hands out
    entries of its own choice, or is handed to code that is not followed;
  - nothing ever removes an entry, which is no status and stored in several places, and a
    hook answers with the entry of the key that it is called with: clients ask for it when
    the request is over;
  - nothing ever removes an entry, and the container only counts, for whoever asks for
    all counts, or its keys are the numbers of the elements of a list;
  - the entry is taken away again by the call that makes it;
  - the container keeps notes about requests that are over: whoever inserts
    concludes the request;
  - it keeps locks, and the entries of the other container only give way to new ones;
  - a sweeper walks over the container itself;
  - the entry is tested for, and known to be absent;
  - the call has yielded nothing, the key is noted before it, or what it took is given
    back on the way out;
  - the removal runs in one mode of the object and the inserts in another;
  - it is not known which pool an object uses, or the loop hands on the requests that
    it does not keep.

# Fixes

Remove the entry beside the one that goes, and where it would come back, ignore what
inserts it for a request that is not known any more; note the key before the statement that
leaves; give back to the pool what those hold that leave. There is none where entries
only ever give way to new ones: nothing tells when a request ends.

# Known gaps

Lists and deques have no key and are not looked at, pools apart. A removal by a later hook is
taken to happen, although nothing says that the hook is called.
*/
package partialcleanup
