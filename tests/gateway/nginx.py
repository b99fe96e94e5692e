"""nginx as people put it before a gateway: with the lines of the guide, at a port of 127.0.0.1, with its files in a
folder of the test."""

import os
import re
import shutil
import socket
import subprocess

import pytest

from server import REPOSITORY, free_port, wait_until

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {location}
  }}
}}
"""


def location_of_the_guide():
    text = (REPOSITORY / "docs" / "guides" / "gateway.md").read_text()
    [found] = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    return found


def answers_at(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Nginx:
    """Passes to the gateway at `to`; `port` is its own. Use as a context manager."""

    def __init__(self, to, folder):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if program is None:
            pytest.skip("nginx is not installed")
        self.port = free_port()
        location = location_of_the_guide().replace("127.0.0.1:8380", f"127.0.0.1:{to}")
        (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=self.port, location=location))
        self._log = folder / "error.log"
        with open(folder / "output", "wb") as output:
            self._process = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf", "-e", self._log],
                                             stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            wait_until(lambda: self._process.poll() is not None or answers_at(self.port), "nginx listens")
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
