"""An order queue with retries, dead letters and a nightly replay.

    orders.py URL place NUMBER…     customers order
    orders.py URL bill              the worker: bills until it is told to stop (SIGTERM, Ctrl-C)
    orders.py URL replay            from the crontab, at night: sends dead letters back
"""

import asyncio
import signal
import sys
from dataclasses import dataclass

from millrace.asyncio import Backoff, Json, Message, Millrace, Reject


@dataclass
class Order:
    number: int
    amount: float


class PaymentService:
    """The service of another company: it fails at the first call about each order, and supports idempotency keys."""

    def __init__(self) -> None:
        self.charged: dict[str, float] = {}
        self._called: set[str] = set()

    async def charge(self, order: Order, idempotency_key: str) -> None:
        if idempotency_key not in self._called:
            self._called.add(idempotency_key)
            raise ConnectionError("the payment service is down")
        self.charged[idempotency_key] = order.amount


async def place(mr: Millrace, numbers: list[str]) -> None:
    async with mr.producer("{orders}", codec=Json(Order)) as producer:
        for number in numbers:
            # The order's number as the id: a customer who presses the button twice orders once.
            await producer.send("new", Order(int(number), float(number)), id=f"order-{number}")


async def bill(mr: Millrace) -> None:
    payments = PaymentService()
    worker = mr.worker("{orders}", group="billing", codec=Json(Order), concurrency=16, lease=30, max_attempts=5,
                       dead_letter="{orders}:dead", backoff=Backoff.exponential(0.1, cap=300, jitter=0.2))

    @worker.on("new")
    async def bill_one(order: Order, message: Message[Order]) -> None:
        if order.number == 13 and message.offset < 1000:
            raise Reject("nobody wants number 13")
        await payments.charge(order, idempotency_key=message.id)
        print(f"billed {order.number}", flush=True)

    await worker.run(stop_on=(signal.SIGTERM, signal.SIGINT), drain=25)
    print(f"charged {len(payments.charged)} orders", flush=True)


async def replay(mr: Millrace) -> None:
    print(f"sent {await mr.redrive('{orders}:dead')} dead letters back", flush=True)


async def main() -> None:
    async with Millrace.from_url(sys.argv[1]) as mr:
        if sys.argv[2] == "place":
            await place(mr, sys.argv[3:])
        elif sys.argv[2] == "bill":
            await bill(mr)
        else:
            await replay(mr)


asyncio.run(main())
