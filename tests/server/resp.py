"""A connection that speaks RESP2 or RESP3 and shows the exact bytes of an answer.

redis-py 4.3 knows only RESP2 and hides the difference between the kinds of null, so the
tests talk to the server through this. Blocking commands are sent with send() and
collected with read(), so one test can hold many waiting readers without threads.
"""

import socket


class RespError(Exception):
    """An error answer; its text is the whole line, code first."""

    def __eq__(self, other):
        return isinstance(other, RespError) and str(self) == str(other)

    __hash__ = Exception.__hash__


def encoded(words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        if isinstance(word, str):
            word = word.encode()
        elif isinstance(word, int):
            word = b"%d" % word
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class Connection:
    # Far beyond what any answer takes, so that a lost wake-up fails and does not hang.
    DEADLINE = 60

    def __init__(self, port, protocol=2):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=self.DEADLINE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bytes = bytearray()
        self._at = 0
        if protocol == 3:
            self.call("HELLO", "3")

    # --- asking ---

    def send(self, *words):
        self._socket.sendall(encoded(words))

    def read(self):
        """The next answer; an error is returned as RespError, not raised."""
        value = self._value()
        del self._bytes[: self._at]
        self._at = 0
        return value

    def call(self, *words):
        """One command and its answer; an error answer is raised."""
        self.send(*words)
        answer = self.read()
        if isinstance(answer, RespError):
            raise answer
        return answer

    def error_of(self, *words):
        """The text of the error this command is answered with."""
        self.send(*words)
        answer = self.read()
        assert isinstance(answer, RespError), f"{words[0]} was not refused but answered {answer!r}"
        return str(answer)

    def bytes_of(self, *words):
        """The answer to this command as the bytes on the wire."""
        self.send(*words)
        self._value()
        answer = bytes(self._bytes[: self._at])
        del self._bytes[: self._at]
        self._at = 0
        return answer

    def call_all(self, commands):
        """Sends many commands in one go; the answers, errors among them."""
        commands = list(commands)
        self._socket.sendall(b"".join(encoded(words) for words in commands))
        return [self.read() for _ in commands]

    def has_answer(self):
        """True if an answer, or the end of the connection, has arrived."""
        if self._bytes:
            return True
        self._socket.setblocking(False)
        try:
            return self._socket.recv(1, socket.MSG_PEEK) is not None
        except BlockingIOError:
            return False
        finally:
            self._socket.settimeout(self.DEADLINE)

    def is_closed_by_server(self):
        self._socket.setblocking(False)
        try:
            return self._socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True
        finally:
            self._socket.settimeout(self.DEADLINE)

    def port(self):
        """The port on this side."""
        return self._socket.getsockname()[1]

    def close(self):
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- taking answers apart ---

    def _more(self):
        received = self._socket.recv(1 << 16)
        if not received:
            raise ConnectionError("the server closed the connection")
        self._bytes += received

    def _value(self):
        """One value from the bytes that have arrived. In one function, because some tests read millions of values."""
        data, at = self._bytes, self._at
        while (end := data.find(b"\r\n", at)) < 0:
            self._more()
        kind = data[at]
        rest = data[at + 1:end]
        self._at = end + 2
        if kind in b":":
            return int(rest)
        if kind in b"$=":
            size = int(rest)
            if size < 0:
                return None
            while len(data) < self._at + size + 2:
                self._more()
            at, self._at = self._at, self._at + size + 2
            return bytes(data[at:at + size])
        if kind in b"*~>":
            size = int(rest)
            return None if size < 0 else [self._value() for _ in range(size)]
        if kind in b"%":
            return {self._value(): self._value() for _ in range(int(rest))}
        if kind in b"+":
            return bytes(rest)
        if kind in b"-":
            return RespError(rest.decode())
        if kind in b"_":
            return None
        if kind in b",":
            return float(rest)
        if kind in b"#":
            return rest == b"t"
        raise AssertionError(f"an answer of a kind nobody knows: {bytes(data[at:end])!r}")
