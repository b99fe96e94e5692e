"""The examples of the guides."""

import re
import subprocess
import types

import pytest

from gateway import Gateway
from server import REPOSITORY
from tool import millrace

GUIDES = REPOSITORY / "docs" / "guides"


def blocks(kind, guide="gateway"):
    return re.findall(rf"```{kind}\n(.*?)```", (GUIDES / f"{guide}.md").read_text(), re.DOTALL)


def at(gateway, text):
    """The text with this gateway's address instead of the usual one."""
    return text.replace("127.0.0.1:8380", f"127.0.0.1:{gateway.port}")


@pytest.mark.parametrize("guide, requests", [("gateway", 6), ("live-updates", 3), ("http-work-queue", 5)])
def test_every_request_of_the_guide_succeeds(gateway, guide, requests):
    lines = [line for block in blocks("sh", guide) for line in block.splitlines()]
    assert len(lines) >= requests
    for line in lines:
        words = at(gateway, line).replace("curl ", "curl --fail --silent ")
        done = subprocess.run(["sh", "-c", words], capture_output=True, timeout=60)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


def write_configuration(folder, guide):
    (folder / "secret").write_text("a secret that is long enough for everybody")
    text = blocks("toml", guide)[0].replace('"secret"', f'"{folder}/secret"')
    (folder / "g.toml").write_text(text)
    return text


@pytest.mark.parametrize("guide", ["gateway", "who-may-do-what"])
def test_the_configuration_of_the_guide_can_be_used(tmp_path, guide):
    write_configuration(tmp_path, guide)
    done = millrace("serve", "--config", tmp_path / "g.toml", "--check")
    assert done.returncode == 0, done.stderr


def test_the_token_of_the_guide_opens_the_rooms_that_it_names(server, tmp_path):
    with Gateway(server, config=write_configuration(tmp_path, "who-may-do-what")) as gateway:
        [script] = blocks("sh", "who-may-do-what")
        asking = at(gateway, script).replace("curl ", "curl --silent --output /dev/null --write-out '%{http_code}' ")
        for text, status in ((asking, "201"), (asking.replace("room-tea", "room-coffee"), "403"),
                             (re.sub(r'-H "Auth.*?" ', "", asking), "401")):
            done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=60, cwd=tmp_path)
            assert done.stdout == status, (text, done)


def test_the_worker_of_the_guide_acknowledges_what_it_did_and_gives_back_what_failed(gateway, c):
    names = {}
    exec(at(gateway, blocks("python", "http-work-queue")[0]), names)
    sent = []

    def send(mail):
        if mail["to"] == "nobody":
            raise OSError("no such address")
        sent.append(mail["to"])

    c.call("TWRITE", "mails", "ENTRIES", "m", '{"to":"ann"}', "m", '{"to":"nobody"}', "m", '{"to":"bob"}')
    names["work"](send)
    assert sent == ["ann", "bob"]
    [group] = c.call("TGROUP", "LIST", "mails")
    assert dict(zip(group[::2], group[1::2]))[b"pending"] == 1


def test_the_webhooks_of_their_guide_can_be_used(tmp_path):
    text = (GUIDES / "webhooks.md").read_text()
    (tmp_path / "key").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    [toml] = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "g.toml").write_text(toml.replace('"key"', f'"{tmp_path}/key"'))
    done = millrace("deliver", "--config", tmp_path / "g.toml", "--check")
    assert done.returncode == 0, done.stderr


def test_the_check_of_a_signature_in_the_guide_is_right():
    text = (GUIDES / "webhooks.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(program, names)
    names["time"] = types.SimpleNamespace(time=lambda: 1614265330)
    headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
               "webhook-signature": "v1,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
    assert names["is_ours"](headers, b'{"test": 2432232314}')
    assert not names["is_ours"](headers, b'{"test": 2432232315}')
