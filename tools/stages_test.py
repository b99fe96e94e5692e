"""How ./test runs its stages: their order, their sum, and tests that failed once."""
import sys

import pytest

from stages import Run, Stage, choose, summary

GOOD = "<testsuite><testcase classname='tests.test_a' name='one'/><testcase name='two'><skipped/></testcase></testsuite>"
BAD = "<testsuite><testcase name='one'/><testcase classname='test_a' name='two'><failure/></testcase></testsuite>"


@pytest.fixture
def ran(tmp_path):
    """Runs stages and returns (what the summary says, its status, the run)."""

    def run_them(*stages, **more):
        run = Run(stages, tmp_path, {}, say=lambda text: None, **more)
        run.run()
        said = []
        status = summary(run, said.append)
        return said, status, run

    return run_them


def shell(text):
    return ["/bin/sh", "-c", text]


def reporting(tmp_path, name, xml, status=0, **more):
    return Stage(name, [shell(f"cat > {tmp_path}/{name}.xml <<'END'\n{xml}\nEND\nexit {status}")], **more)


def test_results_are_added_up(ran, tmp_path):
    said, status, _ = ran(reporting(tmp_path, "a", GOOD), reporting(tmp_path, "b", GOOD))
    assert (said[-1], status) == ("2 passed, 0 failed, 2 skipped", 0)


def test_the_processor_time_of_a_stage_is_that_of_all_its_commands(ran):
    busy = shell("/usr/bin/python3 -c 'import time\nwhile time.process_time() < 0.2: pass'")
    _, _, run = ran(Stage("idle", [shell("sleep 0.1")], has_tests=False), Stage("busy", [busy, busy], has_tests=False))
    assert run.processor_seconds["busy"] >= 0.4 > run.processor_seconds["idle"]


def test_a_chosen_stage_comes_with_what_it_needs_and_waits_for_nothing_else():
    stages = [Stage("build", []), Stage("long", [], after=("server",)), Stage("server", [], needs=("build",)),
              Stage("last", [], needs=("server",), after=("long", "build"))]
    assert [(stage.name, stage.after) for stage in choose(stages, ["last"])] == \
        [("build", ()), ("server", ()), ("last", ("build",))]
    assert choose(stages, []) == stages


def test_a_stage_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match="there is no stage serve; there are build, server"):
        choose([Stage("build", []), Stage("server", [])], ["serve"])


def test_what_is_skipped_is_named(ran, tmp_path):
    said, _, _ = ran(reporting(tmp_path, "a", GOOD))
    assert "  a: ::two" in said


def test_a_test_that_fails_twice_fails_the_run(ran, tmp_path):
    said, status, _ = ran(reporting(tmp_path, "a", BAD, 1, again=lambda case: shell("exit 1")))
    assert (said[-1], status) == ("1 passed, 1 failed, 0 skipped", 1)
    assert "  a: test_a::two" in said[said.index("1 failed:"):]


def test_a_test_that_passes_alone_is_flaky_and_listed(ran, tmp_path):
    said, status, _ = ran(reporting(tmp_path, "a", BAD, 1, again=lambda case: shell(f"[ {case.file} {case.name} ] || true")))
    assert (said[-1], status) == ("2 passed, 0 failed, 0 skipped", 0)
    assert "  a: test_a::two" in said[said.index("1 flaky, failed once and passed alone:"):]


def test_each_test_that_failed_is_run_alone(ran, tmp_path):
    both = BAD.replace("name='one'/>", "name='one'><error/></testcase>")
    seen = []

    def again(case):
        seen.append(case.name)
        return shell("true")

    ran(reporting(tmp_path, "a", both, 1, again=again))
    assert seen == ["one", "two"]


@pytest.mark.parametrize("xml", ["<testsuite><testcase/>", "<testsuite><testcase/></testsuite>"],
                         ids=["cut off", "nothing failed in it"])
