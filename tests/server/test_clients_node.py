"""What docs/clients.md says about ioredis and node-redis on one server."""

import concurrent.futures

import pytest

from javascript import require_client
from locks import release, start_waiting, take, waiters
from node_clients import both, ioredis, node_redis, run
from server import wait_until

pytestmark = pytest.mark.long


def losing(proxy, command):
    """Makes the proxy lose the answer of the command; returns its port."""
    proxy.lose_answer_of(command)
    return proxy.port


# --- an answer that is lost ---

LOST = (
    'MaxRetriesPerRequestError: Reached the max retries per request limit (which is 0). '
    'Refer to "maxRetriesPerRequest" option for details.')
WRITE = """
const client = await connect(PORT, SETTINGS);
await call(client, "PING");
print(await call(client, "TWRITE", "log", "tag", "entry").catch(failed));
"""


@ioredis
def test_ioredis_sends_a_command_again_whose_answer_is_lost(c, proxy, library):
    assert run(library, WRITE, PORT=losing(proxy, "TWRITE"), SETTINGS="{}") == 2
    assert len(c.call("TREAD", "log", 1, 10)) == 2


@ioredis
def test_ioredis_without_retries_reports_a_lost_answer_and_sends_nothing_again(c, proxy, library):
    told = run(library, WRITE, PORT=losing(proxy, "TWRITE"), SETTINGS="{ maxRetriesPerRequest: 0 }")
    assert told == LOST
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@ioredis
def test_ioredis_without_resending_never_settles_the_promise(c, proxy, library):
    """A trap: autoResendUnfulfilledCommands=false avoids the second sending as wanted, but the caller then waits for
    ever."""
    assert run(library, """
const client = await connect(PORT, { autoResendUnfulfilledCommands: false });
await call(client, "PING");
let settled = "never";
call(client, "TWRITE", "log", "tag", "entry").then(() => (settled = "answered"), () => (settled = "failed"));
await new Promise((ready) => client.once("ready", ready));  // it has connected again
await call(client, "PING");
print(settled);
""", PORT=losing(proxy, "TWRITE")) == "never"
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@node_redis
def test_node_redis_reports_a_lost_answer_and_sends_nothing_again(c, proxy, library):
    assert run(library, WRITE, PORT=losing(proxy, "TWRITE"), SETTINGS="{}").startswith("SocketClosedUnexpectedlyError")
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@ioredis
def test_an_acquisition_that_ioredis_resends_holds_the_lock_twice(c, proxy, library):
    granted, _, _, holds = run(library, """
const client = await connect(PORT);
await call(client, "PING");
print(await call(client, "LOCK.ACQUIRE", "lock", "ann", 60000));
""", PORT=losing(proxy, "LOCK.ACQUIRE"))
    assert (granted, holds) == (1, 2)


@ioredis
def test_a_wait_for_a_lock_that_ioredis_resends_goes_to_the_end_of_the_line(server, c, connect, proxy, library):
    require_client(library)
    take(c, "holder")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        script = 'print(await call(await connect(PORT), "LOCK.ACQUIRE", "lock", "ann", 60000, "WAIT", 60000));'
        answer = pool.submit(run, library, script, PORT=proxy.port)
        wait_until(lambda: waiters(c) == ["ann"], "ann waits")
        start_waiting(server, connect(), "bob")
        proxy.cut()
        wait_until(lambda: waiters(c) == ["bob", "ann"], "ann has asked again, behind bob")
        release(c, "holder")
        release(c, "bob")
        assert answer.result()[0] == 1


# --- one connection for all ---

FETCH_AND_PING = """
const [shared, other] = [await connect(PORT), await connect(PORT)];
await call(shared, "CHAN.SUBSCRIBE", "channel", "s");
const order = [];
const waiting = OWN ? await connect(PORT) : shared;
const fetched = call(waiting, "CHAN.FETCH", "channel", "s", "BLOCK", "0").then(() => order.push("fetched"));
while (!(await call(other, "INFO", "clients")).includes("blocked_clients:1\\r\\n"));
const pinged = call(shared, "PING").then(() => order.push("pinged"));
if (OWN) await pinged;
await call(other, "CHAN.PUBLISH", "channel", "id", "content");
await Promise.all([fetched, pinged]);
print(order);
"""


