# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""Millrace for asyncio: the same names as in `millrace`; every call that waits is a coroutine."""

from ..backoff import Backoff
from ..codecs import Codec, Json, Raw, Text
from ..errors import (BadFilter, BadFrame, BadPosition, BadReceipt, ConnectionLost, Full, LockLost, LockTimeout,
                      MillraceError, NoGroup, NoSubscriber, NotOwner, NotPermitted, NotReplicated, NotUnique, NoWorker,
                      NoWorkers, OutOfMemory, RefusedForNow, Reject, ServerError, TimeLimitExceeded, Undelivered,
                      WrongType)
from ..messages import Entry, Message, Payload, Publication
from ..observer import Observer
from .channel import Channel, Subscription
from .client import Millrace, redlock
from .index import Index, Suggestions
from .lock import Lock
from .pool import Pool
from .pool_worker import PoolWorker
from .producer import Producer
from .reader import Reader
from .redlock import Redlock
from .routes import Device, Routes
from .worker import Worker

__all__ = [
    "Backoff", "BadFilter", "BadFrame", "BadPosition", "BadReceipt", "Channel", "Codec", "ConnectionLost", "Device",
    "Entry", "Full", "Index", "Json", "Lock", "LockLost", "LockTimeout", "Message", "Millrace", "MillraceError",
    "NoGroup", "NoSubscriber", "NotOwner", "NotPermitted", "NotReplicated", "NotUnique", "NoWorker", "NoWorkers",
    "Observer", "OutOfMemory", "Payload", "Pool", "PoolWorker", "Producer", "Publication", "Raw", "Reader", "Redlock",
    "RefusedForNow", "Reject", "Routes", "ServerError", "Subscription", "Suggestions", "Text", "TimeLimitExceeded",
    "Undelivered", "Worker", "WrongType", "redlock",
]