def test_a_runner_that_fails_without_naming_a_test_is_a_failure(ran, tmp_path, xml):
    said, status, _ = ran(reporting(tmp_path, "a", xml, 1, again=lambda case: shell("true")))
    assert status == 1 and ", 1 failed, " in said[-1]


def test_a_stage_that_writes_no_results_is_a_failure(ran):
    said, status, _ = ran(Stage("a", [shell("true")]))
    assert (said[-1], status) == ("0 passed, 1 failed, 0 skipped", 1)


def test_a_stage_that_does_not_end_is_killed_and_is_a_failure(ran):
    said, status, run = ran(Stage("a", [["sleep", "600"]]), longest=0.2)
    assert (said[-1], status) == ("0 passed, 1 failed, 0 skipped", 1)
    assert run.seconds["a"] < 600


def test_a_run_in_which_nothing_passed_fails(ran, tmp_path):
    _, status, _ = ran(reporting(tmp_path, "a", "<testsuite/>"))
    assert status == 1


def test_a_stage_without_tests_counts_only_when_it_fails(ran, tmp_path):
    said, status, _ = ran(Stage("build", [shell("true")], has_tests=False), reporting(tmp_path, "a", GOOD))
    assert (said[-1], status) == ("1 passed, 0 failed, 1 skipped", 0)
    said, status, _ = ran(Stage("build", [shell("false")], has_tests=False), reporting(tmp_path, "a", GOOD))
    assert (said[-1], status) == ("1 passed, 1 failed, 1 skipped", 1)


def test_what_needs_a_stage_that_failed_is_not_run_and_counts_as_failed(ran, tmp_path):
    said, _, run = ran(Stage("build", [shell("false")], has_tests=False), reporting(tmp_path, "a", GOOD, needs=("build",)))
    assert "a" not in run.seconds
    assert said[-1] == "0 passed, 2 failed, 0 skipped"


def test_a_stage_after_another_runs_whatever_the_result_of_that_is(ran, tmp_path):
    said, _, _ = ran(Stage("build", [shell("false")], has_tests=False), reporting(tmp_path, "a", GOOD, after=("build",)))
    assert said[-1] == "1 passed, 1 failed, 1 skipped"


def test_stages_run_beside_each_other(ran, tmp_path):
    meet = "for i in $(seq 500); do touch {0}/{2}; [ -e {0}/{1} ] && exit 0; sleep 0.01; done; exit 1"
    said, status, _ = ran(Stage("a", [shell(meet.format(tmp_path, "b", "a"))], has_tests=False),
                          Stage("b", [shell(meet.format(tmp_path, "a", "b"))], has_tests=False),
                          reporting(tmp_path, "c", GOOD))
    assert status == 0, said


def test_a_stage_stops_at_the_first_command_that_fails(ran, tmp_path):
    ran(Stage("a", [shell("false"), shell(f"touch {tmp_path}/reached")], has_tests=False))
    assert not (tmp_path / "reached").exists()


# Prints, and goes on until a file is there. The text is not in the words of the command, which are in the log, too.
PRINTS = """
import pathlib, time
print({printed!r}, flush=True)
end = time.monotonic() + 60
while not pathlib.Path({until!r}).exists() and time.monotonic() < end:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("printed, shown", [
    ("[12/253] Building", "a 12/253"), (" 45/799 Test  #45: x", "a 45/799"), ("..... [ 45%]\n.....", "a 45%"), ("$ x", "a ("),
])
def test_progress_is_what_the_programs_print(tmp_path, printed, shown):
    program, until = tmp_path / "program.py", tmp_path / "until"
    program.write_text(PRINTS.format(printed=printed, until=str(until)))
    said = []

    def say(text):
        said.append(text)
        if shown in text:
            until.touch()

    Run([Stage("a", [[sys.executable, str(program)]])], tmp_path, {}, say).run(every=0.1)
    assert any(shown in line for line in said), said
