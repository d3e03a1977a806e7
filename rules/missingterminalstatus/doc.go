/*
Package missingterminalstatus implements KV103: a worker drops a request without concluding it.

# What it finds

A worker takes a request from a queue, or is started with one, and concludes it
on its regular way. On another way it neither concludes it nor hands it on:

	job = self.jobs.get()
	target = self.targets.get(job)
	if target is None:
	    continue

# Why is this a bug

The request has left the queue, so that no one else will come to it. Its status
stays what it was, its client waits for ever, nothing is logged or only a line
that nobody connects with the client.

# When it reports

A way from the request back to the head of the loop, or out of the function, that
does not conclude the request, and that the worker takes because

  - an entry is missing that another entrypoint removes without concluding;
  - a call reports an error by its result;
  - a call raises, and the handler only logs;
  - a call raises, and the exception ends in a Future that nobody looks at;
  - the request is of a kind that the worker does not know.

A hook that polls the requests in a list and raises for one that has failed ends its
round there: that request gets no answer, and those behind it are not looked at.

A break out of a loop over a batch that was taken out of a container drops the
rest of the batch, unless it is put back. What a loop leaves behind in its variable
is one request: a mark of that in a set or map, for a batch that ends together,
leaves the others out.

# When it does not

  - the request is skipped because it is over, or its status is not there any more;
  - whoever removes the missing entry concludes the request;
  - the request is put back, counted, or handed to another container or thread;
  - a part of the request itself says that more of it follows;
  - a future has no exception, and only those that have failed are told of;
  - the loop that has left its variable behind can stop at the one that it looks for.

# Fixes

Conclude the request on that way: as an except clause of the function does, by a
method that stores a status, or in the container itself where the request is still
pending. An exception that leaves the worker is passed on after that. A worker that
gives up a batch goes on with the rest, and one that marks the last request of it
marks every one. A round that raises finishes first, and raises behind its loop what the
first request has raised that failed; another one that has failed stays for the next
round. That is offered where all that follows the loop is to store the list of those that
go on waiting, and where the loop does no more than answer those that do not.

# Known gaps

Messages that come from outside the program need not conclude anything and are
not looked at.
*/
package missingterminalstatus
