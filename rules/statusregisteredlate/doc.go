/*
Package statusregisteredlate implements KV111: a request is published before it has a status, and an event in between is lost.

# What it finds

An entry of a request is stored before the status of the request is, and a
handler that ends requests acts only on those that have a status:

	def open(self, sid, peer):
	    self.sessions[sid] = peer
	    self.line.greet(peer, sid)
	    self.status[sid] = TALKING

	def hung_up(self, sid):
	    if sid in self.status:
	        self.status[sid] = OVER
	        self.sessions.pop(sid, None)

# Why is this a bug

The handler can run between the two stores. It finds no status, does nothing, and
does not come again. Then the request gets the status of one that has just begun,
and nobody ends it.

# When it reports

All of this must hold:

  - an entrypoint concludes a request and removes another entry of it, both only
    when the request has a status;
  - it does nothing with the key when there is none;
  - that other entry is stored where the status is not known to be there yet, and
    the handler can run before it is;
  - the status comes later: in the same function, or from an entrypoint that looks
    the entry up.

# When it does not

  - both are stored under the lock of the handler, or with no await in between;
  - both are stored before the handler's thread starts;
  - the handler leaves a mark that the registration takes into account;
  - the entry is removed whether or not there is a status: that is KV101.

# Fixes

Store the status first, or let the handler accept a request that has no status yet.

# Known gaps

An event that
is lost because the status does not allow it yet, rather than because there is
none, is not looked at.
*/
package statusregisteredlate
