"""Access control: tokens, rules, cookies, tickets, pages of other hosts, limits."""

import base64
import json
import subprocess
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from events import Events
from gateway import Gateway
from raw_http import RawConnection, raw_socket
from server import wait_until

SECRET = "a secret that is long enough for everybody"
LOG = "/v1/logs/orders"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Private keys by algorithm; the public keys are files of the same name in the folder."""
    folder = tmp_path_factory.mktemp("keys")
    rsa_key = rsa.generate_private_key(65537, 2048)
    private = {"RS256": rsa_key, "PS384": rsa_key, "ES256": ec.generate_private_key(ec.SECP256R1()),
               "ES384": ec.generate_private_key(ec.SECP384R1()), "ES512": ec.generate_private_key(ec.SECP521R1()),
               "EdDSA": ed25519.Ed25519PrivateKey.generate()}
    for name, key in private.items():
        (folder / name).write_bytes(key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    (folder / "HS256").write_text(SECRET + "\n")
    (folder / "HS512").write_text(SECRET)
    return folder, {**private, "HS256": SECRET, "HS512": SECRET}


def key_rules(folder, *algorithms):
    return "".join(f'[[key]]\nalgorithm = "{name}"\nfile = "{folder / name}"\n' for name in algorithms)


def bearer(claims=None, key=SECRET, algorithm="HS256", **headers):
    token = jwt.encode({"iss": "us", **(claims or {})}, key, algorithm=algorithm, headers=headers or None)
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def guarded(_server, keys):
    """A gateway that accepts tokens of every algorithm, without rules."""
    folder, private = keys
    with Gateway(_server, config='[auth]\nissuer = "us"\naudience = ""\nleeway = "0s"\n' + key_rules(folder, *private)) as one:
        yield one


@pytest.mark.parametrize("algorithm", ["HS256", "HS512", "RS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"])
def test_a_token_of_each_algorithm_is_accepted_and_a_changed_one_is_not(guarded, keys, algorithm):
    headers = bearer(key=keys[1][algorithm], algorithm=algorithm)
    assert guarded.request("GET", LOG, headers=headers).status == 200
    head, body, signature = headers["Authorization"].split(".")
    forged = base64.urlsafe_b64encode(b'{"iss":"us","sub":"root"}').rstrip(b"=").decode()
    answer = guarded.request("GET", LOG, headers={"Authorization": f"{head}.{forged}.{signature}"})
    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_token_made_by_openssl_is_accepted(guarded, keys, tmp_path):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    (tmp_path / "key.pem").write_bytes(keys[1]["RS256"].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    text = part(b'{"alg":"RS256"}') + b"." + part(b'{"iss":"us"}')
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", tmp_path / "key.pem"], input=text,
                               capture_output=True, check=True).stdout
    token = (text + b"." + part(signature)).decode()
    assert guarded.request("GET", LOG, headers={"Authorization": "Bearer " + token}).status == 200


def test_a_public_key_is_no_secret(guarded, keys):
    pem = (keys[0] / "RS256").read_bytes()
    import hashlib
    import hmac

    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    text = part(b'{"alg":"HS256"}') + b"." + part(b'{"iss":"us"}')
    token = text + b"." + part(hmac.new(pem, text, hashlib.sha256).digest())
    assert guarded.request("GET", LOG, headers={"Authorization": "Bearer " + token.decode()}).status == 401


REFUSED = {
    "no token": {},
    "none": bearer(key=None, algorithm="none"),
    "another key": bearer(key="another secret that is long enough"),
    "expired": bearer({"exp": int(time.time()) - 10}),
    "not yet valid": bearer({"nbf": int(time.time()) + 3600}),
    "a beginning that is no time": bearer({"nbf": str(int(time.time()) - 10)}),
    "an end that is no time": bearer({"exp": int(time.time()) + 60, "iss": "us"}) | {"Authorization": "Bearer x"},
    "another issuer": bearer({"iss": "them"}),
    "no issuer": {"Authorization": "Bearer " + jwt.encode({"sub": "ann"}, SECRET, algorithm="HS256")},
    "nonsense": {"Authorization": "Bearer a.b.c"},
    "Basic": {"Authorization": "Basic YTpi"},
    "too large": {"Authorization": "Bearer " + "a" * 12_000},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_token_that_does_not_count_is_401_and_403_for_dsps(guarded, name):
    assert guarded.request("GET", LOG, headers=REFUSED[name]).status == 401
    answer = guarded.request("PUT", "/channel/c/message/m", "1", REFUSED[name])
    assert (answer.status, json.loads(answer.body)) == (403, {"code": "dsps.auth.rejected", "error": "Unauthorized"})


def test_a_token_must_be_for_us_and_clocks_may_differ_by_five_minutes(server, keys):
    now = int(time.time())
    with Gateway(server, config='[auth]\nissuer = "us"\naudience = "shop"\n' + key_rules(keys[0], "HS256")) as gateway:
        for claims, status in (
                ({"aud": "shop"}, 200), ({"aud": ["other", "shop"]}, 200), ({"aud": "shops"}, 401), ({}, 401),
                ({"aud": "shop", "exp": now - 200}, 200), ({"aud": "shop", "exp": now - 400}, 401),
                ({"aud": "shop", "nbf": now + 200}, 200), ({"aud": "shop", "nbf": now + 400}, 401)):
            assert gateway.request("GET", LOG, headers=bearer(claims)).status == status, claims


def test_probes_need_no_token(guarded):
    assert guarded.get("/probe/readiness").status == 200


def test_keys_of_a_jwks_are_found_by_their_ids(server, keys, tmp_path):
    def number(value):
        return base64.urlsafe_b64encode(value.to_bytes((value.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()

    private = keys[1]
    public, point = private["RS256"].public_key().public_numbers(), private["ES256"].public_key().public_numbers()
    raw = private["EdDSA"].public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    wide = [base64.urlsafe_b64encode(one.to_bytes(32, "big")).rstrip(b"=").decode() for one in (point.x, point.y)]
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": [
        {"kty": "RSA", "kid": "r", "alg": "RS256", "n": number(public.n), "e": number(public.e)},
        {"kty": "EC", "kid": "e", "crv": "P-256", "x": wide[0], "y": wide[1]},
        {"kty": "OKP", "kid": "o", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()},
        {"kty": "RSA", "kid": "x", "use": "enc", "n": "AQAB", "e": "AQAB"}, {"kty": "unknown"}]}))
    with Gateway(server, config=f'[[key]]\njwks = "{tmp_path}/jwks.json"\n') as gateway:
        for algorithm, kid in (("RS256", "r"), ("ES256", "e"), ("EdDSA", "o")):
            good = bearer(key=private[algorithm], algorithm=algorithm, kid=kid)
            assert gateway.request("GET", LOG, headers=good).status == 200
        wrong = bearer(key=private["ES256"], algorithm="ES256", kid="other")
        assert gateway.request("GET", LOG, headers=wrong).status == 401
        other_use = bearer(key=private["RS256"], algorithm="PS384", kid="r")
        assert gateway.request("GET", LOG, headers=other_use).status == 401


RULES = """
[[allow]]
to = "channel"
pattern = "room-(?P<room>.*)"
claims = { rooms = "{room}" }

