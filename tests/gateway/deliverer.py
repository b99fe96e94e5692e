"""`millrace deliver`, started for a test and stopped after it."""

import pathlib
import shutil
import signal
import subprocess
import tempfile

from server import wait_until
from tool import TOOL


class Deliverer:
    """Starts when made. Use as a context manager."""

    def __init__(self, server, *words, **settings):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="millrace-deliver-"))
        to = server if isinstance(server, str) else f"127.0.0.1:{server.port}"
        self._words = [TOOL, "deliver", "--to", to, *map(str, words)]
        for name, value in settings.items():
            self._words += ["--set", f"{name}={value}"]
        self.process = None
        self.start()

    def start(self):
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(self._words, stdout=output, stderr=output)
        wait_until(lambda: "delivers " in self.output() or self.process.poll() is not None, "the deliverer has begun")
        assert self.process.poll() is None, self.output()

    def output(self):
        return (self.folder / "output").read_text(errors="replace")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
