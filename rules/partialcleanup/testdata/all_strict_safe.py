"""What is loaded for a session is kept in three maps, and unloading removes it from all of them.

Right: an entry of one map has an entry in the others. That a strict removal could fail in the middle
would be another fault.
"""


class Loads:
    def __init__(self, pool):
        self.pool = pool
        self.options = {}
        self.loaded = {}
        self.origins = {}

    def load(self, session, option, origin):
        self.options[session] = option
        self.loaded[session] = self.pool.place(option)
        self.origins[session] = origin

    def unload(self, session):
        option = self.options.get(session)
        if option is None:
            return "not loaded"
        try:
            self.pool.drop(session)
            del self.options[session]
            del self.loaded[session]
            del self.origins[session]
        except Exception as err:
            return str(err)
        return ""

    def reload(self, session, option, origin):
        error = self.unload(session)
        if not error:
            self.load(session, option, origin)
        return error
