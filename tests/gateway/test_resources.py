"""Locks, indexes, suggestions, changes and figures over HTTP."""

import threading

import pytest

from gateway import Gateway


def test_a_lock_is_acquired_renewed_and_released(gateway):
    status, held = gateway.json("POST", "/v1/locks/report?owner=ann&ttl=1m")
    assert (status, held["acquired"], held["holds"]) == (200, True, 1) and held["token"] > 0
    status, refused = gateway.json("POST", "/v1/locks/report?owner=bob")
    assert (status, refused["acquired"], refused["code"]) == (409, False, "held")
    assert gateway.json("POST", "/v1/locks/report/renew?owner=ann&ttl=30s") == (200, {"renewed": True})
    assert gateway.json("POST", "/v1/locks/report/renew?owner=bob")[0] == 409
    assert gateway.json("DELETE", "/v1/locks/report?owner=ann") == (200, {"holds": 0})
    assert gateway.json("DELETE", "/v1/locks/report?owner=ann")[1]["code"] == "notowner"
    assert gateway.json("POST", "/v1/locks/report?owner=bob")[1]["token"] > held["token"]


def test_a_lock_is_waited_for(gateway, server):
    gateway.json("POST", "/v1/locks/report?owner=ann")
    got = []
    waiting = threading.Thread(target=lambda: got.append(gateway.json("POST", "/v1/locks/report?owner=bob&wait=30s")))
    waiting.start()
    server.wait_for_blocked(1)
    gateway.json("DELETE", "/v1/locks/report?owner=ann")
    waiting.join()
    assert got[0][1]["acquired"] is True


def test_a_lock_is_shared_or_limited(gateway):
    for owner in ("ann", "bob"):
        assert gateway.json("POST", f"/v1/locks/a?owner={owner}&shared=1")[0] == 200
        assert gateway.json("POST", f"/v1/locks/b?owner={owner}&limit=2")[0] == 200
    assert gateway.json("POST", "/v1/locks/b?owner=eve&limit=2")[0] == 409


@pytest.mark.parametrize("query", ["", "?owner=", "?owner=a&ttl=0", "?owner=a&limit=0", "?owner=a&wait=x"])
def test_a_wrong_request_for_a_lock_is_400(gateway, query):
    assert gateway.json("POST", f"/v1/locks/report{query}")[0] == 400


@pytest.fixture
def people(c):
    c.call("IDX.CREATE", "people", "PREFIX", "p:", "FIELD", "city", "TEXT", "FIELD", "age", "INTEGER")
    for number, (city, age) in enumerate([("Bonn", 41), ("Kiel", 27), ("Bonn", 17), ("Ulm", 30)]):
        c.call("HSET", f"p:{number}", "city", city, "age", age)


@pytest.mark.parametrize("query, keys", [
    ("order=age", ["p:2", "p:1", "p:3", "p:0"]), ("order=age&rev=1&limit=1", ["p:0"]), ("city=Bonn&order=age", ["p:2", "p:0"]),
    ("age.gte=18&order=age", ["p:1", "p:3", "p:0"]), ("age.lt=27&order=age", ["p:2"]),
    ("city.in=Kiel,Ulm&order=age", ["p:1", "p:3"]), ("age.between=20,30&order=age", ["p:1", "p:3"]),
    ("city.prefix=U&order=age", ["p:3"]), ("city=Bonn&age.gte=18", ["p:0"]),
    ("age.gte=18&age.lt=40&order=age", ["p:1", "p:3"]), ("city.in=Kiel&city.in=Ulm&age.gt=27", ["p:3"]),
    ("age.between=20&age.between=30&city=Kiel", ["p:1"])])
def test_documents_are_found(gateway, people, query, keys):
    status, body = gateway.json("GET", f"/v1/indexes/people?{query}")
    assert (status, [one["key"] for one in body["documents"]]) == (200, keys)


