"""The streams of gateway_faults.py detect a gateway that loses or repeats messages."""

import socket

import pytest

from gateway_faults import EventStream, SocketStream

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
UPGRADE = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"


def event(number):
    return b'id: 7.%d\ndata: {"offset":%d,"tag":"","entry":%d}\n\n' % (number, number, number)


def frame(number):
    text = b'{"event":"message","log":"l","offset":%d,"entry":%d,"position":"7.%d"}' % (number, number, number)
    return bytes([0x81, len(text)]) + text


def stream_of(made, head, *parts, **options):
    stream = made("logs", "l", **options)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream.begin(ours)
        for part in (head, *parts):
            stream.take(part)
    return stream


@pytest.mark.parametrize("made, head, message", [(EventStream, HEAD, event), (SocketStream, UPGRADE, frame)])
@pytest.mark.parametrize("numbers, wrong", [
    ((1, 2, 3), []), ((1, 3), ["lost"]), ((2,), ["lost"]), ((1, 2, 2), ["twice"]), ((1, 2, 1), ["twice"])])
def test_missing_and_repeated_messages_are_found(made, head, message, numbers, wrong):
    stream = stream_of(made, head, *map(message, numbers))
    assert [what for what, _ in stream.wrong] == wrong
    assert (stream.last, stream.position) == (max(numbers), f"7.{numbers[-1]}")


@pytest.mark.parametrize("made, head, message", [(EventStream, HEAD, event), (SocketStream, UPGRADE, frame)])
def test_messages_may_come_in_any_pieces_and_an_unfinished_one_does_not_count(made, head, message):
    whole = message(1) + message(2)
    pieces = [whole[at:at + 1] for at in range(len(whole))]
    stream = stream_of(made, head, *pieces[:-1])
    assert (stream.last, stream.position, stream.wrong) == (1, "7.1", [])
    stream = stream_of(made, head, *pieces)
    assert (stream.last, stream.position, stream.wrong) == (2, "7.2", [])


def test_a_gap_that_the_stream_reports_is_found():
    stream = stream_of(EventStream, HEAD, b'id: 7.5\nevent: reset\ndata: {"reason":"evicted"}\n\n')
    assert [what for what, _ in stream.wrong] == ["told"]


LOST = b'id: 7.1\nevent: reset\ndata: {"reason":"lost","from":2,"to":3}\n\n'


@pytest.mark.parametrize("may_be_put_back, numbers, wrong", [
    (True, (2, 3), []), (True, (3,), ["lost"]), (True, (1,), ["twice"]), (False, (2, 3), ["told", "twice", "twice"])])
def test_a_stream_whose_master_took_messages_with_it_goes_on_from_what_is_left(may_be_put_back, numbers, wrong):
    stream = stream_of(EventStream, HEAD, event(1), event(2), event(3), LOST, *map(event, numbers), may_be_put_back=may_be_put_back)
    assert [what for what, _ in stream.wrong] == wrong and stream.put_back == may_be_put_back


def test_a_client_comes_back_with_its_last_position_and_not_before_it_is_served():
    stream = stream_of(EventStream, HEAD, event(1))
    ours, theirs = socket.socketpair()
    stream.begin(ours)
    assert b"\r\nLast-Event-ID: 7.1\r\n" in theirs.recv(1000)
    assert not stream.take(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