[[allow]]
to = "log"
pattern = "public-.*"
rights = ["read"]
anonymous = true

[[allow]]
to = "log"
claims = { role = "writer" }

[[allow]]
to = "admin"
claims = { role = "admin" }
"""


@pytest.fixture(scope="module")
def ruled(_server, keys):
    with Gateway(_server, config=key_rules(keys[0], "HS256") + RULES) as one:
        yield one


def test_rules_compare_names_with_claims(ruled):
    ann = bearer({"rooms": ["a", "b"]})
    assert ruled.request("GET", "/v1/channels/room-a", headers=ann).status == 200
    assert ruled.request("GET", "/v1/channels/room-c", headers=ann).status == 403
    assert ruled.request("GET", "/v1/channels/xroom-a", headers=ann).status == 403
    assert ruled.request("GET", "/v1/channels/room-b", headers=bearer({"rooms": "b"})).status == 200
    assert ruled.request("GET", "/v1/channels/room-7", headers=bearer({"rooms": [6, 7]})).status == 200
    assert ruled.request("GET", "/v1/channels/room-7", headers=bearer({"rooms": [67]})).status == 403
    assert ruled.request("GET", "/v1/channels/room-a").status == 401


def test_rights_and_anonymous_callers(ruled):
    assert ruled.get("/v1/logs/public-news").status == 200
    assert ruled.request("POST", "/v1/logs/public-news", "1").status == 401
    assert ruled.get("/v1/logs/private").status == 401
    assert ruled.request("POST", "/v1/logs/private", "1", bearer({"role": "writer"})).status == 201
    assert ruled.request("POST", "/v1/logs/private", "1", bearer({"role": "reader"})).status == 403
    assert ruled.get("/metrics").status == 401


def test_a_revoked_token_is_refused_by_all_gateways(ruled, guarded, server):
    admin = bearer({"role": "admin"})
    token = bearer({"role": "writer", "jti": "t1"})
    assert ruled.request("GET", LOG, headers=token).status == 200
    end = int(time.time()) + 3600
    revoked = ruled.request("PUT", f"/admin/jwt/revoke?jti=t1&exp={end}", headers=admin)
    assert (revoked.status, revoked.body) == (200, f'{{"exp":{end},"jti":"t1"}}\n'.encode())
    assert ruled.request("GET", LOG, headers=token).status == 401
    assert guarded.request("GET", LOG, headers=token).status == 401
    assert ruled.request("PUT", f"/admin/jwt/revoke?jti=t2&exp={end}", headers=token).status == 403
    assert ruled.request("PUT", "/admin/jwt/revoke?jti=t2", headers=admin).status == 400
    assert ruled.request("PUT", "/admin/log/level?category=*&level=DEBUG", headers=admin).status == 204


def test_a_client_cannot_revoke_a_token_by_writing_its_key(server, keys, c):
    rules = '[auth]\nrevocations = "gone"\n' + key_rules(keys[0], "HS256") + '[[allow]]\nto = "any"\n'
    token = bearer({"jti": "t4"})
    with Gateway(server, config=rules) as gateway:
        for name in ("gone:t4", "millrace:gateway:ticket:x"):
            assert gateway.request("POST", f"/v1/logs/{name}", "1", token).status == 403
            assert gateway.request("POST", f"/v1/locks/{name}?owner=me", "", token).status == 403
            assert gateway.request("PUT", f"/v1/channels/{name}/messages/1", "1", token).status == 403
        assert gateway.request("POST", "/v1/logs/gone", "1", token).status == 201
    assert c.call("EXISTS", "gone:t4", "millrace:gateway:ticket:x") == 0


def test_a_ticket_counts_once_and_stands_for_its_token(ruled):
    status, body = ruled.json("POST", "/v1/tickets", headers=bearer({"rooms": ["a"]}))
    assert (status, body["expires"]) == (201, 60)
    with Events(ruled, f"/v1/channels/room-a?from=-&ticket={body['ticket']}") as stream:
        assert stream.status == 200
    assert ruled.get(f"/v1/channels/room-a?ticket={body['ticket']}").status == 401
    assert ruled.json("POST", "/v1/tickets")[0] == 401


def test_a_ticket_counts_no_longer_than_its_token(ruled, server):
    token = bearer({"rooms": ["a"], "jti": "t3"})
    tickets = [ruled.json("POST", "/v1/tickets", headers=token)[1]["ticket"] for _ in range(3)]
    # Otherwise a ticket could make the next one, even after the token was revoked.
    assert ruled.json("POST", f"/v1/tickets?ticket={tickets[0]}")[0] == 403
    assert ruled.get(f"/v1/channels/room-a?ticket={tickets[1]}").status == 200
    end = int(time.time()) + 3600
    ruled.request("PUT", f"/admin/jwt/revoke?jti=t3&exp={end}", headers=bearer({"role": "admin"}))
    assert ruled.get(f"/v1/channels/room-a?ticket={tickets[2]}").status == 401


def test_streams_sockets_and_tickets_end_with_their_token(guarded, c):
    c.call("TWRITE", "orders", "a", "1")
    soon = bearer({"exp": int(time.time()) + 6})
    status, body = guarded.json("POST", "/v1/tickets", headers=soon)
    assert (status, body["expires"] <= 6) == (201, True)
    # The ticket is made to stay on the server, as if the server's clock was slow.
    c.call("PERSIST", f"millrace:gateway:ticket:{body['ticket']}")
    with Events(guarded, LOG + "?from=-", **soon) as stream, raw_socket(guarded, **soon) as connection, \
            Events(guarded, LOG + "?from=-", **bearer()) as other:
        assert stream.next()[1]["offset"] == other.next()[1]["offset"] == 1
        assert stream.next() is None and stream.retry == 1000
        assert connection.ends() == b"\x88\x17" + (1008).to_bytes(2, "big") + b"the token has expired"
        assert guarded.request("GET", LOG, headers=soon).status == 401
        assert guarded.get(f"{LOG}?ticket={body['ticket']}").status == 401
        c.call("TWRITE", "orders", "a", "2")
        assert other.next()[1]["offset"] == 2


def test_a_cookie_counts_for_our_own_pages_only(ruled):
    cookie = {"Cookie": "a=b; millrace=" + bearer({"rooms": "a"})["Authorization"][7:]}
    path = "/v1/channels/room-a"
    assert ruled.request("GET", path, headers=cookie).status == 200
    same = f"http://127.0.0.1:{ruled.port}"
    assert ruled.request("GET", path, headers={**cookie, "Origin": same}).status == 200
    assert ruled.request("GET", path, headers={**cookie, "Origin": "https://evil.example"}).status == 403
    assert ruled.request("GET", path, headers={**cookie, "Sec-Fetch-Site": "cross-site"}).status == 403


def test_a_page_on_the_list_may_use_the_cookie_only_with_credentials(server, keys):
    cookie = {"Cookie": "millrace=" + bearer()["Authorization"][7:], "Origin": "https://app.example"}
    rules = key_rules(keys[0], "HS256")
    for credentials, status in (("false", 403), ("true", 200)):
        config = f'[cors]\norigins = ["https://app.example"]\ncredentials = {credentials}\n' + rules
        with Gateway(server, config=config) as gateway:
            assert gateway.request("GET", LOG, headers=cookie).status == status
            assert gateway.request("GET", LOG, headers={**bearer(), "Origin": "https://app.example"}).status == 200


CHANNELS = """
[[channel]]
pattern = "chat-(?P<id>[0-9]+)"
expire = "1m"
claims = { chats = "{{.channel.id}}" }

