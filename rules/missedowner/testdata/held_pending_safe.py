"""A scheduler and the gate before it: the gate makes a place for a request when it knows its peer.

Right: cancel() looks at those without a place as well.
"""


class Place:
    def __init__(self, request):
        self.request = request
        self.gone = False


class Gate:
    def __init__(self, phone):
        self.phone = phone
        self.places = []
        self.unknown = []

    def enter(self, request):
        if request.peer is None:
            self.unknown.append(request)
        else:
            self._seat(request)

    def _seat(self, request):
        place = Place(request=request)
        self.places.append(place)

    def look_up(self):
        rest = []
        for request in self.unknown:
            request.peer = self.phone.find(request.rid)
            if request.peer is not None:
                self._seat(request)
            else:
                rest.append(request)
        self.unknown = rest

    def pop(self):
        ready = [p for p in self.places if p.request.peer.ready()]
        self.places = [p for p in self.places if p not in ready]
        return ready


class Scheduler:
    def __init__(self, phone):
        self.gate = Gate(phone)
        self.running = []

    def add(self, request):
        self.gate.enter(request)

    def step(self):
        self.gate.look_up()
        for place in self.gate.pop():
            self.running.append(place.request)

    def cancel(self, rid):
        for place in self.gate.places:
            if place.request.rid == rid:
                place.request.peer.hang_up(rid)
        for request in list(self.gate.unknown):
            if request.rid == rid:
                self.gate.unknown.remove(request)
                request.answer("cancelled")
        for request in list(self.running):
            if request.rid == rid:
                self.running.remove(request)
                request.answer("cancelled")
