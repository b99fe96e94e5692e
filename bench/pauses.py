"""The longest time that a server leaves a client without an answer, measured by a client that asks all the time, in a
process of its own."""

import multiprocessing
import socket
import time

EVERY = 0.0005


class Pauses:
    """Use as a context manager. longest() is the longest pause since its last call, in ms."""

    def __init__(self, server):
        self._longest = multiprocessing.Value("d", 0.0)
        self._answers = multiprocessing.Value("Q", 0)
        self._stop = multiprocessing.Event()
        self._process = multiprocessing.Process(target=self._ask, args=(server.port,), daemon=True)

    def __enter__(self):
        self._process.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._process.join()

    def longest(self):
        # A pause that is going on at this moment counts too: it is known once the answer comes.
        answered = self._answers.value
        while self._answers.value < answered + 2:
            time.sleep(EVERY)
        with self._longest.get_lock():
            found, self._longest.value = self._longest.value, 0.0
        return found * 1000

    def _ask(self, port):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            while not self._stop.is_set():
                start = time.monotonic()
                connection.sendall(b"PING\r\n")
                connection.recv(64)
                took = time.monotonic() - start
                with self._longest.get_lock():
                    self._longest.value = max(self._longest.value, took)
                self._answers.value += 1
                time.sleep(EVERY)
