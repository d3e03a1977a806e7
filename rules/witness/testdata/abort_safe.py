import threading, queue

class Poll:
    Failed = 0
    Bootstrapping = 1
    Waiting = 2
    Success = 4

class Manager:
    def __init__(self):
        self.status = {}
        self.peers = {}
        self.jobs = queue.Queue()
        self.lock = threading.Lock()
        threading.Thread(target=self.listener).start()
        threading.Thread(target=self.worker).start()

    def listener(self):
        while True:
            msg = self.sock.recv()
            key = int(msg[0])
            if msg[1] == b"ABORT":
                self.update(key, Poll.Failed)
                self.peers.pop(key, None)
            else:
                self.peers[key] = {}
                self.peers[key][msg[2]] = msg
                if len(self.peers[key]) >= 2:
                    self.update(key, Poll.Waiting)

    def worker(self):
        while True:
            item = self.jobs.get()
            if item.key not in self.peers:
                continue
            self.send(item)
            self.update(item.key, Poll.Success)

    def update(self, key, s):
        with self.lock:
            if self.status.get(key) == Poll.Failed:
                return
            self.status[key] = s

    def check(self, key):
        return self.status.get(key, Poll.Bootstrapping)

    def enqueue(self, key, x):
        self.jobs.put(Job(key, x))

class Job:
    def __init__(self, key, x):
        self.key = key
        self.x = x

class Handle:
    def __init__(self, mgr: Manager, key):
        self.mgr = mgr
        self.key = key
        self.conclude = None

    def send(self, x):
        self.mgr.enqueue(self.key, x)

    def poll(self):
        if self.conclude is None:
            s = self.mgr.check(self.key)
            if s in (Poll.Success, Poll.Failed):
                self.conclude = s
            return s
        return self.conclude

    def clear(self):
        self.mgr.status.pop(self.key, None)
        if self.key in self.mgr.peers:
            self.mgr.peers.pop(self.key)
        self.conclude = None

    def abort(self):
        self.conclude = Poll.Failed
