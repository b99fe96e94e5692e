"""What a change means to a device: with OLD every device comes with enter, update, leave or delete."""

import pytest

from route_words import TASK, WS, channel, match, subscribe

HIGH, LOW = {"prio": "high"}, {"prio": "low"}


@pytest.fixture
def listeners(c):
    subscribe(c, "all|ws")
    subscribe(c, "high|ws", filter=HIGH)
    subscribe(c, "low|ws", filter=LOW)


@pytest.mark.parametrize(
    "old, new, expected",
    [
        (LOW, HIGH, {"all|ws": "update", "high|ws": "enter", "low|ws": "leave"}),
        (HIGH, LOW, {"all|ws": "update", "high|ws": "leave", "low|ws": "enter"}),
        (HIGH, {**HIGH, "n": 1}, {"all|ws": "update", "high|ws": "update"}),
        ({}, HIGH, {"all|ws": "update", "high|ws": "enter"}),
        (HIGH, {}, {"all|ws": "update", "high|ws": "leave"}),
        ({}, {}, {"all|ws": "update"}),
    ],
)
def test_a_change_enters_updates_or_leaves(c, listeners, old, new, expected):
    assert match(c, new, old) == expected


@pytest.mark.parametrize("doc", [None, False], ids=["no DOC", "DOC null"])
def test_old_without_doc_is_a_deletion_for_all_that_matched(c, listeners, doc):
    assert match(c, doc, HIGH) == {"all|ws": "delete", "high|ws": "delete"}
    assert match(c, doc, LOW) == {"all|ws": "delete", "low|ws": "delete"}
    assert match(c, doc, {}) == {"all|ws": "delete"}


def test_what_was_not_there_before_enters(c, listeners):
    assert match(c, HIGH, False) == {"all|ws": "enter", "high|ws": "enter"}
    assert match(c, {}, False) == {"all|ws": "enter"}


def test_without_old_the_answer_has_no_meaning_of_the_change(c, listeners):
    assert match(c, HIGH) == ["all|ws", "high|ws"]


@pytest.mark.parametrize("doc", [None, False], ids=["no DOC", "DOC null"])
def test_from_nothing_to_nothing_no_device_is_found(c, listeners, doc):
    assert not match(c, doc, False)


def test_of_several_filters_any_counts(c):
    subscribe(c, "d1|ws", filter=HIGH)
    subscribe(c, "d1|ws", filter=LOW)
    assert match(c, HIGH, LOW) == {"d1|ws": "update"}, "it saw it before, and sees it now"
    assert match(c, {}, LOW) == {"d1|ws": "leave"}
    assert match(c, HIGH, {}) == {"d1|ws": "enter"}
    assert match(c, None, HIGH) == {"d1|ws": "delete"}


def test_of_several_channels_any_counts(c):
    about = channel(user="u", id="i")
    high = subscribe(c, "d1|ws", about=channel(id="i"), filter=HIGH)
    low = subscribe(c, "d1|ws", about=channel(user="u"), filter=LOW)
    assert match(c, HIGH, LOW, about=about) == {"d1|ws": "update"}
    assert match(c, HIGH, LOW, about=channel(id="i")) == {"d1|ws": "enter"}
    answer = c.call("ROUTE.MATCH", "t", *about, "DOC", '{"prio": "high"}', "OLD", '{"prio": "low"}', "WITHCHANNELS")
    entered, left = [b"app:shop:model:task:id:i", high, b"enter"], [b"app:shop:user:u:model:task", low, b"leave"]
    assert answer == [[b"ws", [[b"d1", b"update", [entered, left]]]]]


def test_an_unfiltered_subscription_hears_beside_a_filter(c):
    subscribe(c, "d1|ws")
    subscribe(c, "d1|ws", filter=HIGH)
    assert match(c, HIGH, LOW) == {"d1|ws": "update"}
    assert match(c, LOW, HIGH) == {"d1|ws": "update"}


def test_filters_that_see_what_is_missing_leave_and_enter_too(c):
    subscribe(c, "none|ws", filter={"prio": {"$exists": False}})
    subscribe(c, "not|ws", filter={"$not": HIGH})
    assert match(c, HIGH, {}) == {"none|ws": "leave", "not|ws": "leave"}
    assert match(c, {}, HIGH) == {"none|ws": "enter", "not|ws": "enter"}
    assert match(c, None, {}) == {"none|ws": "delete", "not|ws": "delete"}


def test_each_transport_gets_the_meaning_for_itself(c):
    subscribe(c, "d1|ws", filter=HIGH)
    subscribe(c, "d1|mqtt", filter=LOW)
    answer = c.call("ROUTE.MATCH", "t", *TASK, "DOC", '{"prio": "high"}', "OLD", '{"prio": "low"}')
    means = sorted((transport, id, meaning) for transport, [[id, meaning, _]] in answer)
    assert means == [(b"mqtt", b"d1", b"leave"), (b"ws", b"d1", b"enter")]


def test_a_device_with_two_lists_can_tell_leaving_one_from_entering_the_other(c):
    """Findings, routes 2: the answer names the subscription that the change is about."""
    high, low = subscribe(c, filter=HIGH), subscribe(c, filter=LOW)
    c.call("ROUTE.SETFILTER", "t", "urgent", '{"prio": "high"}', *TASK)
    c.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTERID", "urgent")
    [[_, [[_, together, each]]]] = c.call("ROUTE.MATCH", "t", *TASK, "DOC", '{"prio": "high"}', "OLD", '{"prio": "low"}')
    assert together == b"update"
    assert sorted((filter, meaning) for _, filter, meaning in each) == sorted([(high, b"enter"), (b"urgent", b"enter"), (low, b"leave")])
    assert {name for name, _, _ in each} == {b"app:shop:model:task"}
    [[_, [[_, _, each]]]] = c.call("ROUTE.MATCH", "t", *TASK, "OLD", '{"prio": "low"}')
    assert each == [[b"app:shop:model:task", low, b"delete"]]
    [[_, [[_, together, each]]]] = c.call("ROUTE.MATCH", "t", *TASK, "DOC", '{"prio": "low", "n": 2}', "OLD", '{"prio": "low"}')
    assert (together, each) == (b"update", [[b"app:shop:model:task", low, b"update"]])
