"""Filters: what the documentation's tables say, on a live server; names, ids, and when a filter goes."""

import json
import re

import pytest

from route_words import TASK, WS, channel, device, filters, get, info, match, subscribe, unsubscribe
from server import REPOSITORY

ROWS = {}  # name of the row -> (filter, document, answer)
REFUSED = []  # (filter, error)


def _code(cell):
    return re.fullmatch(r"`(.*)`", cell.strip())[1].replace("\\|", "|")


def _read_tables():
    for line in (REPOSITORY / "docs" / "route-filters.md").read_text().splitlines():
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        if len(cells) == 4 and "`" in line:
            what, filter, document, answer = cells
            ROWS[f"{what.strip()}: {filter.strip()}"] = (_code(filter), _code(document), answer.strip())
        elif len(cells) == 2 and line.count("`") == 4:
            REFUSED.append(tuple(_code(cell) for cell in cells))


_read_tables()


def test_the_tables_of_the_documentation_are_read():
    assert len(ROWS) > 150 and len(REFUSED) > 20


@pytest.mark.parametrize("answer", ["yes", "no", "refused"])
def test_a_live_server_answers_as_the_documentation_says(c, answer):
    for what, (filter, document, expected) in ROWS.items():
        if expected != answer:
            continue
        c.call("DEL", "t")
        subscribe(c, filter=filter)
        if answer == "refused":
            assert c.error_of("ROUTE.MATCH", "t", *TASK, "DOC", document).startswith("ERR DOC: the document is not "), what
        else:
            assert match(c, document) == ([WS] if answer == "yes" else []), what


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_it_answers_the_same_when_all_filters_are_there_at_once(c, answer):
    devices = {}
    for number, filter in enumerate(sorted({filter for filter, _, expected in ROWS.values() if expected != "refused"})):
        devices[filter] = f"d{number}|ws"
        subscribe(c, devices[filter], filter=filter)
    for what, (filter, document, expected) in ROWS.items():
        if expected == answer:
            assert (devices[filter] in match(c, document)) == (answer == "yes"), what


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_an_invalid_filter_is_refused_with_the_path(server, c, row):
    filter, error = row
    device(c)
    before = server.digest("t")
    assert c.error_of("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", filter) == f"BADFILTER {error}"
    assert c.error_of("ROUTE.UNSUBSCRIBE", "t", WS, *TASK, "FILTER", filter) == f"BADFILTER {error}"
    assert c.error_of("ROUTE.SETFILTER", "t", "name", filter, *TASK) == f"BADFILTER {error}"
    assert server.digest("t") == before


# --- one filter, one id ---

SAME = [
    '{"a": 1, "b": "x"}',
    '{"b":"x","a":1}',
    ' { "a" : 1.0 , "b" : "\\u0078" } ',
    '{"$and": [{"b": "x"}, {"a": 1}]}',
    '{"$and": [{"a": 1}, {"b": "x"}, {"a": 1}]}',
    '{"a": {"$eq": 1}, "b": {"eq": "x"}}',
    '{"a": {"$in": [1]}, "b": {"$in": ["x", "x"]}}',
    '{"$not": {"$not": {"a": 1, "b": "x"}}}',
    '{"$or": [{"a": 1, "b": "x"}]}',
]


def test_the_same_filter_written_differently_has_one_id(c):
    ids = {subscribe(c, f"d{n}|ws", filter=filter) for n, filter in enumerate(SAME)}
    assert len(ids) == 1
    assert info(c)["filters"] == 1
    assert filters(c) == {ids.pop().decode(): {"a": {"$eq": 1}, "b": {"$eq": "x"}}}
    assert len(match(c, {"a": 1, "b": "x"})) == len(SAME)


def test_different_filters_have_different_ids(c):
    different = ['{"a": 1}', '{"a": "1"}', '{"a": true}', '{"a": {"$ne": 1}}', '{"a": 1, "b": 1}', '{"$not": {"a": 1}}',
                 '{"a": {"$gt": 1}}', '{"a": {"$gte": 1}}', '{"a": {"$in": [1, 2]}}', '{"b": 1}', "{}"]
    assert len({subscribe(c, filter=filter) for filter in different}) == len(different)
    assert info(c)["filters"] == len(different)


