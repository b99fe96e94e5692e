"""What can go wrong, as types. clients/BEHAVIOUR.md says which of them are tried again before a user sees them."""

from __future__ import annotations

import dataclasses
from typing import Any

import redis


class MillraceError(Exception):
    """All errors of this package."""


class ConnectionLost(MillraceError):
    """The connection broke or timed out: the command was carried out, or it was not."""


class BrokenOff(ConnectionLost):
    """We closed the connection of a wait ourselves, because it must end."""


class Undelivered(MillraceError):
    """There was no answer for as long as it was tried: the message may or may not be stored."""


class NotReplicated(MillraceError):
    """The message is in the log at `offset`, but fewer replicas have it than asked for."""

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


class LockTimeout(MillraceError):
    """The lock was not granted within the time to wait."""


class LockLost(MillraceError):
    """The lease is over, or the server says that the lock is no longer ours."""


class BadFrame(MillraceError):
    """What the server sent as a frame is none, and why."""


class Reject(Exception):
    """Raised by a handler: the message goes to the dead letters now, for this reason."""


class TimeLimitExceeded(Exception):
    """A handler ran longer than its `time_limit`."""


class ServerError(MillraceError):
    """An error of the server; `code` is its first word."""

    code = "ERR"

    def __init__(self, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.code = code or type(self).code


class RefusedForNow(ServerError):
    """Nothing was carried out, and another time it may be: a server that loads, fails over or has no replicas."""


class NoGroup(ServerError):
    code = "NOGROUP"


class NoSubscriber(ServerError):
    code = "NOSUB"


class BadReceipt(ServerError):
    code = "BADRECEIPT"


class BadPosition(ServerError):
    code = "BADPOSITION"


class NotOwner(ServerError):
    code = "NOTOWNER"


class NoWorker(ServerError):
    code = "NOWORKER"


class NoWorkers(ServerError):
    code = "NOWORKERS"


class Full(ServerError):
    code = "FULL"


class NotUnique(ServerError):
    code = "NOTUNIQUE"


class BadFilter(ServerError):
    code = "BADFILTER"


class WrongType(ServerError):
    code = "WRONGTYPE"


class OutOfMemory(ServerError):
    code = "OOM"


class NotPermitted(ServerError):
    code = "NOPERM"


_BY_CODE: dict[str, type[ServerError]] = {
    kind.code: kind
    for kind in (NoGroup, NoSubscriber, BadReceipt, BadPosition, NotOwner, NoWorker, NoWorkers, Full, NotUnique,
                 BadFilter, WrongType, OutOfMemory, NotPermitted)
}
_BY_CODE.update(WRONGPASS=NotPermitted, NOAUTH=NotPermitted)
_FOR_NOW = frozenset(("LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED", "NOREPLICAS",
                      "MISCONF", "BUSY"))

# redis-py takes the first word away from errors that it has a class for.
_CODE_OF_CLASS = {
    "ReadOnlyError": "READONLY",
    "BusyLoadingError": "LOADING",
    "MasterDownError": "MASTERDOWN",
    "ClusterDownError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
    "NoPermissionError": "NOPERM",
    "OutOfMemoryError": "OOM",
    "AuthenticationError": "NOPERM",
    "AuthenticationWrongNumberOfArgsError": "NOPERM",
    "AuthorizationError": "NOPERM",
    "ExecAbortError": "EXECABORT",
}


def reason_of(error: BaseException) -> str:
    """What it says, and what caused it if it does not say that: redis-py has little to say of a connection that fails."""
    cause = error.__cause__ or error.__context__
    said = str(error) or type(error).__name__
    return said if cause is None or str(cause) in said else f"{said} ({reason_of(cause)})"


def server_error(error: Exception) -> ServerError:
    """The type for an error that redis-py raises or returns."""
    text = str(error)
    code = _CODE_OF_CLASS.get(type(error).__name__)
    if code is None:
        first, _, _ = text.partition(" ")
        code = first if first.isupper() and first.isalpha() else "ERR"
    elif not text.startswith(code):
        text = f"{code} {text}"
    if text.removeprefix("ERR ").startswith("unknown command"):
        text += " (is the module loaded?)"
    if code in _FOR_NOW:
        return RefusedForNow(text, code)
    return _BY_CODE.get(code, ServerError)(text, code)


def is_answer(error: Exception) -> bool:
    """Whether the server said this, in place of a connection that broke. In redis-py LOADING and failed logins are
    kinds of ConnectionError."""
    return isinstance(error, redis.ResponseError) or type(error).__name__ in _CODE_OF_CLASS


@dataclasses.dataclass
class Redirection:
    """MOVED or ASK: another node of the cluster has the slot, or the key already."""

    is_ask: bool
    host: str
    port: int


def redirection(reply: Any) -> Redirection | None:
    """What a reply says of another node, if that is what it is."""
    kind, _, where = str(reply).partition(" ") if isinstance(reply, redis.ResponseError) else ("", "", "")
    if type(reply).__name__ in ("MovedError", "AskError"):  # where redis-py has taken the first word away
        kind, where = type(reply).__name__[:-5].upper(), str(reply)
    if kind not in ("MOVED", "ASK"):
        return None
    host, _, port = where.split(" ")[-1].rpartition(":")
    return Redirection(kind == "ASK", host, int(port))


def checked(reply: Any) -> Any:
    """The reply, or the error that it is, raised."""
    if isinstance(reply, Exception):
        raise server_error(reply)
    return reply
