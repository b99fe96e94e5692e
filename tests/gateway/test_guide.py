"""The examples of the guide."""

import re
import subprocess

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