def test_the_normal_form_is_a_filter_with_the_same_id(c):
    for filter in {filter for filter, _, expected in ROWS.values() if expected != "refused"}:
        c.call("DEL", "t")
        id = subscribe(c, filter=filter)
        _, [listed, normal] = c.call("ROUTE.FILTERS", "t", *TASK)
        assert listed == id
        assert subscribe(c, filter=normal) == id


def test_the_same_filter_on_two_channels_is_two(c):
    first, second = subscribe(c, filter={"a": 1}), subscribe(c, about=channel(user="u"), filter={"a": 1})
    assert first == second
    assert info(c)["filters"] == 2
    assert unsubscribe(c, filter={"a": 1}) == 1
    assert filters(c) == {}
    assert list(filters(c, channel(user="u"))) == [second.decode()]


def test_an_unused_filter_is_dropped(c):
    device(c)
    subscribe(c, "d1|ws", filter={"a": 1})
    subscribe(c, "d2|ws", filter={"a": 1})
    unsubscribe(c, "d1|ws", filter={"a": 1})
    assert len(filters(c)) == 1
    c.call("ROUTE.DEVICE", "DEL", "t", "d2|ws")
    assert filters(c) == {}
    assert info(c)["filters"] == 0


# --- FILTERS ---


@pytest.mark.parametrize("protocol", [2, 3])
def test_filters_is_a_cursor_and_a_map_of_normal_forms(c, connect, protocol):
    c.call("ROUTE.SETFILTER", "t", "named", '{"b": {"lt": 2, "gte": 1}}', *TASK)
    id = subscribe(c, filter={"a": {"$in": ["y", "x"]}})
    cursor, answer = connect(protocol).call("ROUTE.FILTERS", "t", *TASK)
    assert cursor == b"0"
    pairs = list(answer.items()) if protocol == 3 else list(zip(answer[::2], answer[1::2]))
    assert pairs == [(b"named", b'{"b":{"$gte":1,"$lt":2}}'), (id, b'{"a":{"$in":["x","y"]}}')]


@pytest.mark.parametrize("protocol, empty", [(2, b"*0\r\n"), (3, b"%0\r\n")])
def test_filters_of_a_channel_without_any_is_empty(c, connect, protocol, empty):
    there = connect(protocol)
    empty = b"*2\r\n$1\r\n0\r\n" + empty
    assert there.bytes_of("ROUTE.FILTERS", "missing", *TASK) == empty
    subscribe(c)
    assert there.bytes_of("ROUTE.FILTERS", "t", *TASK) == empty
    assert c.call("EXISTS", "missing") == 0


# --- names ---


def test_a_named_filter_is_subscribed_to_by_its_name(c):
    assert c.call("ROUTE.SETFILTER", "t", "high", '{"prio": "high"}', *TASK) == b"OK"
    assert c.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTERID", "high") == [b"app:shop:model:task", b"high"]
    assert match(c, {"prio": "high"}) == [WS]
    assert match(c, {"prio": "low"}) == []
    assert get(c, WS, "FULL")["subscribed-to"] == [[b"app:shop:model:task", b"high", -1]]


def test_a_subscription_to_a_name_follows_the_filter_of_that_name(c):
    c.call("ROUTE.SETFILTER", "t", "wanted", '{"prio": "high"}', *TASK)
    subscribe(c, "d1|ws", options=("FILTERID", "wanted"))
    subscribe(c, "d2|ws", filter={"prio": "high"})
    c.call("ROUTE.SETFILTER", "t", "wanted", '{"prio": "low"}', *TASK)
    assert match(c, {"prio": "low"}) == ["d1|ws"]
    assert match(c, {"prio": "high"}) == ["d2|ws"]
    c.call("ROUTE.SETFILTER", "t", "wanted", '{"prio": "high"}', *TASK)
    assert match(c, {"prio": "high"}) == ["d1|ws", "d2|ws"]
    assert info(c)["filters"] == 1, "named and not, it is one filter"


