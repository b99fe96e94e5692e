"""Stages of ./test: what each runs, which others it waits for, and how they run in parallel.

A stage is a list of shell commands. It starts when the stages that it needs have ended, and its output goes to a file
of its own. It reports its tests as JUnit's XML (junit.py).
"""
import dataclasses
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import junit

# The progress of a stage, as ninja, ctest and pytest print it.
PROGRESS = re.compile(rb"\[ *(\d+%)\]|^\[(\d+/\d+)\]|^ *(\d+/\d+) Test", re.MULTILINE)

LONGEST = 3600  # seconds after which a command is killed: a test that hangs must not keep the sum from being printed

WHOLE_STAGE = "the whole stage, see above"  # the name of the failure if it is not one of the stage's tests


@dataclasses.dataclass
class Stage:
    name: str
    commands: list  # each a list of words; the first that fails ends the stage
    needs: tuple = ()  # names of stages without which it cannot run
    after: tuple = ()  # names of stages that must have ended, whatever their result
    nice: int = 0  # above 0: lower priority
    has_tests: bool = True  # false: it succeeds or fails as a whole
    again: object = None  # Case -> the words of a command that runs this one test alone
    environment: dict = dataclasses.field(default_factory=dict)  # additional variables
    longest: int = None  # seconds after which one of its commands is killed; None: LONGEST


def choose(stages, names):
    """The stages of these names and those that they need, in order; all of them if no name is given."""
    by_name = {stage.name: stage for stage in stages}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise ValueError(f"there is no stage {unknown[0]}; there are {', '.join(by_name)}")
    chosen, left = set(), list(names or by_name)
    while left:
        name = left.pop()
        chosen.add(name)
        left += by_name[name].needs
    return [dataclasses.replace(stage, after=tuple(name for name in stage.after if name in chosen))
            for stage in stages if stage.name in chosen]


