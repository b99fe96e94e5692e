"""Filters evaluated as a reader of the specification would do it, and random filters. This shares no code with the
engine."""

import re

OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "regex")


def matches(filter, document):
    return all(_member(key, wanted, document) for key, wanted in filter.items())


def _member(key, wanted, document):
    if key == "$and":
        return all(matches(part, document) for part in wanted)
    if key == "$or":
        return any(matches(part, document) for part in wanted)
    if key == "$not":
        return not matches(wanted, document)
    exists, values = _look_up(document, key.split("."))
    return _field(exists, values, wanted)


def _look_up(document, names):
    """Whether the field exists, and its values: for an array, its elements."""
    if not isinstance(document, dict) or names[0] not in document:
        return False, []
    value = document[names[0]]
    values = value if isinstance(value, list) else [value]
    if len(names) == 1:
        return True, values
    found = [_look_up(each, names[1:]) for each in values]
    return any(exists for exists, _ in found), [value for _, below in found for value in below]


def _field(exists, values, wanted):
    if not isinstance(wanted, dict):
        return any(_equal(value, wanted) for value in values)
    return all(_operator(exists, values, name.lstrip("$"), operand) for name, operand in wanted.items())


def _operator(exists, values, name, operand):
    if name == "not":
        return not _field(exists, values, operand)
    if name == "exists":
        return exists == operand
    return any(_holds(value, name, operand) for value in values)


def _holds(value, name, operand):
    if name in ("eq", "ne"):
        return _equal(value, operand) == (name == "eq")
    if name in ("in", "nin"):
        return any(_equal(value, each) for each in operand) == (name == "in")
    if name == "regex":
        return isinstance(value, str) and re.search(operand, value) is not None
    if _kind(value) != _kind(operand) or _kind(value) not in ("number", "string"):
        return False
    if isinstance(value, str):
        value, operand = value.encode(), operand.encode()
    return {"gt": value > operand, "gte": value >= operand, "lt": value < operand, "lte": value <= operand}[name]


def _kind(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return {str: "string", type(None): "null", list: "array", dict: "object"}[type(value)]


def _equal(a, b):
    return _kind(a) == _kind(b) and _kind(a) not in ("array", "object") and a == b


# --- random ones ---

_FIELDS = ("a", "b", "n", "owner.name", "items.n", "größe")
_SCALARS = (0, 1, 2, 5, -3, 1.5, "x", "y", "xy", "", "ä", True, False, None)
_REGEXES = ("^x", "y$", "x|ä", "^$", "[a-z]{2}")


def some_filter(rng, depth=2):
    filter = {}
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        filter[rng.choice(_FIELDS)] = _some_wanted(rng)
    if depth > 0 and rng.random() < 0.3:
        name = rng.choice(["$and", "$or", "$not"])
        parts = [some_filter(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
        filter[name] = parts[0] if name == "$not" else parts
    return filter


def _some_wanted(rng):
    if rng.random() < 0.5:
        return rng.choice(_SCALARS)
    dollar = rng.choice(["$", ""])
    return {dollar + name: _some_operand(rng, name) for name in rng.sample(OPERATORS + ("not",), rng.choice([1, 1, 2]))}


def _some_operand(rng, name):
    if name == "not":
        return rng.choice(_SCALARS)
    if name == "exists":
        return rng.random() < 0.5
    if name == "regex":
        return rng.choice(_REGEXES)
    if name in ("in", "nin"):
        return rng.sample(_SCALARS, rng.randrange(0, 4))
    if name in ("eq", "ne"):
        return rng.choice(_SCALARS)
    return rng.choice([value for value in _SCALARS if _kind(value) in ("number", "string")])


def some_document(rng):
    document = {}
    for field in rng.sample(_FIELDS, rng.randrange(0, 6)):
        value = _some_value(rng)
        if "." not in field:
            document[field] = value
            continue
        outer, inner = field.split(".")
        document[outer] = [{inner: _some_value(rng)}, {inner: value}, 7] if rng.random() < 0.3 else {inner: value}
    return document


def _some_value(rng):
    roll = rng.random()
    if roll < 0.75:
        return rng.choice(_SCALARS)
    return rng.sample(_SCALARS, rng.randrange(0, 4)) if roll < 0.95 else rng.choice([{"x": 1}, [[1], {"n": 1}]])
