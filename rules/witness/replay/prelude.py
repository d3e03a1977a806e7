class Thing:
    """Some object of which no more is known than that it is not None."""


class Unknown:
    """A value that the schedule says nothing about."""


THING = Thing()
UNKNOWN = Unknown()
OTHER = 8  # the key of another request


class Object:
    """An object of the program, with the attributes that matter."""


