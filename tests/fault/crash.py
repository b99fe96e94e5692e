"""The server is killed again and again, while a client of each family works on it. Its append-only file is written
before each answer or each second, or there are only saved files. Kills also come during a rewrite or a save, and the
last record may be torn or cut off."""

import contextlib
import os
import pathlib
import random
import shutil
import signal

from books import EVERYTHING, Promise, now
from crew import Crew
from resp import encoded
from server import Server, let_pass, wait_until

LIVES = 6  # lives of one server, before the next starts empty
LONGEST_LIFE = 0.5  # seconds
# The seconds that may be lost with appendfsync everysec: one, and those by which the host may delay it while the disk
# is busy.
SECONDS_NOT_ON_DISK = 2.5

ALWAYS = {"appendonly": "yes", "appendfsync": "always"}
FLAVOURS = {
    "always": ALWAYS,
    "always, no preamble": {**ALWAYS, "aof_use_rdb_preamble": "no"},
    "everysec": {"appendonly": "yes", "appendfsync": "everysec"},
    "saved files": {},
}


def run(seconds, seed, books):
    for what in ("during a rewrite", "during a save", "torn records", "cut records"):
        books.counts[what] = 0
    end = now() + seconds
    number = 0
    while number == 0 or now() < end:
        flavour = list(FLAVOURS)[number % len(FLAVOURS)]
        with Server(**FLAVOURS[flavour]) as server:
            _Round(server, flavour, f"{seed}/crash/{number}", books).run(lambda: now() >= end)
        number += 1


class _Round:
    def __init__(self, server, flavour, seed, books):
        self._server = server
        self._flavour = flavour
        self._books = books
        self._rng = random.Random(seed)
        self._crew = Crew(seed, books)
        self._saved_at = 0.0  # when the last completed save began
        self._started_at = now()

    def run(self, is_over):
        self._set_small_blocks()
        self._crew.prepare(self._server.connect)
        self._save()
        for _ in range(LIVES):
            promise = self._live_and_die()
            self._come_up()
            self._crew.prove(self._server.connect, promise)
            if self._flavour.startswith("always") and self._rng.random() < 0.5:
                self._rng.choice([self._tear_the_last_record, self._cut_the_last_record])()
            if is_over() or not self._books.are_clean:
                break
        self._crew.finish(self._server.connect)
        self._crew.prove(self._server.connect)

    # --- one life ---

    def _live_and_die(self):
        """Works, then kills the server; returns the promise of what must be there afterwards."""
        self._crew.start(self._server.connect)
        let_pass(self._rng.random() * LONGEST_LIFE)
        disturbance = self._rng.choice(["nothing", "nothing", "rewrite", "save"])
        if disturbance != "nothing":
            if self._flavour == "saved files":
                self._save()
            self._begin(disturbance)
        self._count_what_goes_on()
        killed_at = now()
        self._kill()
        self._crew.rest()
        if self._flavour.startswith("always"):
            return EVERYTHING
        if self._flavour == "everysec":
            # Everything that was there at the start had come from the file.
            return Promise(max(killed_at - SECONDS_NOT_ON_DISK, self._started_at))
        return Promise(self._saved_at)

    def _save(self):
        began_at = now()
        self._server.admin.call("SAVE")
        self._saved_at = began_at

    def _begin(self, what):
        """Begins a rewrite or a save that takes a while, and returns when a part of it is done."""
        admin = self._server.admin
        admin.call("CONFIG", "SET", "rdb-key-save-delay", self._rng.randrange(1, 20_000))
        admin.call("BGREWRITEAOF" if what == "rewrite" else "BGSAVE")
        let_pass(self._rng.random() * 0.2)

    def _count_what_goes_on(self):
        state = self._server.info("persistence")
        self._books.count("during a rewrite", int(state["aof_rewrite_in_progress"]))
        self._books.count("during a save", int(state["rdb_bgsave_in_progress"]))

    def _kill(self):
        """Kills the server and its child process, as when the machine fails: a surviving child would replace a newer
        file by its own."""
        self._server.kill()
        self._books.count("kills")
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(process / "cwd") == self._server.directory:
                    os.kill(int(process.name), signal.SIGKILL)
                    wait_until(lambda: not (process / "cwd").exists(), "the child has ended")

    def _come_up(self):
        try:
            self._server.restart()
        except RuntimeError:
            kept = shutil.copytree(self._server.directory, self._server.directory + "-kept")
            self._books.trouble(f"a server did not come up ({self._flavour}); its files are kept in {kept}")
            raise
        self._started_at = now()
        self._set_small_blocks()

    def _set_small_blocks(self):
        """Sets small blocks, so that logs have many, packed and unpacked."""
        for name, value in (("block-bytes", self._rng.choice([256, 2000, 14336])), ("compress-age", 0)):
            self._server.admin.call("CONFIG", "SET", f"millrace.{name}", value)

    # --- torn files ---

    def _newest_file(self):
        files = pathlib.Path(self._server.directory).glob("appendonlydir/*.incr.aof")
        return max(files, key=lambda path: int(path.name.split(".")[-3]))

    def _tear_the_last_record(self):
        """Appends a part of a record, as if a command was killed before its answer. All clients are idle: a kill under
        load may already have torn a record, and the host does not cut off two."""
        self._kill()
        record = encoded(("TWRITE", "torn", "tag", "never acknowledged"))
        self._books.count("torn records")
        with open(self._newest_file(), "ab") as file:
            file.write(record[: self._rng.randrange(1, len(record))])
        self._come_up()
        self._crew.prove(self._server.connect)
        self._server.rewrite_aof()  # as docs/guides/log.md says

    def _cut_the_last_record(self):
        """Cuts off the end of the last record: it is lost, and nothing else. All clients are idle, so this record is a
        write, unless the effect of a date comes after it, such as scheduled messages that have become due."""
        admin = self._server.admin
        kept = admin.call("TWRITE", "cut", "tag", "kept")
        last = admin.call("TWRITE", "cut", "tag", "cut off")
        self._kill()
        path = self._newest_file()
        self._books.count("cut records")
        expected = [kept] if self._ends_with(path, ("TWRITE", "cut", "tag", "cut off")) else [kept, last]
        os.truncate(path, path.stat().st_size - self._rng.randrange(1, len(encoded(("EXEC",)))))
        self._come_up()
        found = [message[0] for message in self._server.admin.call("TREAD", "cut", kept, 2)]
        if found != expected:
            self._books.lost(f"cut: there are {found} instead of {expected} after the end of the file was cut off")
        self._crew.prove(self._server.connect)
        self._server.rewrite_aof()  # as docs/guides/log.md says

    @staticmethod
    def _ends_with(path, words):
        """Whether this command is the last one of the file, alone or in a transaction."""
        content = path.read_bytes().removesuffix(encoded(("EXEC",)))
        return content.endswith(encoded(words))