[[channel]]
pattern = ".*-1"
expire = "1h"
"""


def test_rules_for_channels_are_those_of_dsps(server, keys, c):
    with Gateway(server, config=key_rules(keys[0], "HS256") + CHANNELS) as gateway:
        token = bearer({"chats": ["1"]})
        path = "/channel/{}/subscription/polling/s"
        assert gateway.request("PUT", path.format("chat-1"), headers=token).status == 200
        info = c.call("CHAN.INFO", "chat-1")
        assert info[info.index(b"expire") + 1] == 3_600_000
        c.call("DEL", "chat-1")
        with Events(gateway, "/v1/channels/chat-1?subscriber=ann", **token):
            info = c.call("CHAN.INFO", "chat-1")
            assert info[info.index(b"expire") + 1] == 3_600_000
        answer = gateway.request("PUT", path.format("chat-2"), headers=token)
        assert (answer.status, json.loads(answer.body)["code"]) == (403, "dsps.auth.rejected")
        answer = gateway.request("PUT", path.format("other"), headers=token)
        assert (answer.status, json.loads(answer.body)["code"]) == (400, "dsps.storage.invalid-channel")


def test_of_several_rules_for_a_channel_all_must_pass(server, keys):
    both = """
[[channel]]
pattern = "chat-(?P<id>[0-9]+)"
claims = { chats = "{{.channel.id}}" }

