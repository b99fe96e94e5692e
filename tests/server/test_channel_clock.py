"""A clock that moves on while a command runs: the command reads it only once."""

import pytest

from channel_words import publish, subscribe, take
from resp import RespError

START = 1_800_000_000_000


def fetch(c, receipt):
    return c.call("CHAN.FETCH", "ch", "s")


def acknowledge(c, receipt):
    return c.call("CHAN.ACK", "ch", "s", receipt)


def unsubscribe(c, receipt):
    return c.call("CHAN.UNSUBSCRIBE", "ch", "s")


def seen(c, receipt):
    return c.call("CHAN.SEEN", "ch", "s", "a")


# Each expiry is a millisecond longer than the last, so one of them ends between two readings of one command.
@pytest.mark.parametrize("command", [fetch, acknowledge, unsubscribe, seen])
def test_a_subscriber_may_expire_while_its_command_runs(clock, command):
    clock.go_on_with_each_reading(START)
    answers = set()
    with clock.server() as server, server.connect() as c:
        for expire in range(1, 150):
            c.call("DEL", "ch")
            subscribe(c, "s", options=("EXPIRE", "1000000"))
            publish(c, "a")
            receipt = take(c)[1]
            subscribe(c, "s", options=("EXPIRE", str(expire)))
            try:
                answers.add("gone" if command(c, receipt) == 0 else "there")
            except RespError as error:
                assert str(error).startswith("NOSUB ")
                answers.add("gone")
        assert server.is_alive(), server.log()[-4000:]
    assert answers == {"gone", "there"}
