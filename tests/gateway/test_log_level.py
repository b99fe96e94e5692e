"""The access log follows its level."""

from gateway import Gateway
from server import wait_until


def test_the_level_of_the_log_has_an_effect(server):
    with Gateway(server) as gateway:
        gateway.get("/v1/logs/before")
        answer = gateway.request("PUT", "/admin/log/level?category=*&level=INFO")
        assert (answer.status, answer.body) == (204, b"")
        assert gateway.json("PUT", "/admin/log/level?category=*&level=LOUD") == (400, {"error": 'Invalid "level" parameter'})
        gateway.get("/v1/logs/noted")
        wait_until(lambda: "/v1/logs/noted" in gateway.output(), "it is written")
        gateway.request("PUT", "/admin/log/level?category=*&level=ERROR")
        gateway.get("/v1/logs/after")
        gateway.terminate()
        gateway.process.wait(60)
        assert "/v1/logs/before" not in gateway.output() and "/v1/logs/after" not in gateway.output()
