"""What bench/gateway compares: the gateway with its server, and nginx with Nchan, alone or with Redis behind it.

Each has one thread that serves clients. The cost is the processor time of all its processes, including the servers
behind it; the memory is that of the process that serves clients.
"""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from http_load import Client, request
from measure import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "gateway"))

from gateway import Gateway  # noqa: E402  (the tests' way to start a real gateway)
from nginx import words_for_nginx  # noqa: E402
from raw_http import HANDSHAKE, KEY  # noqa: E402
from server import free_port, parent_of, wait_until  # noqa: E402

EVENTS = "Accept: text/event-stream"
NCHAN_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
CONNECTIONS = 20_000
LOCATIONS = """
    location ~ ^/publish/(.+)$ {{ nchan_publisher; nchan_channel_id $1; {passed} }}
    location ~ ^/listen/(.+)$ {{ nchan_subscriber; nchan_channel_id $1; {passed} }}
"""
SETTINGS = """
  keepalive_requests 100000000;
  nchan_shared_memory_size 256m;
"""


def processor_ns(process):
    """The processor time of all threads of a process."""
    tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def children(process):
    numbers = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [number for number in numbers if parent_of(number) == process]


def resident(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


class Peer:
    """One of those compared, which serves clients at `port`. `ready` is what a stream receives once it is open.
    `processes` are all processes that count; the first one serves the clients."""

    _names = 0

    def prepare(self, channels, body):
        """Prepares the channels, so that a stream receives `ready`."""

    def new_name(self):
        self._names += 1
        return f"m{self._names}"

    def processor_us(self):
        return sum(map(processor_ns, self.processes)) / 1000

    def memory(self):
        return resident(self.processes[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Millrace(Peer):
    name = "Millrace"
    ready = b"\nid: "
    socket_ready = b'"ok":true'

    def __init__(self):
        self.server = Server()
        self._gateway = Gateway(self.server)
        self.port = self._gateway.port
        self.processes = [self._gateway.process.pid, self.server.client().info("server")["process_id"]]

    def prepare(self, channels, body):
        """A stream reports its position only if its channel exists."""
        client = Client(self.port)
        for channel in channels:
            client.ask(self.publish(channel, body))
        client.close()

    def publish(self, channel, body):
        return request("PUT", f"/v1/channels/{channel}/messages/{self.new_name()}", body)

    def listen(self, channel):
        return request("GET", f"/v1/channels/{channel}", b"", EVENTS)

    def listen_by_socket(self, channel):
        """The handshake, and a text frame that asks to follow the channel."""
        text = f'{{"id":1,"type":"follow","channel":"{channel}"}}'.encode()
        frame = bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text  # a mask of zeros leaves the bytes unchanged
        return HANDSHAKE.format(KEY).encode() + frame

    def stop(self):
        self._gateway.stop()
        self.server.stop()


class Nchan(Peer):
    name = "Nchan"
    ready = b": hi"
    socket_ready = b"\r\n\r\n"

    def __init__(self, redis=False):
        self._server = Server(module=False) if redis else None
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="millrace-nchan-"))
        self.port = free_port()
        upstream = f"upstream redis {{ nchan_redis_server redis://127.0.0.1:{self._server.port}; }}" if redis else ""
        lines = LOCATIONS.format(passed="nchan_redis_pass redis;" if redis else "")
        words = ["nginx", *words_for_nginx(self._folder, self.port, lines, SETTINGS + upstream,
                                           f"load_module {NCHAN_MODULE};", CONNECTIONS)]
        with open(self._folder / "output", "wb") as output:
            self._nginx = subprocess.Popen(words, stdout=output, stderr=output)
        wait_until(lambda: self._nginx.poll() is not None or children(self._nginx.pid), "nginx has a worker")
        if self._nginx.poll() is not None:
            raise RuntimeError((self._folder / "output").read_text())
        self.processes = [*children(self._nginx.pid), self._nginx.pid]
        if redis:
            self.processes.append(self._server.client().info("server")["process_id"])
            wait_until(self._serves_streams, "nginx has found Redis")

    def _serves_streams(self):
        """A stream that is opened before nginx is connected to Redis may wait for ever."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as stream:
            stream.sendall(self.listen("first"))
            try:
                return stream.recv(65536).startswith(b"HTTP/1.1 200 ")
            except TimeoutError:
                return False

    def publish(self, channel, body):
        return request("POST", f"/publish/{channel}", body, "Content-Type: application/json")

    def listen(self, channel):
        return request("GET", f"/listen/{channel}", b"", EVENTS)

    def listen_by_socket(self, channel):
        return HANDSHAKE.format(KEY).replace("/v1/connect", f"/listen/{channel}").encode()

    def stop(self):
        if self._nginx.poll() is None:
            self._nginx.terminate()
            self._nginx.wait()
        if self._server is not None:
            self._server.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def nchan_is_there():
    return shutil.which("nginx") is not None and NCHAN_MODULE.exists()
