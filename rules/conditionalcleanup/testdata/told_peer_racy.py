"""A hall takes out who has a room, fails the phase if there is one, and tells the peer.

Racy: the phase comes after the booking. What is taken out is still needed, wherever that is.
"""

import threading


class Phase:
	WAITING = 1
	OVER = 2
	FAILED = 3


class Hall:
	def __init__(self, line):
		self.line = line
		self.lock = threading.Lock()
		self.rooms = {}
		self.phases = {}
		threading.Thread(target=self._hear, daemon=True).start()

	def book(self, room, peer):
		with self.lock:
			self.rooms[room] = peer

	def open(self, room):
		with self.lock:
			self.phases[room] = Phase.WAITING  # from now on

	def _hear(self):
		while True:
			word, room = self.line.hear()
			if word == "bye":
				self._bye(room)
			elif word == "done":
				self._move(room, Phase.OVER)

	def _bye(self, room):
		with self.lock:
			peer = self.rooms.pop(room, None)  # want "rooms.room."
			if room in self.phases:
				self.phases[room] = Phase.FAILED
		if peer is not None:
			self.line.tell(peer)

	def _move(self, room, phase):
		with self.lock:
			if self.phases.get(room) == Phase.WAITING:
				self.phases[room] = phase

	def phase(self, room):
		with self.lock:
			return self.phases.get(room, Phase.FAILED)

	def clear(self, room):
		with self.lock:
			self.rooms.pop(room, None)
			self.phases.pop(room, None)
