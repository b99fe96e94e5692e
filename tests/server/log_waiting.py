"""Readers that wait: how to start one, and how to know that nothing has woken it."""

from server import wait_until


def start_waiting(server, reader, words):
    """Sends the read and returns once the server knows of it."""
    already = server.counter("log_readers_blocked")
    reader.send("TREAD", *words)
    wait_until(lambda: server.counter("log_readers_blocked") == already + 1, "the reader waits")
    return reader


def is_still_waiting(server, reader):
    """True if what the server has done so far has not woken the reader. The counter is asked
    twice: an answer that the previous command caused has been sent by the second time."""
    server.counter("log_readers_blocked")
    return server.counter("log_readers_blocked") > 0 and not reader.has_answer()