[[channel]]
pattern = "chat-.*"
claims = { role = "member" }
"""
    with Gateway(server, config=key_rules(keys[0], "HS256") + both) as gateway:
        for claims, status in (({"chats": "1"}, 403), ({"role": "member"}, 403), ({"chats": "1", "role": "member"}, 200)):
            assert gateway.request("PUT", "/channel/chat-1/message/m", "1", bearer(claims)).status == status
        # A pattern must match the whole name: the first rule does not apply to this one.
        assert gateway.request("PUT", "/channel/chat-1x/message/m", "1", bearer({"role": "member"})).status == 200


# --- without configuration ---


@pytest.mark.parametrize("headers", [
    {"Host": "evil.example"}, {"Host": "127.evil.example"}, {"Host": "127.0.0.1.evil.example:80"},
    {"Host": "[::1].evil.example"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
    {"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}])
def test_requests_through_a_page_or_a_proxy_do_not_come_from_this_machine(gateway, headers):
    assert gateway.request("POST", LOG, "1", headers).status == 401


def test_pages_on_the_list_may_call(server):
    config = '[cors]\norigins = ["https://app.example"]\n'
    with Gateway(server, config=config) as gateway:
        origin = {"Origin": "https://app.example"}
        asked = gateway.request("OPTIONS", LOG, headers={**origin, "Access-Control-Request-Method": "POST"})
        assert (asked.status, asked.headers["Access-Control-Allow-Origin"]) == (204, "https://app.example")
        assert "Millrace-Tag" in asked.headers["Access-Control-Allow-Headers"]
        answer = gateway.request("POST", LOG, "1", origin)
        assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (201, "https://app.example")
        other = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        dsps = gateway.request("PUT", "/channel/c/message/m", "1", origin)
        assert (dsps.status, dsps.headers["Access-Control-Allow-Origin"]) == (200, "https://app.example")
        refused = gateway.request("OPTIONS", LOG, headers=other)
        assert refused.status == 403 and "Access-Control-Allow-Origin" not in refused.headers


def test_too_many_requests_get_429(server):
    with Gateway(server, "--set", "limits.requests_per_second=5") as gateway:
        statuses = [gateway.get(LOG).status for _ in range(40)]
        assert statuses[:5] == [200] * 5 and 429 in statuses
        answer = next(one for one in iter(lambda: gateway.get(LOG), None) if one.status == 429)
        assert answer.headers["Retry-After"] == "1"
        assert gateway.get("/probe/readiness").status == 200


def test_each_token_has_a_rate_of_its_own(server, keys):
    ann, bob = bearer({"sub": "ann"}), bearer({"sub": "bob"})
    with Gateway(server, "--set", "limits.requests_per_second=5", config=key_rules(keys[0], "HS256")) as gateway:
        wait_until(lambda: gateway.request("GET", LOG, headers=ann).status == 429, "one token has used its rate up")
        assert gateway.request("GET", LOG, headers=bob).status == 200


def test_one_address_has_a_limited_number_of_connections(server):
    with Gateway(server, "--set", "limits.connections_per_address=2") as gateway:
        with RawConnection(gateway.port) as one, RawConnection(gateway.port) as two, RawConnection(gateway.port) as three:
            for connection in (one, two):
                connection.send("GET /probe/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert connection.status() == 200
            assert three.ends() == b""
