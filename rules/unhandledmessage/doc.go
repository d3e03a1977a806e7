/*
Package unhandledmessage implements KV206: a message is sent that the receiver of the same backend does not know.

# What it finds

A class family shares its sending side, in a base class, and each backend has a
receiving thread of its own. A tag that the base class sends is dispatched by one
backend and forgotten by another:

	self.peer.send_multipart([b"CANCEL", rid])   # base class

	if tag == b"CANCEL": ...                     # backend A

	assert tag == GUARD                          # backend B

# Why is this a bug

What the message asks for does not happen. Where the receiver asserts or raises on
unknown tags, the first such message ends its thread as well.

# When it reports

All of this must hold:

  - code that runs on the objects of a backend sends a list or tuple that begins
    with a constant string or bytes;
  - a sibling, a class with the same base, compares what it receives with it;
  - the backend receives messages in a thread, and nothing in its classes mentions
    the tag but the sending.

# When it does not

  - the backend compares with the tag anywhere, or has it in a table;
  - no sibling knows the tag either: the receiver is another program.

# Fixes

Handle the message as the sibling does, where its statements mean the same here:
they work on the message, and on what both classes have from one base. Otherwise,
when the sibling concludes the request that the message names, conclude it. There is
no fix where the message asks for something else.

# Known gaps

Tags that are computed, and messages that are objects, are not compared.
*/
package unhandledmessage