class Run:
    """One run of some stages; results and output go to a directory."""

    def __init__(self, stages, directory, environment, say=print, longest=LONGEST):
        self.stages = stages
        self.seconds = {}  # stage -> its duration
        self.processor_seconds = {}  # stage -> processor time of all processes that it started
        self._directory = Path(directory)
        self._environment = environment
        self._say = say
        self._longest = longest
        self._ended = {stage.name: threading.Event() for stage in stages}
        self._succeeded = set()
        self._running = {}  # name -> its start time
        self.began = time.monotonic()

    def results(self, stage):
        return self._directory / f"{stage.name}.xml"

    def output(self, stage):
        return self._directory / f"{stage.name}.log"

    def run(self, every=60):
        """Runs all of them to their ends, and prints the progress regularly."""
        threads = [threading.Thread(target=self._run_stage, args=(stage,)) for stage in self.stages]
        for thread in threads:
            thread.start()
        spoken = time.monotonic()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.1)
            if time.monotonic() - spoken > every:
                spoken = time.monotonic()
                self._say(f"    {self.progress()}")

    def progress(self):
        """A line: which stages run, and how far each is."""
        told = []
        for stage in self.stages:
            since = self._running.get(stage.name)
            if since is not None:
                found = PROGRESS.findall(self.output(stage).read_bytes()[-4000:])
                at = next((part.decode() for part in found[-1] if part), "") if found else ""
                told.append(" ".join(filter(None, (stage.name, at, f"({time.monotonic() - since:.0f} s)"))))
        return "running: " + ", ".join(told) if told else "nothing runs"

    def _run_stage(self, stage):
        for name in (*stage.needs, *stage.after):
            self._ended[name].wait()
        if all(name in self._succeeded for name in stage.needs):
            self.output(stage).touch()  # progress() reads it
            self._running[stage.name] = began = time.monotonic()
            if self._run_commands(stage):
                self._succeeded.add(stage.name)
            self.seconds[stage.name] = time.monotonic() - began
            del self._running[stage.name]
            self._report(stage)
        else:
            self._say(f"--- {stage.name}: not run, because what it needs failed")
        self._ended[stage.name].set()

    def _run_commands(self, stage):
        priority = ["nice", "-n", str(stage.nice)] if stage.nice else []
        return all(self._call(stage, [*priority, *words]) for words in stage.commands)

    def _call(self, stage, words):
        """Runs a command, and appends its output to that of the stage; True if it succeeds."""
        with open(self.output(stage), "ab") as output:
            output.write(f"$ {' '.join(words)}\n".encode())
            output.flush()
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                     env={**self._environment, **stage.environment})
            late = threading.Timer(stage.longest or self._longest, self._kill, (stage, child))
            late.start()
            _, status, used = os.wait4(child.pid, 0)
            late.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            before = self.processor_seconds.get(stage.name, 0)
            self.processor_seconds[stage.name] = before + used.ru_utime + used.ru_stime
            return child.returncode == 0

    def _kill(self, stage, child):
        self._say(f"--- {stage.name}: has taken {stage.longest or self._longest} seconds and is killed")
        os.kill(child.pid, signal.SIGKILL)

    def passes_alone(self, stage, case):
        """Runs a test that failed once more, alone."""
        is_test = stage.again is not None and case.name != WHOLE_STAGE
        return is_test and self._call(stage, stage.again(case))

    def _report(self, stage):
        succeeded = stage.name in self._succeeded
        self._say(f"--- {stage.name}: {'done' if succeeded else 'failed'} after {self.seconds[stage.name]:.0f} seconds")
        if not succeeded:
            self._say(self.output(stage).read_text(errors="replace")[-6000:])

    # --- results ---

    def outcome(self, stage):
        """(passed, failed, skipped) as lists of cases. A stage without readable results is one failed case."""
        whole = junit.Case(stage.name, WHOLE_STAGE, "failed")
        if not stage.has_tests:
            return [], ([] if stage.name in self._succeeded else [whole]), []
        found = junit.cases(self.results(stage)) if stage.name in self.seconds else None
        if found is None:
            return [], [whole], []
        by_outcome = {outcome: [case for case in found if case.outcome == outcome]
                      for outcome in ("passed", "failed", "skipped")}
        # The runner reports a failure but names no failed test: it crashed, or did not build.
        if stage.name not in self._succeeded and not by_outcome["failed"]:
            by_outcome["failed"] = [whole]
        return by_outcome["passed"], by_outcome["failed"], by_outcome["skipped"]


def summary(run, say=print):
    """Runs the failed tests once more and prints the result; returns the exit status."""
    passed = failed = skipped = 0
    flaky, lost, left_out = [], [], []
    for stage in run.stages:
        good, bad, out = run.outcome(stage)
        for case in bad:
            label = f"{stage.name}: {case.file + '::' if case.file not in ('', stage.name) else ''}{case.name}"
            if run.passes_alone(stage, case):
                flaky.append(label)
                good = good + [case]
            else:
                lost.append(label)
                failed += 1
        passed += len(good)
        skipped += len(out)
        left_out += [f"{stage.name}: {case.file}::{case.name}" for case in out]
        seconds = (f"{run.seconds[stage.name]:.0f} s, processor {run.processor_seconds[stage.name]:.0f} s"
                   if stage.name in run.seconds else "not run")
        if stage.has_tests:
            say(f"{stage.name}: {len(good)} passed, {len(bad)} failed at first, {len(out)} skipped ({seconds})")
        else:
            say(f"{stage.name}: {'failed' if bad else 'ok'} ({seconds})")
    for title, names in (("skipped", left_out), ("flaky, failed once and passed alone", flaky), ("failed", lost)):
        if names:
            say(f"{len(names)} {title}:")
            for name in names:
                say(f"  {name}")
    say(f"{time.monotonic() - run.began:.0f} seconds, processor {sum(run.processor_seconds.values()):.0f} seconds")
    say(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0
