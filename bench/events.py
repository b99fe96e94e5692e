"""The payload set of every log benchmark: JSON events of about 100 bytes, seeded."""

import random

KINDS = ("created", "paid", "shipped", "cancelled")


def json_events(count, seed=1):
    """`count` events with varying ids, users, amounts and times, as bytes."""
    rng = random.Random(seed)
    at = 1_700_000_000_000
    for number in range(count):
        at += rng.randrange(15)
        yield (
            f'{{"id":{1_000_000 + number},"user":"u{rng.randrange(1_000_000):06d}","type":"order.{rng.choice(KINDS)}",'
            f'"amount":{rng.random() * 1000:.2f},"currency":"EUR","at":{at}}}'
        ).encode()
