"""docs/guides/delays.md, "If you come from another queue": each row of the table is tried."""

import re

import pytest

from log_frames import read_frame
from resp import RespError
from server import REPOSITORY, wait_until


def info(c, key):
    flat = c.call("TINFO", key)
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}


def write(c, *options, key="q", entry="job"):
    return c.call("TWRITE", key, *options, "ENTRIES", "t", entry)


def take(c, *options, key="q"):
    return c.call("TREAD", key, 1, 10, "GROUP", "g", "RETRY", 3_600_000, 0, *options)


def a_repeated_write_is_stored_once(c):
    c.call("TRETAIN", "q", "IDS", 300_000)
    assert [write(c, "ID", "a"), write(c, "ID", "a"), write(c, "ID", "b")] == [1, 1, 2]


def a_delayed_message_can_be_taken_back(c):
    ticket = write(c, "DELAY", 86_400_000)
    assert c.call("TSCHED", "CANCEL", "q", ticket) == 1
    assert info(c, "q")["scheduled"] == 0


def work_may_take_longer(c):
    write(c)
    assert take(c)[0][0] == 1
    assert c.call("TEXTEND", "q", "g", 7_200_000, 1) == 1
    assert c.call("TGROUP", "PENDING", "q", "g")[0][2] > 3_600_000


def dead_letters_come_back(c):
    c.call("TGROUP", "CREATE", "q", "g", "MAXATTEMPTS", 1, "DEADLETTER", "dead")
    write(c)
    take(c)
    c.call("TNACK", "q", "g", 1)
    take(c)  # due again after its only attempt: given up
    wait_until(lambda: info(c, "dead")["messages"] == 1, "it is a dead letter")
    assert c.call("TREDRIVE", "dead") == 1
    assert c.call("TREAD", "q", 2, 10) == [[2, b"t", b"job"]]


def delayed_ones_are_counted_and_listed(c):
    for n in range(3):
        write(c, "AT", 4_000_000_000_000 + n)
    assert info(c, "q")["scheduled"] == 3
    assert len(c.call("TSCHED", "LIST", "q")) == 3


def a_full_queue_refuses(c):
    c.call("TRETAIN", "q", "COUNT", 1, "REFUSE", "yes")
    c.call("TGROUP", "CREATE", "q", "g")
    write(c)
    with pytest.raises(RespError, match="FULL"):
        write(c)


def messages_are_deleted(c):
    c.call("TWRITE", "q", "ENTRIES", "subject", "1", "other", "2", "subject", "3")
    assert c.call("TDEL", "q", 2) == 1
    c.call("TDEL", "q", "TAGS", 1, "subject")
    wait_until(lambda: info(c, "q")["deleted"] == 3, "all are deleted")


def a_message_has_a_date(c):
    assert write(c, "AT", 4_000_000_000_000) == b"4000000000000-1"


def a_delay_is_promoted_or_removed(c):
    first, second = write(c, "DELAY", 3_600_000, entry="1"), write(c, "DELAY", 3_600_000, entry="2")
    assert c.call("TSCHED", "NOW", "q", second) == 1
    assert c.call("TSCHED", "CANCEL", "q", first) == 1
    assert c.call("TREAD", "q", 1, 10) == [[1, b"t", b"2"]]


def a_retry_backs_off(c):
    c.call("TGROUP", "CREATE", "q", "g", "MAXATTEMPTS", 5)
    write(c)
    take(c)
    assert c.call("TNACK", "q", "g", "DELAY", 5_000_000, 1) == 1
    assert c.call("TGROUP", "PENDING", "q", "g")[0][2] > 3_600_000


def a_tag_is_replaced_or_deleted(c):
    c.call("TRETAIN", "q", "LATEST", "yes")
    c.call("TWRITE", "q", "ENTRIES", "k", "1", "k", "2")
    wait_until(lambda: info(c, "q")["messages"] == 1, "the older one is gone")
    c.call("TDEL", "q", "TAGS", 1, "k")
    wait_until(lambda: info(c, "q")["messages"] == 0, "the other one too")


def a_batch_is_one_frame(c):
    c.call("TWRITE", "q", "ENTRIES", "t", "1", "t", "2")
    frame = c.call("TREAD", "q", 1, 1000, "FRAMED")
    assert [m[2] for m in read_frame(frame).messages] == [b"1", b"2"]
    assert c.call("TWRITE", "copy", "FRAMED", frame) == 1


TRIED = {
    "SQS FIFO: `MessageDeduplicationId`": a_repeated_write_is_stored_once,
    "SQS: `DelaySeconds`": a_delayed_message_can_be_taken_back,
    "SQS: visibility timeout": work_may_take_longer,
    "SQS: redrive policy": dead_letters_come_back,
    "SQS: `ApproximateNumberOfMessagesDelayed`": delayed_ones_are_counted_and_listed,
    "JetStream: `Nats-Msg-Id`": a_repeated_write_is_stored_once,
    "JetStream: `discard: new`": a_full_queue_refuses,
    "JetStream: secure delete": messages_are_deleted,
    "JetStream: `Nats-Schedule`": a_message_has_a_date,
    "JetStream: a pull of a batch": a_batch_is_one_frame,
    "BullMQ: `jobId`": a_repeated_write_is_stored_once,
    "BullMQ: `delay`": a_delay_is_promoted_or_removed,
    "BullMQ: `getDelayed()`": delayed_ones_are_counted_and_listed,
    "BullMQ: `attempts`": a_retry_backs_off,
    "RabbitMQ: `x-overflow": a_full_queue_refuses,
    "RabbitMQ: delayed": a_delayed_message_can_be_taken_back,
    "Kafka: idempotent producer": a_repeated_write_is_stored_once,
    "Kafka: a tombstone": a_tag_is_replaced_or_deleted,
    "Kafka: a record batch": a_batch_is_one_frame,
}


def rows():
    text = (REPOSITORY / "docs" / "guides" / "delays.md").read_text().split("## If you come from another queue")[1]
    return re.findall(r"^\| (?!there|---)(.+?) \| ", text, re.M)


@pytest.mark.parametrize("row", rows())
def test_a_row_of_the_table_does_what_it_says(c, row):
    tried = [name for name in TRIED if row.startswith(name)]
    assert len(tried) == 1, "each row is tried"
    TRIED[tried[0]](c)


def test_nothing_is_tried_that_is_not_in_the_table():
    assert [name for name in TRIED if not any(row.startswith(name) for row in rows())] == []
