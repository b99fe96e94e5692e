"""Indexes of documents, and suggestions."""

from __future__ import annotations

from typing import Any, AsyncIterator, Mapping, Sequence

from ..errors import ServerError
from ..replies import Word, as_map, text
from . import waiting
from .link import Link

Condition = tuple[Any, ...]  # (field, relation, value …): ("age", ">=", 18), ("age", "BETWEEN", 18, 30), ("city", "IN", "a", "b")


def _where(conditions: Sequence[Condition]) -> list[Word]:
    words: list[Word] = []
    for field, relation, *values in conditions:
        words += ["WHERE", field, relation]
        if str(relation).upper() == "IN":
            words.append(len(values))
        words += values
    return words


class Index:
    def __init__(self, link: Link, name: str) -> None:
        self.name = name
        self._link = link

    async def create(self, prefix: str, fields: Mapping[str, str], *, json: bool = False,
                     orders: Mapping[str, Sequence[str]] | None = None) -> bool:
        """Creates the index, unless there is one with this name. A field's type may have options: "TEXT NOCASE
        UNIQUE"."""
        words: list[Word] = ["IDX.CREATE", self.name, "PREFIX", prefix]
        if json:
            words.append("JSON")
        for field, kind in fields.items():
            words += ["FIELD", field, *kind.split()]
        for order, named in (orders or {}).items():
            words += ["ORDER", order, len(named), *named]
        try:
            await self._link.persist(self.name, *words)
        except ServerError as error:
            if "is there already" in str(error):
                return False
            raise
        return True

    async def wait_until_ready(self) -> None:
        """Waits until the documents that existed before the index are in it."""
        while text((await self.info())["state"]) != "ready":
            await waiting.sleep(0.01)

    async def info(self) -> dict[str, Any]:
        return as_map(await self._link.persist(self.name, "IDX.INFO", self.name))

    async def find(self, *conditions: Condition, order: str | None = None, reverse: bool = False, limit: int | None = None,
                   get: Sequence[str] = (), page: int = 100) -> AsyncIterator[Any]:
        """The keys of documents that match, or with `get` pairs of key and fields (bytes or None). Reads page by page,
        up to `limit` documents."""
        cursor: Any = None
        left = limit
        while True:
            words: list[Word] = ["IDX.FIND", self.name, *_where(conditions)]
            if order is not None:
                words += ["ORDER", order]
            if reverse:
                words.append("REV")
            words += ["LIMIT", page if left is None else min(page, left)]
            if cursor is not None:
                words += ["AFTER", cursor]
            if get:
                words += ["GET", len(get), *get]
            cursor, rows = await self._link.persist(self.name, *words)
            for row in rows:
                yield (text(row[0]), dict(zip(get, row[1]))) if get else text(row)
            if left is not None:
                left -= len(rows)
            if cursor is None or left == 0:
                return

    async def count(self, *conditions: Condition) -> int:
        return int(await self._link.persist(self.name, "IDX.COUNT", self.name, *_where(conditions)))

    async def put(self, key: str, fields: Mapping[str, Word]) -> int:
        """Writes a hash, and raises NotUnique if another document has one of its unique values."""
        pairs: list[Word] = [word for pair in fields.items() for word in pair]
        return int(await self._link.persist(self.name, "IDX.PUT", self.name, key, *pairs))


class Suggestions:
    def __init__(self, link: Link, name: str) -> None:
        self.name = name
        self._link = link

    async def add(self, term: str, by: float = 1.0) -> float:
        """Counts a term; returns its score. It is not sent again if the answer is lost, because that would count
        twice."""
        return float(await self._link.call(self.name, "SUG.ADD", self.name, term, "INCR", by))

    async def set(self, term: str, score: float) -> float:
        return float(await self._link.persist(self.name, "SUG.ADD", self.name, term, "SCORE", score))

    async def get(self, prefix: str, *, limit: int = 10, fuzzy: bool = False, ignore_case: bool = False) -> list[str]:
        words: list[Word] = ["SUG.GET", self.name, prefix, "LIMIT", limit]
        words += ["NOCASE"] * ignore_case + ["FUZZY"] * fuzzy
        return [text(term) for term in await self._link.persist(self.name, *words)]

    async def delete(self, *terms: str) -> int:
        return int(await self._link.persist(self.name, "SUG.DEL", self.name, *terms))

    async def decay(self, percent: float) -> int:
        """Reduces all scores by a part, for example once a day. It is not sent again if the answer is lost."""
        return int(await self._link.call(self.name, "SUG.DECAY", self.name, percent))
