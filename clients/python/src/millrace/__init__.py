"""Millrace: logs, work queues, channels, locks, pools, routes and indexes on Redis or Valkey.

`millrace` is for threads, `millrace.asyncio` has the same names for asyncio, `millrace.testing` starts a server for tests.
"""

import logging

from ._version import VERSION
from .sync import *  # noqa: F401,F403
from .sync import __all__ as __all__

# Nothing is logged unless the program configures logging.
logging.getLogger("millrace").addHandler(logging.NullHandler())

__version__ = VERSION
