"""/openapi.json against what the gateway answers, by a validator of JSON Schema."""

import json

import jsonschema
import pytest

from gateway import Gateway

# What the tests need of OpenAPI 3.1: every operation says its parameters, its answers and what a refusal looks like.
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
PLAIN = {"/metrics", "/probe/liveness", "/probe/readiness"}  # for programs that read texts


def document_of(gateway):
    return json.loads(gateway.get("/openapi.json").body)


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def schema_for(document, operation, status):
    """Of an answer in JSON; None: the document does not say."""
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
    (tmp_path / "secret").write_text("a secret that is long enough for everybody")
    with Gateway(server, config=f'[[key]]\nalgorithm = "HS256"\nfile = "{tmp_path}/secret"\n') as gateway:
        document = document_of(gateway)
        for path, method, operation in operations(document):
            answer = gateway.request(method, filled(path, "x"), None)
            needs_token = operation.get("security", document["security"]) != []
            assert (answer.status in (401, 403)) == needs_token, (method, path, answer)
            if needs_token:
                jsonschema.validate(json.loads(answer.body), schema_for(document, operation, answer.status))
