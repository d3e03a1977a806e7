"""A pool of links to other hosts, each with a lock for those who send.

Right: a link that broke gives way to a new one, and its lock stays, since others
may be waiting for it. A lock ends nothing and belongs to no request.
"""

import threading


class Links:
    def __init__(self, transport):
        self.transport = transport
        self.guard = threading.Lock()
        self.links = {}
        self.watchers = {}
        self.send_locks = {}

    def link_to(self, host):
        with self.guard:
            link = self.links.get(host)
            if link is not None:
                if not self.watchers[host].broken():
                    return link
                self.links.pop(host, None)
                self.watchers.pop(host, None)
            link = self.transport.open(host)
            self.links[host] = link
            self.watchers[host] = link.watch()
            self.send_locks.setdefault(host, threading.Lock())
            return link

    def send(self, host, parts):
        link = self.link_to(host)
        with self.send_locks[host]:
            link.send(parts)
