"""The errors, as types. clients/BEHAVIOUR.md says which of them are retried before a user sees them."""

from __future__ import annotations

import dataclasses
from typing import Any

import redis


class MillraceError(Exception):
    """The base of all errors of this package."""


class ConnectionLost(MillraceError):
    """The connection broke or timed out: it is not known whether the command was executed."""


class BrokenOff(ConnectionLost):
    """The package closed the connection of a waiting command itself, to end the wait."""


class Undelivered(MillraceError):
    """No answer came in all the time in which the write was retried: the message may or may not be stored."""


class NotReplicated(MillraceError):
    """The message is in the log at `offset`, but on fewer replicas than were asked for."""

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


class LockTimeout(MillraceError):
    """The lock was not granted within the waiting time."""


class LockLost(MillraceError):
    """The lease is over, or the server says that this holder no longer has the lock."""


class BadFrame(MillraceError):
    """The server sent a frame that is not valid; the message says why."""


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
    """Nothing was executed, but a later attempt may succeed: the server is loading, is failing over, or has no
    replicas."""


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

# redis-py removes the first word from errors for which it has a class.
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
    """The error's text, or that of its cause if it has none: redis-py says little about a connection that fails."""
    cause = error.__cause__ or error.__context__
    said = str(error) or type(error).__name__
    return said if cause is None or str(cause) in said else f"{said} ({reason_of(cause)})"


def server_error(error: Exception) -> ServerError:
    """The error type for an error that redis-py raises or returns."""
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
    """Whether the server sent this error, as opposed to a broken connection. In redis-py LOADING and failed logins are
    kinds of ConnectionError."""
    return isinstance(error, redis.ResponseError) or type(error).__name__ in _CODE_OF_CLASS


@dataclasses.dataclass
class Redirection:
    """MOVED or ASK: another node of the cluster has the slot, or already has the key."""

    is_ask: bool
    host: str
    port: int


def redirection(reply: Any) -> Redirection | None:
    """The redirection that a reply contains, or nothing."""
    kind, _, where = str(reply).partition(" ") if isinstance(reply, redis.ResponseError) else ("", "", "")
    if type(reply).__name__ in ("MovedError", "AskError"):  # redis-py has removed the first word
        kind, where = type(reply).__name__[:-5].upper(), str(reply)
    if kind not in ("MOVED", "ASK"):
        return None
    host, _, port = where.split(" ")[-1].rpartition(":")
    return Redirection(kind == "ASK", host, int(port))


def checked(reply: Any) -> Any:
    """Returns the reply; raises it if it is an error."""
    if isinstance(reply, Exception):
        raise server_error(reply)
    return reply
