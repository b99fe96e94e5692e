"""The examples of the guide."""

import re
import subprocess
import types

from server import REPOSITORY
from tool import millrace

GUIDE = (REPOSITORY / "docs" / "guides" / "gateway.md").read_text()


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def test_every_request_of_the_guide_succeeds(gateway):
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) >= 6
    for line in lines:
        words = line.replace("127.0.0.1:8380", f"127.0.0.1:{gateway.port}").replace("curl ", "curl --fail --silent ")
        done = subprocess.run(["sh", "-c", words], capture_output=True, timeout=60)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


def test_the_configuration_of_the_guide_can_be_used(tmp_path):
    (tmp_path / "secret").write_text("a secret that is long enough for everybody")
    (tmp_path / "g.toml").write_text(blocks("toml")[0].replace('"secret"', f'"{tmp_path}/secret"'))
    done = millrace("serve", "--config", tmp_path / "g.toml", "--check")
    assert done.returncode == 0, done.stderr


def test_the_webhooks_of_their_guide_can_be_used(tmp_path):
    text = (REPOSITORY / "docs" / "guides" / "webhooks.md").read_text()
    (tmp_path / "key").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    [toml] = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "g.toml").write_text(toml.replace('"key"', f'"{tmp_path}/key"'))
    done = millrace("deliver", "--config", tmp_path / "g.toml", "--check")
    assert done.returncode == 0, done.stderr


def test_the_check_of_a_signature_in_the_guide_is_right():
    text = (REPOSITORY / "docs" / "guides" / "webhooks.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(program, names)
    names["time"] = types.SimpleNamespace(time=lambda: 1614265330)
    headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
               "webhook-signature": "v1,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
    assert names["is_ours"](headers, b'{"test": 2432232314}')
    assert not names["is_ours"](headers, b'{"test": 2432232315}')
