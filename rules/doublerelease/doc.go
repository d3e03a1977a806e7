/*
Package doublerelease implements KV303: two exits give back the same resource.

# What it finds

A slot, a buffer, a pin or an entry is given back, and on the same walk, or by
whoever works off the list that the request is in, once more:

	self.pool.free(slot)
	self.link.report(rid)        # raises
	...
	except OSError:
	    self.pool.free(slot)

# Why is this a bug

An allocator hands out what was freed twice to two requests, which then write
into the same pages. A reference count falls below the users that are left. A
strict removal of an entry that is gone raises KeyError, and what was to follow
does not happen.

# When it reports

One of this holds:

  - an entry is removed strictly (pop without default, del) after the same walk, an
    earlier turn of an inner loop, or a loop over the same collection, has removed
    it, and nothing inserts it or finds it in between;
  - two calls that by their verb give something back (free, release, unpin,
    deregister, dec_ref, ...) get the same object and argument on one walk,
    exceptions included, and no call in between takes it again;
  - such a call gets an item that is put into a list on the same walk, and whoever
    works off this list gives every element back in the same way.

The end of a request counts as given back, too: it is reported in a container that a
hook empties, while the same hook gives up requests that have waited too long, and
nothing has found the request among those that are waited for.

A function of the program whose name has such a verb stands for the calls in it
that get the same item.

# When it does not

  - the release resets what it is called with, and asks for it first;
  - the exits share an exclusive pop: who gets the value gives it back;
  - the branches exclude each other;
  - the resource is taken more than once: it is counted;
  - the entry is put back, or found, before the second removal;
  - the item is changed by a method of its own after its release and before it is put
    into the list: it begins anew.

# Fixes

Remove the entry only if it is still there; leave the second release out. Where a second
loop needs what the first one has removed, keep it for that in a variable.

# Known gaps

Two releases by different entrypoints are only seen through a list. Values are
compared by where they come from, so the same resource under two names is missed.
*/
package doublerelease
