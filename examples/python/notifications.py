"""Live notifications: what happens in a room appears on every screen, also on one that was offline for a while.

    notifications.py URL show ROOM SCREEN     prints messages as they come, until Ctrl-C
    notifications.py URL say ROOM TEXT…
"""

import asyncio
import signal
import sys

from millrace.asyncio import Millrace, Text


async def show(mr: Millrace, room: str, screen: str) -> None:
    def reload() -> None:
        # The subscription begins now: a real screen loads what it shows from the database here.
        print("loaded the room", flush=True)

    messages = mr.channel(f"room:{room}", codec=Text()).subscribe(screen, on_gap=reload)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, messages.stop)
    async for message in messages:  # acknowledged when the next is asked for
        print(message.content, flush=True)
    await messages.ack()


async def say(mr: Millrace, room: str, words: list[str]) -> None:
    await mr.channel(f"room:{room}", codec=Text()).publish(" ".join(words))


async def main() -> None:
    async with Millrace.from_url(sys.argv[1]) as mr:
        if sys.argv[2] == "show":
            await show(mr, sys.argv[3], sys.argv[4])
        else:
            await say(mr, sys.argv[3], sys.argv[4:])


asyncio.run(main())
