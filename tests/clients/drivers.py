"""The drivers of the client packages, and how a scenario talks to one: README.md has the protocol."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from typing import Callable

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

from node_package import FOLDER, built_package
from server import REPOSITORY, wait_until

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Kind:
    """A package, in one of the ways in which it is used."""

    name: str
    command: tuple
    environment: tuple = ()
    prepare: Callable = lambda: None  # builds what it needs, or skips the test

    def is_there(self):
        return shutil.which(self.command[0]) is not None


def _python(way):
    return Kind(f"python-{way}", ("/usr/bin/python3", str(HERE / "driver_python.py"), way),
                (("PYTHONPATH", str(REPOSITORY / "clients" / "python" / "src")),))


def _node(name, way):
    return Kind(name, ("node", str(HERE / "driver_node.mjs"), way), (("MILLRACE_NODE", str(FOLDER)),),
                built_package)


KINDS = [_python("sync"), _python("asyncio"), _node("node-ioredis", "ioredis"), _node("node-redis", "node-redis")]


class Driver:
    """A driver's process. Use as a context manager: its end closes the driver's stdin, and waits for it."""

    def __init__(self, kind, *words, environment=None):
        """`words` are arguments of the driver: a URL, or an option of README.md with its value."""
        self._process = subprocess.Popen(
            [*kind.command, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **dict(kind.environment), **(environment or {})})
        self.reports = []  # of all jobs, in the order in which they came
        self._jobs = 0
        self._errors = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._reading_errors = threading.Thread(target=lambda: self._errors.extend(self._process.stderr), daemon=True)
        self._reading_errors.start()

    def _listen(self):
        for line in self._process.stdout:
            self.reports.append(json.loads(line))

    def start(self, do, **request):
        """Starts a job, and returns it."""
        self._jobs += 1
        job = Job(self, f"job-{self._jobs}")
        self._send({"job": job.name, "do": do, **request})
        return job

    def _send(self, request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def tell(self, job, do):
        self._send({"do": do, "of": job.name})

    def kill(self):
        """kill -9."""
        self._process.kill()
        self._process.wait()

    def terminate(self):
        self._process.terminate()

    def errors(self):
        return "".join(self._errors)

    def is_alive(self):
        return self._process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reading_errors.join()


class Job:
    def __init__(self, driver, name):
        self.name = name
        self._driver = driver

    def reports(self, kind=None):
        """The reports so far; if a kind is given, those with that field."""
        return [report for report in list(self._driver.reports)
                if report.get("job") == self.name and (kind is None or kind in report)]

    def values(self, kind):
        return [report[kind] for report in self.reports(kind)]

    def wait_for(self, kind, count=1, deadline=60):
        """Waits until there are this many reports of a kind."""
        def enough():
            # Checked before the reports are read: the last reports may arrive just before the end.
            is_over = not self._driver.is_alive() or (kind != "end" and self.reports("end"))
            found = self.reports(kind)
            if len(found) >= count:
                return found
            if is_over:
                raise AssertionError(f"{len(found)} of {count} {kind}, and then: {self.reports('end')} "
                                     f"{self._driver.errors()[-3000:]}")
            return None

        return wait_until(enough, f"{count} reports of {kind}", deadline)

    def end(self, deadline=60):
        """Waits for the job's last report, and returns it."""
        return self.wait_for("end", deadline=deadline)[0]

    def finish(self, deadline=60):
        """The same; fails if the job ended with an error."""
        report = self.end(deadline)
        assert report["end"] == "ok", (report, self._driver.errors()[-3000:])
        return report

    def begin_to_stop(self):
        self._driver.tell(self, "stop")

    def stop(self, deadline=60):
        self.begin_to_stop()
        return self.finish(deadline)

    def release(self):
        """Releases what the job holds: handlers that are "held", a subscription, a lock."""
        self._driver.tell(self, "release")
