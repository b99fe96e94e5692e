"""/openapi.json compared with the gateway's answers, by a validator of JSON Schema."""

import json

import jsonschema
import jwt
import pytest

from gateway import Gateway

SECRET = "a secret that is long enough for everybody"
# The part of OpenAPI 3.1 that the tests need: every operation describes its parameters, its answers and its refusals.
OPERATION = {
    "type": "object",
    "required": ["summary", "parameters", "responses"],
    "properties": {
        "summary": {"type": "string", "minLength": 3},
        "parameters": {"type": "array", "items": {
            "type": "object", "required": ["name", "in", "required", "schema"],
            "properties": {"in": {"enum": ["path", "query"]}, "schema": {"type": "object"}}}},
        "responses": {"type": "object", "required": ["2XX", "default"],
                      "additionalProperties": {"type": "object", "required": ["description"]}},
    },
}
DOCUMENT = {
    "type": "object",
    "required": ["openapi", "info", "paths", "components"],
    "properties": {
        "openapi": {"const": "3.1.0"},
        "info": {"type": "object", "required": ["title", "version"]},
        "paths": {"type": "object", "minProperties": 22, "propertyNames": {"pattern": "^/"},
                  "additionalProperties": {"type": "object", "propertyNames": {"enum": ["get", "put", "post", "delete"]},
                                           "additionalProperties": OPERATION}},
    },
}
PLAIN = {"/metrics", "/probe/liveness", "/probe/readiness"}  # these answer in plain text


def document_of(gateway):
    return json.loads(gateway.get("/openapi.json").body)


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def schema_for(document, operation, status):
    """The schema of an answer in JSON; None if the document has none."""
    answers = operation["responses"]
    found = answers.get(str(status)) or (answers["2XX"] if status < 300 else answers["default"])
    schema = found.get("content", {}).get("application/json", {}).get("schema")
    return None if schema is None else {**schema, "components": document["components"]}


def filled(path, value):
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + value + rest.partition("}")[2]
    return path


def test_the_document_is_whole_and_names_the_parameters_of_its_paths(gateway):
    document = document_of(gateway)
    jsonschema.validate(document, DOCUMENT)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for path, method, operation in operations(document):
        named = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        assert [part[1:-1] for part in path.split("/") if part.startswith("{")] == named, (method, path)


# A correct request for each operation that describes its answer, in an order in which all succeed.
GOOD = [
    ("POST", "/v1/logs/{log}", "", b"1"),
    ("GET", "/v1/logs/{log}", "", None),
    ("POST", "/v1/logs/{log}/groups/{group}/take", "", None),
    ("POST", "/v1/logs/{log}/groups/{group}/extend", "?offsets=1&lease=1m", None),
    ("POST", "/v1/logs/{log}/groups/{group}/nack", "?offsets=1", None),
    ("POST", "/v1/logs/{log}/groups/{group}/ack", "?offsets=1", None),
    ("PUT", "/v1/channels/{channel}/messages/{id}", "", b"1"),
    ("GET", "/v1/channels/{channel}", "?from=-", None),
    ("POST", "/v1/locks/{name}", "?owner=ann&ttl=1m", None),
    ("POST", "/v1/locks/{name}", "?owner=bob&ttl=1m", None),
    ("POST", "/v1/locks/{name}/renew", "?owner=ann&ttl=1m", None),
    ("DELETE", "/v1/locks/{name}", "?owner=ann", None),
    ("POST", "/v1/routes/{table}/changes", "", b'{"app":"a","model":"m","event":"created","document":{"id":"1"}}'),
    ("GET", "/v1/indexes/{index}", "", None),
    ("GET", "/v1/suggest/{dictionary}", "?prefix=a", None),
    ("POST", "/v1/tickets", "", None),
    ("PUT", "/admin/jwt/revoke", "?jti=another&exp=99999999999", None),
    ("PUT", "/channel/{c}/subscription/polling/{s}", "", None),
    ("PUT", "/channel/{c}/message/{m}", "", b"1"),
    ("GET", "/channel/{c}/subscription/polling/{s}", "", None),
    ("DELETE", "/channel/{c}/subscription/polling/{s}", "", None),
    ("GET", "/probe/liveness", "", None),
    ("GET", "/probe/readiness", "", None),
    ("GET", "/openapi.json", "", None),
]


def good_name(path):
    """A name for each kind of object, because all of them are keys of one server."""
    return "channel" if "channel" in path else path.split("/")[2] if path.count("/") > 1 else "x"


def test_every_answer_is_what_the_document_says(server, c, tmp_path):
    (tmp_path / "secret").write_text(SECRET)
    headers = {"Authorization": "Bearer " + jwt.encode({"sub": "ann", "jti": "one"}, SECRET, algorithm="HS256")}
    c.call("IDX.CREATE", "indexes", "PREFIX", "p:", "FIELD", "age", "INTEGER")
    rules = '[[allow]]\nto = "any"\n[[allow]]\nto = "admin"\n'
    with Gateway(server, config=f'[[key]]\nalgorithm = "HS256"\nfile = "{tmp_path}/secret"\n{rules}') as gateway:
        document = document_of(gateway)
        for method, path, query, body in GOOD:
            answer = gateway.request(method, filled(path, good_name(path)) + query, body, headers)
            assert answer.status in (200, 201, 409), (method, path, answer)
            schema = schema_for(document, document["paths"][path][method.lower()], answer.status)
            jsonschema.validate(json.loads(answer.body), schema)
        # test_admin_rows.py compares the operations of /v1/admin with the document.
        described = {(method, path) for path, method, operation in operations(document)
                     if schema_for(document, operation, 200) is not None and not path.startswith("/v1/admin/")}
        assert described == {(method, path) for method, path, _, _ in GOOD}


@pytest.mark.parametrize("name, body", [("x", b"{"), ("UPPER%00", b""), ("x", b'{"a":1}'), ("n" * 3000, b"[]")])
def test_every_refusal_is_what_the_document_says(gateway, name, body):
    document = document_of(gateway)
    refused = 0
    for path, method, operation in operations(document):
        answer = gateway.request(method, filled(path, name), body if method != "GET" else None)
        if answer.status < 400 or path in PLAIN:
            continue
        refused += 1
        jsonschema.validate(json.loads(answer.body), schema_for(document, operation, answer.status))
    assert refused >= 5


def test_without_a_token_exactly_what_the_document_says_is_refused(server, tmp_path):
    (tmp_path / "secret").write_text(SECRET)
    with Gateway(server, config=f'[[key]]\nalgorithm = "HS256"\nfile = "{tmp_path}/secret"\n') as gateway:
        document = document_of(gateway)
        for path, method, operation in operations(document):
            answer = gateway.request(method, filled(path, "x"), None)
            needs_token = operation.get("security", document["security"]) != []
            assert (answer.status in (401, 403)) == needs_token, (method, path, answer)
            if needs_token:
                jsonschema.validate(json.loads(answer.body), schema_for(document, operation, answer.status))
