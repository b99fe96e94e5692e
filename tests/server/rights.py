"""Users of the server with limited rights."""

import contextlib


@contextlib.contextmanager
def user(server, *rules):
    server.admin.call("ACL", "SETUSER", "guest", "reset", "on", "nopass", *rules)
    try:
        with server.connect() as connection:
            connection.call("AUTH", "guest", "any")
            yield connection
    finally:
        server.admin.call("ACL", "DELUSER", "guest")