def test_fields_of_documents_are_given_and_pages_go_on(gateway, people):
    first = gateway.json("GET", "/v1/indexes/people?order=age&limit=2&get=city,age,none")[1]
    assert first["documents"][0] == {"key": "p:2", "fields": {"city": "Bonn", "age": "17", "none": None}}
    rest = gateway.json("GET", f"/v1/indexes/people?order=age&limit=5&after={first['next']}")[1]
    assert ([one["key"] for one in rest["documents"]], rest["next"]) == (["p:3", "p:0"], None)


def test_an_index_that_does_not_exist_is_404_and_a_wrong_field_400(gateway, people):
    assert gateway.json("GET", "/v1/indexes/nothing?x=1")[1]["code"] == "noindex"
    assert gateway.json("GET", "/v1/indexes/people?x=1")[0] == 400
    assert gateway.json("GET", "/v1/indexes/people?age.between=1")[0] == 400


def test_terms_are_suggested(gateway, c):
    c.call("SUG.ADD", "cities", "Berlin", "SCORE", "36.5")
    c.call("SUG.ADD", "cities", "Bern", "SCORE", "13")
    body = gateway.json("GET", "/v1/suggest/cities?prefix=Be")[1]
    assert body == {"terms": [{"term": "Berlin", "score": 36.5}, {"term": "Bern", "score": 13}]}
    assert [one["term"] for one in gateway.json("GET", "/v1/suggest/cities?prefix=brl&fuzzy=1&nocase=1")[1]["terms"]] == ["Berlin"]


def test_a_change_is_dispatched_to_devices(gateway, c):
    c.call("ROUTE.SUBSCRIBE", "{tasks}", "phone|push", "APP", "todo", "MODEL", "task", "FILTER", '{"priority":"high"}')
    change = {"app": "todo", "model": "task", "id": "t1", "document": {"priority": "high"}, "old": None, "event": "saved",
              "queues": {"push": "{tasks}:push"}}
    status, body = gateway.json("POST", "/v1/routes/%7Btasks%7D/changes", change)
    assert (status, body) == (200, {"transports": [{"transport": "push", "devices": 1, "offset": 1}]})
    assert b'"change":"enter"' in c.call("TREAD", "{tasks}:push", 1, 1)[0][2]


def test_without_queues_each_transport_has_a_log_beside_the_table(gateway, c):
    c.call("ROUTE.SUBSCRIBE", "{tasks}", "phone|push", "APP", "todo", "MODEL", "task")
    change = {"app": "todo", "model": "task", "document": {"a": 1}, "event": "saved", "origin": "laptop|web"}
    assert gateway.json("POST", "/v1/routes/%7Btasks%7D/changes", change)[0] == 200
    assert c.call("TREAD", "{tasks}:push", 1, 1)[0][1] == b"saved"


def test_a_change_does_not_come_back_to_where_it_was_made(gateway, c):
    for device in ("laptop|web", "phone|push"):
        c.call("ROUTE.SUBSCRIBE", "{tasks}", device, "APP", "todo", "MODEL", "task")
    change = {"app": "todo", "model": "task", "document": {"a": 1}, "event": "saved", "origin": "laptop|web"}
    status, body = gateway.json("POST", "/v1/routes/%7Btasks%7D/changes", change)
    assert (status, body["transports"]) == (200, [{"transport": "push", "devices": 1, "offset": 1}])


@pytest.mark.parametrize("change", [None, [], {}, {"app": "a"}, {"app": "a", "model": 1, "event": "e"},
                                    {"app": "a", "model": "m", "event": "e", "queues": {"push": 1}},
                                    {"app": "a", "model": "m", "event": "e", "queues": {"*": "any"}},
                                    {"app": "a", "model": "m", "event": "e", "queues": ["push"]},
                                    {"app": "a", "model": "m", "event": "e", "queues": None},
                                    {"app": "a", "model": "m", "event": "e", "origin": 1}])
def test_a_wrong_change_is_400(gateway, change):
    assert gateway.json("POST", "/v1/routes/t/changes", change)[0] == 400


