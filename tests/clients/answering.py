"""Links of the Python package whose commands the test answers itself, so that each answer comes at an exact moment."""

import asyncio
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import redis

import millrace.asyncio.link
import millrace.sync.link
from millrace.settings import Settings

SOON = 10  # seconds in which a call must have returned


class Answering(millrace.asyncio.link.Link):
    """A link without a connection: each command is answered by a coroutine function of the test."""

    def __init__(self, answer):
        self.settings = Settings(block=0.01)
        self.sent = []
        self._answer = answer

    async def exchange(self, key, commands, timeout=None, breaker=None, then=None):
        async def answers():
            return [await self._reply(words) for words in commands]

        replies = await (answers() if breaker is None else breaker.run(answers, None))
        return replies + await self.exchange(key, then(replies)) if then and then(replies) else replies

    async def _reply(self, words):
        self.sent.append(words)
        try:
            return await self._answer(*words)
        except redis.ResponseError as error:
            return error

    def owners(self, command):
        return [words[2] for words in self.sent if words[0] == command]


class AnsweringThreads(millrace.sync.link.Link):
    """The same for threads."""

    def __init__(self, answer):
        self.settings = Settings()
        self._answer = answer

    def exchange(self, key, commands, timeout=None, breaker=None, then=None):
        return [self._answer(*words) for words in commands]


def run(scenario):
    async def limited():
        await asyncio.wait_for(scenario, SOON)

    asyncio.run(limited())


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)
