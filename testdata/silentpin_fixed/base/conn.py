"""What every backend has to offer."""

from abc import ABC, abstractmethod


class Phase:
    FAILED = 0
    BOOTSTRAP = 1
    WAITING = 2
    DONE = 3


FINAL = (Phase.FAILED, Phase.DONE)


class BaseManager(ABC):
    @abstractmethod
    def announce(self, ticket):
        """Makes a ticket known, before the decode ranks hear of it."""

    @abstractmethod
    def start(self):
        """Starts the threads of the manager."""


class BaseSender(ABC):
    @abstractmethod
    def send(self, blocks):
        """Hands the blocks of the request to the workers; does not wait."""

    @abstractmethod
    def poll(self):
        """Returns the phase of the request. A final one is the last word."""

    @abstractmethod
    def clear(self):
        """Forgets the request, once it is over."""

    @abstractmethod
    def abort(self):
        """Gives the request up."""


class BaseReceiver(ABC):
    @abstractmethod
    def register(self):
        """Tells the prefill side where to push to."""

    @abstractmethod
    def poll(self):
        """Returns the phase of the request. A final one is the last word."""

    @abstractmethod
    def clear(self):
        """Forgets the request, once it is over."""

    @abstractmethod
    def abort(self):
        """Gives the request up."""