def test_a_change_writes_only_logs_that_the_caller_may_write(server, c):
    rules = '[[allow]]\nto = "route"\nanonymous = true\n[[allow]]\nto = "log"\npattern = "mine"\nanonymous = true\n'
    c.call("ROUTE.SUBSCRIBE", "tasks", "phone|push", "APP", "todo", "MODEL", "task")
    with Gateway(server, config=rules) as gateway:
        for log, status in (("mine", 200), ("others", 403)):
            change = {"app": "todo", "model": "task", "document": {"a": 1}, "event": "saved", "queues": {"push": log}}
            assert gateway.json("POST", "/v1/routes/tasks/changes", change)[0] == status
        assert gateway.json("POST", "/v1/routes/tasks/changes", {**change, "queues": {"*": "others"}})[0] == 400
    assert (c.call("EXISTS", "mine"), c.call("EXISTS", "others", "otherspush")) == (1, 0)


def test_figures_of_the_gateway_the_server_and_keys(server, c):
    c.call("TWRITE", "orders", "ENTRIES", "a", "1", "a", "2", "a", "3")
    c.call("TREAD", "orders", 1, 1, "GROUP", "mail", "RETRY", 60_000, 0)
    c.call("TNACK", "orders", "mail", "DEAD", "why", 1)
    c.call("TREAD", "orders", 1, 1, "GROUP", "mail", "RETRY", 60_000, 0)
    c.call("CHAN.PUBLISH", "room:1", "m", "x")
    c.call("SHARD.JOIN", "pool", "worker")
    c.call("SHARD.PUSH", "pool", "ann", "work")
    c.call("LOCK.ACQUIRE", "lock", "ann", 60_000)
    with Gateway(server, config='[metrics]\nkeys = ["orders", "room:*", "pool", "lock", "nothing"]\n') as gateway:
        gateway.get("/nothing")
        lines = gateway.get("/metrics").body.decode().splitlines()
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert samples["millrace_gateway_up"] == "1"
    assert samples['millrace_gateway_responses_total{status="4xx"}'] == "1"
    assert samples['millrace_log_messages{key="orders"}'] == "3"
    assert samples['millrace_group_pending{key="orders",group="mail"}'] == "1"
    assert samples['millrace_group_lag{key="orders",group="mail"}'] == "1"
    assert samples['millrace_group_exhausted{key="orders",group="mail"}'] == "1"
    assert int(samples['millrace_group_oldest_ms{key="orders",group="mail"}']) >= 0
    assert samples['millrace_channel_waiting{key="room:1"}'] == "0"
    assert samples['millrace_pool_pending{key="pool"}'] == "1"
    assert (samples['millrace_lock_holding{key="lock"}'], samples['millrace_lock_waiting{key="lock"}']) == ("1", "0")
    assert samples['millrace_channel_messages{key="room:1"}'] == "1"
    assert any(name.startswith("millrace_log_") for name in samples)
    types = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types))


def test_every_operation_of_the_description_exists(gateway):
    status, body = gateway.json("GET", "/openapi.json")
    assert status == 200 and body["openapi"] == "3.1.0"
    names = {"c": "c", "m": "m", "s": "s"}
    for path, operations in body["paths"].items():
        for method, operation in operations.items():
            filled = path
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    filled = filled.replace("{%s}" % parameter["name"], names.get(parameter["name"], "x"))
            assert "{" not in filled and operation["summary"]
            answer = gateway.request(method.upper(), filled)
            assert answer.body != b"404 page not found" and answer.status != 405, (method, path)
    assert len(body["paths"]) >= 22


@pytest.mark.parametrize("form", ["plain", "json"])
def test_answers_are_logged(server, form):
    import json

    with Gateway(server, "--set", f"access_log={form}") as gateway:
        gateway.get("/nothing%0a?ticket=secret")
        line = gateway.output().splitlines()[-1]
        assert "secret" not in line and "404" in line and "/nothing%0a" in line
        if form == "json":
            entry = json.loads(line)
            assert (entry["peer"], entry["method"], entry["status"]) == ("127.0.0.1", "GET", 404)
