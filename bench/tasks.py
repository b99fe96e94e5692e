"""The data of bench/routes: filters over tasks with ten fields. They are made in groups of five around a task that all
five match, so that a table of any size has changes that match five filters. The random numbers are seeded.

Nine filters in ten have an equality or $in on a field with a thousand values or more, and one to three further
conditions. The others only have ranges on two to four fields, which together match one task in thirty thousand. A
condition is the part of a filter about one field.
"""

import json
import random

MATCHING = 5

# Fields with many values, and how often filters use them.
WIDE = {"customer": (50_000, 3), "product": (20_000, 3), "assignee": (10_000, 3), "project": (1_000, 1)}
NARROW = {"status": 10, "kind": 20}
NUMBERS = {"amount": 1_000_000, "due": 10_000_000, "weight": 100_000, "score": 1_000_000}


def task(rng):
    """One of the documents that change."""
    document = {field: f"{field}-{rng.randrange(values)}" for field, (values, _) in WIDE.items()}
    document |= {field: f"{field}-{rng.randrange(values)}" for field, values in NARROW.items()}
    document |= {field: rng.randrange(values) for field, values in NUMBERS.items()}
    return document | {"title": "What has to be done before the end of the week"}


def range_around(rng, field, value, share):
    """A range that covers this share of the field's values and contains the value."""
    width = max(1, round(NUMBERS[field] * share))
    low = value - rng.randrange(width)
    return {"$gte": low, "$lt": low + width}


def further(rng, field, value):
    if field in NARROW:
        return value
    shape = rng.randrange(3)
    if shape == 0:
        return range_around(rng, field, value, rng.uniform(0.02, 0.3))
    # One-sided, and as selective as the task's value allows.
    return {"$gte": value - rng.randrange(1000)} if value > NUMBERS[field] // 2 else {"$lt": value + 1 + rng.randrange(1000)}


def filter_by_value(rng, document, conditions):
    field = rng.choices(list(WIDE), [weight for _, weight in WIDE.values()])[0]
    value = document[field]
    if rng.randrange(4) == 0:
        others = [f"{field}-{rng.randrange(WIDE[field][0])}" for _ in range(rng.randint(1, 3))]
        value = {"$in": sorted({value, *others})}
    fields = rng.sample([*NARROW, *NUMBERS], conditions - 1)
    return {field: value} | {each: further(rng, each, document[each]) for each in fields}


def filter_by_ranges(rng, document, conditions):
    """The shares of the ranges are drawn so that their product is one in thirty thousand."""
    fields = rng.sample(list(NUMBERS), conditions)
    parts = [rng.random() for _ in fields]
    shares = [(1 / 30_000) ** (part / sum(parts)) for part in parts]
    return {field: range_around(rng, field, document[field], share) for field, share in zip(fields, shares)}


def make_filters(count, conditions=(2, 4), seed=1):
    """`count` distinct filters as JSON, and the tasks they were made around."""
    rng = random.Random(seed)
    filters, tasks = {}, []
    while len(filters) < count:
        document = task(rng)
        tasks.append(document)
        for _ in range(MATCHING):
            make = filter_by_ranges if rng.randrange(10) == 0 else filter_by_value
            made = json.dumps(make(rng, document, rng.randint(*conditions)), separators=(",", ":"))
            if len(filters) < count:
                filters[made] = None
    return list(filters), tasks


COMPARISONS = {
    "$gte": lambda value, operand: value >= operand,
    "$lt": lambda value, operand: value < operand,
    "$in": lambda value, operand: value in operand,
}


def matches(parsed, document):
    """Evaluates a filter as a client does, with the operators that the filters here use."""
    for field, condition in parsed.items():
        value = document[field]
        if not isinstance(condition, dict):
            if value != condition:
                return False
        elif not all(COMPARISONS[name](value, operand) for name, operand in condition.items()):
            return False
    return True


class Candidates:
    """Finds the filters that a task matches without trying them all, so that this program is fast enough: filters with
    a value are found by that value, filters with only ranges by the ends of the ranges."""

    def __init__(self, filters):
        self._by_value, self._by_ranges = {}, []
        for number, text in enumerate(filters):
            parsed = json.loads(text)
            field = next((field for field in parsed if field in WIDE), None)
            if field is None:
                self._by_ranges.append((number, [(each, ends["$gte"], ends["$lt"]) for each, ends in parsed.items()]))
                continue
            condition = parsed[field]
            for value in condition["$in"] if isinstance(condition, dict) else [condition]:
                self._by_value.setdefault((field, value), []).append((number, parsed))

    def matched_by(self, document):
        found = [pair for field in WIDE for pair in self._by_value.get((field, document[field]), ())]
        matched = [number for number, parsed in found if matches(parsed, document)]
        for number, ranges in self._by_ranges:
            for field, low, end in ranges:
                if not low <= document[field] < end:
                    break
            else:
                matched.append(number)
        return matched


def tasks_that_match_five(filters, tasks, most):
    """Up to `most` tasks, each with the numbers of the five filters that it matches; in random order."""
    candidates = Candidates(filters)
    chosen = []
    for document in random.Random(2).sample(tasks, len(tasks)):
        matched = candidates.matched_by(document)
        if len(matched) == MATCHING:
            chosen.append((document, matched))
        if len(chosen) == most:
            break
    return chosen