def test_a_named_filter_and_the_same_without_a_name_are_two_subscriptions(c):
    c.call("ROUTE.SETFILTER", "t", "high", '{"prio": "high"}', *TASK)
    subscribe(c, options=("FILTERID", "high"))
    id = subscribe(c, filter={"prio": "high"})
    assert get(c)["subscriptions"] == 2
    assert match(c, {"prio": "high"}) == [WS]
    assert set(filters(c)) == {"high", id.decode()}
    assert c.call("ROUTE.DELFILTER", "t", "high", *TASK) == 1
    assert match(c, {"prio": "high"}) == [WS]


def test_a_named_filter_stays_when_it_is_not_used(c):
    c.call("ROUTE.SETFILTER", "t", "high", '{"prio": "high"}', *TASK)
    subscribe(c, options=("FILTERID", "high"))
    unsubscribe(c, options=("FILTERID", "high"))
    assert list(filters(c)) == ["high"]
    assert (info(c)["filters"], info(c)["channels"], info(c)["subscriptions"]) == (1, 1, 0)


def test_a_name_belongs_to_its_channel(c):
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 2}', *channel(user="u"))
    subscribe(c, "d1|ws", options=("FILTERID", "f"))
    subscribe(c, "d2|ws", about=channel(user="u"), options=("FILTERID", "f"))
    assert match(c, {"a": 1}, about=channel(user="u")) == ["d1|ws"]
    assert match(c, {"a": 2}, about=channel(user="u")) == ["d2|ws"]


def test_an_unknown_name_is_nofilter(server, c):
    error = "NOFILTER no filter 'f' on app:shop:model:task; ROUTE.SETFILTER makes one"
    assert c.error_of("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTERID", "f") == error
    assert c.call("EXISTS", "t") == 0
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *channel(user="u"))
    before = server.digest("t")
    assert c.error_of("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTERID", "f") == error
    assert server.digest("t") == before


def test_a_device_may_subscribe_by_the_id_of_a_filter_without_a_name(c):
    id = subscribe(c, "d1|ws", filter={"a": 1})
    assert c.call("ROUTE.SUBSCRIBE", "t", "d2|ws", *TASK, "FILTERID", id)[1] == id
    assert match(c, {"a": 1}) == ["d1|ws", "d2|ws"]


# --- DELFILTER ---


def test_delfilter_takes_its_subscriptions_with_it(c):
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    for n in range(3):
        subscribe(c, f"d{n}|ws", options=("FILTERID", "f"))
    subscribe(c, "d0|ws", filter={"a": 1})
    assert c.call("ROUTE.DELFILTER", "t", "f", *TASK) == 3
    assert c.call("ROUTE.DELFILTER", "t", "f", *TASK) is None
    assert match(c, {"a": 1}) == ["d0|ws"]
    assert [get(c, f"d{n}|ws")["subscriptions"] for n in range(3)] == [1, 0, 0]


def test_delfilter_takes_the_id_of_one_without_a_name(c):
    id = subscribe(c, "d1|ws", filter={"a": 1})
    subscribe(c, "d2|ws", filter={"a": 1})
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    subscribe(c, "d3|ws", options=("FILTERID", "f"))
    assert c.call("ROUTE.DELFILTER", "t", id, *TASK) == 2
    assert match(c, {"a": 1}) == ["d3|ws"]
    assert list(filters(c)) == ["f"]


def test_delfilter_of_nothing_is_null(c):
    assert c.call("ROUTE.DELFILTER", "missing", "f", *TASK) is None
    assert c.call("EXISTS", "missing") == 0
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    assert c.call("ROUTE.DELFILTER", "t", "f", *channel(id="i")) is None
    assert c.call("ROUTE.DELFILTER", "t", "0" * 32, *TASK) is None
    assert list(filters(c)) == ["f"]


def test_normal_forms_are_json_that_others_read(c):
    filter = {"größe": {"$in": ["\u0001\"\\/", "😀", 1e300, -0.5, 2**53 + 1, None, True]}}
    id = subscribe(c, filter=filter)
    [normal] = filters(c).values()
    assert sorted(map(repr, normal["größe"]["$in"])) == sorted(map(repr, filter["größe"]["$in"]))
    assert json.loads(json.dumps(normal)) == normal
    assert subscribe(c, filter=normal) == id
