"""A real server for tests: with the module, on a free port of 127.0.0.1, in a directory of its own.

    with start_server() as server:
        mr = Millrace.from_url(server.url)

With pytest installed, the fixture `millrace_server` is such a server, shared by the whole session and emptied for each
test. The module is the one that MILLRACE_MODULE names, or is where the package of the distribution puts it. The server
is the one that MILLRACE_SERVER names, or is in PATH.
"""

from .server import MODULE_PATHS, TestServer, start_server

__all__ = ["MODULE_PATHS", "TestServer", "start_server"]