@both
def test_a_command_behind_a_blocking_one_on_the_same_connection_waits_for_it(server, library):
    assert run(library, FETCH_AND_PING, PORT=server.port, OWN="false") == ["fetched", "pinged"]


@both
def test_a_blocking_command_on_a_connection_of_its_own_holds_nothing(server, library):
    assert run(library, FETCH_AND_PING, PORT=server.port, OWN="true") == ["pinged", "fetched"]


# --- time-outs and protocol ---


@ioredis
def test_a_wait_that_outlasts_the_command_timeout_of_ioredis_fails(server, library):
    assert run(library, """
const client = await connect(PORT, { commandTimeout: 200 });
print(await call(client, "TREAD", "log", "$", 1, "BLOCK", 0).catch(failed));
""", PORT=server.port) == "Error: Command timed out"


@ioredis
def test_the_socket_timeout_of_ioredis_closes_a_connection_that_is_silent_during_a_wait_and_no_idle_one(server, library):
    assert run(library, """
// The timers of the library run when the test says so: on a busy machine the answer to PING may take long.
const timers = new Set();
globalThis.setTimeout = (run) => timers.add(run) && run;
globalThis.clearTimeout = (run) => timers.delete(run);
const letTimersRun = () => [...timers].forEach((run) => timers.delete(run) && run());
const client = await connect(PORT, { socketTimeout: 1000, maxRetriesPerRequest: 0 });
const closed = [];
const end = new Promise((ended) => client.on("close", () => ended(closed.push("closed"))));
await call(client, "PING");
letTimersRun();
await call(client, "PING");
closed.push("idle");
const waiting = call(client, "TREAD", "log", "$", 1, "BLOCK", 0).catch(failed);
letTimersRun();
await end;
print([await waiting, closed]);
""", PORT=server.port) == [LOST, ["idle", "closed"]]


@node_redis
def test_a_wait_that_outlasts_the_socket_timeout_of_node_redis_fails(server, library):
    assert run(library, """
const client = await connect(PORT, { socket: { socketTimeout: 500 } });
print(await call(client, "TREAD", "log", "$", "1", "BLOCK", "0").catch(failed));
""", PORT=server.port).startswith("SocketTimeoutError")


@both
def test_which_protocol_it_speaks_and_what_a_map_becomes(c, server, library):
    c.call("TWRITE", "log", "tag", "entry")
    protocol, info = run(library, """
const client = await connect(PORT);
const own = await call(client, "CLIENT", "INFO");
print([own.match(/resp=(\\d)/)[1], await call(client, "TINFO", "log")]);
""", PORT=server.port)
    assert protocol == ("3" if library.endswith("-6") else "2")
    if library == "redis-6":
        assert info["messages"] == 1
    else:  # by default ioredis 6 turns a map into the list that RESP2 has
        assert info[:2] == ["first", 1]


@pytest.mark.parametrize("library, settings", [("ioredis-6", "{ protocol: 2 }"), ("redis-6", "{ RESP: 2 }")])
def test_the_newest_clients_speak_the_older_protocol_if_configured_so(c, server, library, settings):
    c.call("TWRITE", "log", "tag", "entry")
    script = 'print(await call(await connect(PORT, SETTINGS), "TINFO", "log"));'
    assert run(library, script, PORT=server.port, SETTINGS=settings)[:2] == ["first", 1]


@node_redis
def test_without_a_listener_a_broken_connection_is_an_exception_of_the_whole_process_in_node_redis(proxy, library):
    assert run(library, """
const client = createClient({ url: "redis://127.0.0.1:PORT" });
await client.connect();
process.on("uncaughtException", (error) => print(failed(error)));
call(client, "TWRITE", "log", "tag", "entry").catch(() => {});
""", PORT=losing(proxy, "TWRITE")).startswith("SocketClosedUnexpectedlyError")


@node_redis
def test_node_redis_takes_words_only_as_strings(server, library):
    told = run(library, """
print(await call(await connect(PORT), "TREAD", "log", 1, 10).catch(failed));
""", PORT=server.port)
    assert told.startswith("TypeError")
