"""The user's redis-py client with various settings, and which of them our connections take over."""

import asyncio
import contextlib
import pathlib
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import redis
import redis.asyncio.sentinel

import millrace
import millrace.asyncio
from blocking import connected
from millrace import ConnectionLost, LockLost, LockTimeout, Millrace, NotPermitted, Observer, Text, WrongType, redlock
from sentinels import Sentinel
from server import Server


@pytest.fixture
def mr(server, half):
    with connected(half, f"redis://127.0.0.1:{server.port}") as mr:
        yield mr


def test_the_user_s_client_stays_as_it_is(server):
    client = redis.Redis(port=server.port, decode_responses=True, socket_timeout=0.5)
    assert Millrace(client).producer("orders").write("new", b"one") == 1
    assert client.execute_command("TREAD", "orders", 1, 1) == [[1, "new", "one"]]
    assert client.connection_pool.connection_kwargs["socket_timeout"] == 0.5


def test_database_user_and_password_are_the_user_s(server, half):
    server.admin.call("ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all")
    with connected(half, f"redis://ann:secret@127.0.0.1:{server.port}/3") as mr:
        mr.producer("orders").write("new", b"one")
        assert mr.call("orders", "EXISTS", "orders") == 1
    assert server.admin.call("EXISTS", "orders") == 0  # database 0
    with connected(half, f"redis://ann:wrong@127.0.0.1:{server.port}") as wrong:
        with pytest.raises(NotPermitted):
            wrong.producer("orders").write("new", b"one")


def test_a_unix_socket_is_a_way_to_the_server(tmp_path, half):
    with Server(unixsocket=tmp_path / "s"):
        with connected(half, f"unix://{tmp_path}/s") as mr:
            assert mr.producer("orders").write("new", b"one") == 1


def test_an_error_of_the_server_ends_a_worker(server, mr):
    server.admin.call("SET", "orders", "a string")
    worker = mr.worker("orders", "g")
    worker.on()(lambda value, message: None)
    with pytest.raises(WrongType):
        worker.run()


def test_an_unreachable_server_is_reported_after_retry_for(half):
    with connected(half, "redis://127.0.0.1:1", retry_for=0.3) as mr:
        with pytest.raises(ConnectionLost):
            mr.channel("news").publish(b"one")


class Listener(Observer):
    def __init__(self):
        self.events, self.spans = [], []

    def notice(self, event, **facts):
        self.events.append((event, facts))

    @contextlib.contextmanager
    def handling(self, message):
        self.spans.append(message)
        yield


def test_an_observer_hears_of_a_payload_too(server, half):
    listener = Listener()
    with connected(half, f"redis://127.0.0.1:{server.port}", observer=listener) as mr:
        pool = mr.pool("mail", codec=Text())
        worker = pool.worker("w1")
        worker.handler(lambda value, payload: worker.stop())
        server.admin.call("SHARD.JOIN", "mail", "w1")
        pool.push("ann", "one")
        worker.run()
    [handled] = [facts for event, facts in listener.events if event == "handled"]
    assert handled.pop("seconds") >= 0
    assert handled == {"key": "mail", "group": "w1", "tag": "ann", "offset": 1, "attempts": 1, "outcome": "done"}
    assert len(listener.spans) == 1


def test_an_observer_hears_of_everything_and_wraps_handlers(server, half):
    listener = Listener()
    with connected(half, f"redis://127.0.0.1:{server.port}", observer=listener) as mr:
        with mr.producer("orders", codec=Text()) as producer:
            producer.send("new", "one")
        worker = mr.worker("orders", "g", codec=Text())
        worker.on("new")(lambda value, message: None)
        worker.run_until_idle()
        with mr.lock("lock"):
            pass
    events = [event for event, _ in listener.events]
    assert [event for event in events if event != "retried"] == [
        "sent", "received", "handled", "lock_acquired", "lock_released"]
    [handled] = [facts for event, facts in listener.events if event == "handled"]
    assert (handled["outcome"], handled["tag"], handled["attempts"]) == ("done", "new", 1)
    assert len(listener.spans) == 1


def test_a_message_of_another_tag_without_a_handler_is_tried_again_elsewhere(server, mr):
    producer = mr.producer("orders", codec=Text())
    producer.write("unknown", "one")
    old = mr.worker("orders", "g", codec=Text(), backoff=millrace.Backoff.none(), max_attempts=3)
    old.on("known")(lambda value, message: None)
    old.run_until_idle()
    assert mr.call("orders", "TGROUP", "LIST", "orders")[0][13] == 1  # given up: exhausted


# --- asyncio ---

