"""A miniature connector: prefill pushes the cache of a request to its decode ranks.

A request is known by its ticket. The scheduler (prefill.py) makes one sender
for each request, before it tells the decode side the ticket, and polls it until
it is over. A listener thread of the manager takes what the ranks write; worker
threads push. There are two backends, rail and ferry, on one common base.
"""
