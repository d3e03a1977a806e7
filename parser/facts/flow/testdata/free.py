import threading

ROWS = {}


def serve():
    while True:
        ROWS.clear()


def main():
    threading.Thread(target=serve).start()
