"""Sends commands to the cluster node that serves a key."""

from __future__ import annotations

import random
from typing import Any, Sequence

from ..errors import ConnectionLost, MillraceError, RefusedForNow, checked, redirection
from ..replies import Words, text
from ..settings import Settings
from ..slots import key_slot
from ..source import Source
from . import waiting
from .link import Link, Node, Then

_REDIRECTIONS_MOST = 16
Address = tuple[str, int]


class ClusterLink(Link):
    def __init__(self, source: Source, settings: Settings) -> None:
        super().__init__(source, settings)
        self._known: list[Address] = list(source.nodes)
        self._nodes: dict[Address, Node] = {}
        self._slots: dict[int, Address] = {}
        self._stale = True
        self._closed = False
        self._mutex = waiting.Mutex()

    async def exchange(self, key: str, commands: Sequence[Words], timeout: float | None = None,
                       breaker: waiting.Breaker | None = None, then: Then | None = None) -> list[Any]:
        slot = key_slot(key.encode("utf-8", "surrogateescape"))
        limit = timeout or self.settings.answer_timeout
        if self._stale or slot not in self._slots:
            await self._read_slots()
        address = self._slots.get(slot)
        if address is None:
            self._stale = True
            raise RefusedForNow(f"CLUSTERDOWN no node serves slot {slot}", "CLUSTERDOWN")
        asking = False
        for _ in range(_REDIRECTIONS_MOST):
            try:
                replies = await self._at(address, commands, limit, breaker, then, asking)
            except ConnectionLost:
                self._stale = True
                raise
            moved = next(filter(None, map(redirection, replies)), None)
            if moved is None:
                return replies
            # A node that does not know its own address gives an empty one, which means the node that was asked.
            address, asking = (moved.host or address[0], moved.port), moved.is_ask
            if asking and commands[0][0] == "MULTI":
                raise RefusedForNow("TRYAGAIN the slot is on its way", "TRYAGAIN")
            if not asking:
                self._slots[slot] = address
                # Other slots may have moved too, for example in a failover: read the whole map before the next command.
                self._stale = True
        raise RefusedForNow(f"TRYAGAIN {_REDIRECTIONS_MOST} redirections", "TRYAGAIN")

    async def _at(self, address: Address, commands: Sequence[Words], limit: float,
                  breaker: waiting.Breaker | None, then: Then | None, asking: bool) -> list[Any]:
        node = self._node_at(address)
        if not asking:
            return await node.exchange(commands, limit, breaker, then)

        def asking_then(replies: list[Any]) -> list[Words]:
            return _asked(then(replies[1::2])) if then is not None else []

        return (await node.exchange(_asked(commands), limit, breaker, asking_then))[1::2]

    def _node_at(self, address: Address) -> Node:
        with self._mutex:
            if address not in self._nodes:
                # If it is closed, a command was redirected meanwhile.
                self._nodes[address] = Node(self._source, address, closed=self._closed)
            return self._nodes[address]

    async def _read_slots(self) -> None:
        """Reads the slots from the first node that answers."""
        failure: MillraceError = ConnectionLost("no node of the cluster is known")
        for address in random.sample(self._known, len(self._known)):
            try:
                [reply] = await self._node_at(address).exchange([("CLUSTER", "SLOTS")], self.settings.answer_timeout)
                rows = checked(reply)
            except MillraceError as error:
                failure = error
                continue
            slots: dict[int, Address] = {}
            for first, last, master, *_ in rows:
                node = (text(master[0]) if master[0] else address[0], int(master[1]))
                slots.update(dict.fromkeys(range(int(first), int(last) + 1), node))
            if slots:
                self._slots, self._stale = slots, False
                self._known = list(dict.fromkeys([*slots.values(), *self._source.nodes]))
                return
        raise failure

    async def close(self) -> None:
        with self._mutex:
            self._closed = True
            nodes = list(self._nodes.values())
        for node in nodes:
            await node.close()


def _asked(commands: Sequence[Words]) -> list[Words]:
    return [words for command in commands for words in (("ASKING",), command)]
