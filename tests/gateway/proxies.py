"""nginx and Caddy in front of a gateway: with the lines of the guide, at a port of 127.0.0.1, and with their files in a
folder of the test."""

import os
import re
import shutil
import socket
import subprocess

import pytest

from nginx import words_for_nginx
from server import QUIET_PORTS, REPOSITORY, free_port, wait_until

# Without its interface for administrators, which has a fixed port, and without certificates.
CADDY_CONFIGURATION = """
{{
  admin off
  auto_https off
  default_bind 127.0.0.1
  storage file_system {folder}
}}
{lines}
"""


def lines_of_the_guide(language):
    text = (REPOSITORY / "docs" / "guides" / "gateway.md").read_text()
    [found] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return found


def answers_at(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class _Proxy:
    """A proxy at `port` that passes requests to the gateway at `to`. Use as a context manager."""

    name = None  # the name of the program

    def __init__(self, to, folder):
        program = shutil.which(self.name, path=os.environ["PATH"] + ":/usr/sbin")
        if program is None:
            pytest.skip(f"{self.name} is not installed")
        self.port = free_port(QUIET_PORTS)
        words = self._words(folder, lambda lines: lines.replace("127.0.0.1:8380", f"127.0.0.1:{to}"))
        environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with open(folder / "output", "wb") as output:
            self._process = subprocess.Popen([program, *words], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                             stderr=output)
        try:
            wait_until(lambda: self._process.poll() is not None or answers_at(self.port), f"{self.name} listens")
            assert self._process.poll() is None, (folder / "output").read_text()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Nginx(_Proxy):
    name = "nginx"

    def _words(self, folder, adapted):
        return words_for_nginx(folder, self.port, adapted(lines_of_the_guide("nginx")))


class Caddy(_Proxy):
    name = "caddy"

    def _words(self, folder, adapted):
        # At a port without TLS, for any host, instead of the name that the guide has.
        lines = adapted(lines_of_the_guide("caddyfile")).replace("gateway.example.com", f"http://:{self.port}")
        (folder / "Caddyfile").write_text(CADDY_CONFIGURATION.format(folder=folder, lines=lines))
        return ["run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]
