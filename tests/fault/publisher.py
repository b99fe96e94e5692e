"""Publishes the numbers 1, 2, 3, … to each of some logs and channels, by HTTP, at any gateway: a request without a good
answer is sent again, with the same id, until it has one."""

import http.client
import threading

from server import let_pass

PATIENCE = 30  # seconds that one request may take
PAUSE = 0.02


class Publisher(threading.Thread):
    def __init__(self, keys, ports, rng, rest):
        """`keys`: pairs (kind, name); `rest`: seconds to wait after each message."""
        super().__init__(daemon=True)
        self.published = {key: 0 for key in keys}  # the last number that was acknowledged
        self.failure = None
        self._ports = ports
        self._rng = rng
        self._rest = rest
        self._stops = False

    def stop(self):
        """Stops after the current message."""
        self._stops = True
        self.join()

    def run(self):
        connection = None
        try:
            while not self._stops:
                for key, last in self.published.items():
                    connection = self._publish(connection, *key, last + 1)
                    self.published[key] = last + 1
                    let_pass(self._rest)
        except Exception as error:
            self.failure = error

    def _publish(self, connection, kind, name, number):
        while True:
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self._rng.choice(self._ports), timeout=PATIENCE)
                if kind == "logs":
                    connection.request("POST", f"/v1/logs/{name}", str(number), {"Idempotency-Key": f"n{number}"})
                else:
                    connection.request("PUT", f"/v1/channels/{name}/messages/m{number}", str(number))
                answer = connection.getresponse()
                text = answer.read()
                if answer.status in (200, 201):
                    return connection
                if answer.status != 503:
                    raise RuntimeError(f"{kind} {name}, {number}: {answer.status} {text}")
            except (OSError, http.client.HTTPException):
                connection = None
            let_pass(PAUSE)
