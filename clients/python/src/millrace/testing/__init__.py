"""A real server for tests: with the module, on a free port of 127.0.0.1, in a directory of its own.

    with start_server() as server:
        mr = Millrace.from_url(server.url)

With pytest installed, the fixture `millrace_server` is one for the whole session, empty for each test. The module is found
by MILLRACE_MODULE, or where the package of the distribution puts it; the server by MILLRACE_SERVER, or in PATH.
"""

from .server import MODULE_PATHS, TestServer, start_server

__all__ = ["MODULE_PATHS", "TestServer", "start_server"]