def test_a_cancelled_call_never_leaves_its_answer_to_the_next(server, proxy):
    async def scenario():
        mr = millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{proxy.port}")
        await mr.call("a", "SET", "a", "1")
        for _ in range(5):
            with proxy.silence():
                call = asyncio.create_task(mr.call("a", "GET", "a"))
                await asyncio.sleep(0.05)
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
            assert await mr.call("b", "ECHO", "mine") == b"mine"

    asyncio.run(scenario())


def test_time_outs_of_redis_py_leave_no_mark_on_the_task(server, proxy):
    async def scenario():
        task = asyncio.current_task()
        sentinels = redis.asyncio.sentinel.Sentinel([("127.0.0.1", sentinel.port)])
        async with millrace.asyncio.Millrace(sentinels.master_for("orders")) as mr:
            assert await mr.call("a", "SET", "a", "1") == b"OK" and task.cancelling() == 0
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{proxy.port}", answer_timeout=0.2) as mr:
            with proxy.silence(), pytest.raises(ConnectionLost):
                await mr.call("a", "GET", "a")
            assert task.cancelling() == 0

    with Sentinel("orders", server, replicas=0, down_after=10_000) as sentinel:
        asyncio.run(scenario())


def test_a_task_that_is_cancelled_while_redis_py_asks_a_sentinel_ends(server):
    async def scenario():
        sentinels = redis.asyncio.sentinel.Sentinel([("127.0.0.1", sentinel.port)])
        for moment in range(30):  # at moments from the beginning of the call to its end
            async with millrace.asyncio.Millrace(sentinels.master_for("orders")) as mr:
                call = asyncio.create_task(mr.call("a", "SET", "a", "1"))
                await asyncio.sleep(moment * 0.0003)
                if not call.done():
                    call.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await call
                assert await mr.call("b", "ECHO", "mine") == b"mine"

    with Sentinel("orders", server, replicas=0, down_after=10_000) as sentinel:
        asyncio.run(scenario())


def test_the_work_under_a_lock_is_cancelled_when_the_lock_is_lost(server):
    async def scenario():
        mr = millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}")
        reached = []
        with pytest.raises(LockLost):
            async with mr.lock("pay", ttl=0.6):
                await mr.call("pay", "LOCK.BREAK", "pay")
                await asyncio.sleep(600)
                reached.append("never")
        assert not reached
        assert asyncio.current_task().cancelling() == 0
        async with mr.lock("pay", ttl=30):  # and the task is not cancelled
            pass

    asyncio.run(scenario())


def test_signals_stop_a_worker(server, tmp_path):
    import signal
    import subprocess

    program = tmp_path / "program.py"
    program.write_text(f"""
import asyncio, signal, sys
import millrace, millrace.asyncio
def made(package):
    mr = package.Millrace.from_url("redis://127.0.0.1:{server.port}")
    worker = mr.worker("orders", "g")
    worker.on()(lambda value, message: print("handled", flush=True))
    return worker
stop_on = (signal.SIGTERM, signal.SIGINT)
if sys.argv[1] == "asyncio":
    async def main():
        await made(millrace.asyncio).run(stop_on=stop_on)
    asyncio.run(main())
else:
    made(millrace).run(stop_on=stop_on)
print("stopped", flush=True)
""")
    for way in ("sync", "asyncio"):
        server.admin.call("TWRITE", "orders", "new", way)
        process = subprocess.Popen(
            [sys.executable, str(program), way], stdout=subprocess.PIPE, text=True,
            env={"PYTHONPATH": str(pathlib.Path(millrace.__file__).parents[1])})
        assert process.stdout.readline() == "handled\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "stopped\n"
        assert process.wait(30) == 0


# --- Redlock ---

@pytest.fixture
def five():
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Server()) for _ in range(5)]


def test_redlock_needs_a_majority_and_its_tokens_rise(five):
    servers = [Millrace.from_url(f"redis://127.0.0.1:{server.port}") for server in five]
    for dead in five[:2]:
        dead.kill()
    with redlock(servers, "pay", ttl=10, patience=3) as first:
        with pytest.raises(LockTimeout):
            with redlock(servers, "pay", ttl=10, patience=3):
                pass
        assert first.remaining > 0
    with redlock(servers, "pay", ttl=10, wait=10, patience=3) as second:
        assert second.token > first.token
    five[2].kill()
    with pytest.raises(LockTimeout):
        redlock(servers, "pay", ttl=10, patience=3).acquire()


def test_redlock_is_lost_when_a_majority_is_gone(five):
    async def scenario():
        servers = [millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}") for server in five]
        with pytest.raises(LockLost):
            async with millrace.asyncio.redlock(servers, "pay", ttl=2, patience=0.6, wait=30):
                for dead in five[:3]:
                    dead.kill()
                await asyncio.sleep(600)

    asyncio.run(scenario())
