"""Makes connections: the user's client says how to reach the server, and the package opens its own."""

from __future__ import annotations

from typing import Any

import redis.asyncio.connection
import redis.connection

# Turns off what the user's client does for its own commands and ours must not do: resending, decoding, checks before
# commands.
_NOT_OURS = ("retry", "retry_on_error", "retry_on_timeout", "decode_responses", "redis_connect_func", "parser_class",
             "health_check_interval", "socket_timeout")
_NODE_ONLY = ("host", "port", "path")


class Source:
    """Makes connections of the same kind as those of a redis-py client, sync or asyncio."""

    def __init__(self, client: Any, no_retry: Any) -> None:
        """`no_retry` is a Retry of the same kind as the client's, which never tries again."""
        if not hasattr(client, "connection_pool") and not hasattr(client, "nodes_manager"):
            raise TypeError(f"{client!r} is no client of redis-py; for a URL there is Millrace.from_url()")
        is_asyncio = any(kind.__module__.startswith("redis.asyncio") for kind in type(client).__mro__)
        if is_asyncio != type(no_retry).__module__.startswith("redis.asyncio"):
            raise TypeError("a client of redis.asyncio is for millrace.asyncio, one of redis for millrace")
        self._no_retry = no_retry
        manager: Any = getattr(client, "nodes_manager", None)
        self.is_cluster = manager is not None
        self.nodes: list[tuple[str, int]] = []
        if self.is_cluster:
            kwargs = dict(client.get_connection_kwargs())
            self.nodes = [(node.host, int(node.port)) for node in manager.startup_nodes.values()]
            self._class = self._class_for_nodes(kwargs, client)
            # A cluster has only one database, and redis-py keeps arguments here that do not belong to connections.
            kwargs = {name: value for name, value in kwargs.items()
                      if name in ("username", "password", "client_name", "encoding", "socket_connect_timeout",
                                  "socket_keepalive", "socket_keepalive_options", "protocol")
                      or name.startswith("ssl_")}
        else:
            pool = client.connection_pool
            kwargs = dict(pool.connection_kwargs)
            self._class = pool.connection_class
            # Connections by Sentinel ask their pool for the master, through a weak reference.
            self._kept = pool
        self._kwargs = {name: value for name, value in kwargs.items() if name not in _NOT_OURS}

    def _class_for_nodes(self, kwargs: dict[str, Any], client: Any) -> Any:
        module = redis.asyncio.connection if "asyncio" in type(client).__module__ else redis.connection
        with_tls = bool(kwargs.pop("ssl", False)) or kwargs.get("connection_class") is module.SSLConnection
        return module.SSLConnection if with_tls else module.Connection

    def connection(self, timeout: float, address: tuple[str, int] | None = None) -> Any:
        """A connection that is not connected yet."""
        kwargs = dict(self._kwargs)
        if address is not None:
            kwargs = {name: value for name, value in kwargs.items() if name not in _NODE_ONLY}
            kwargs.update(host=address[0], port=address[1])
        if "path" not in kwargs:  # a Unix socket has no such time-out
            # Connecting takes no longer than a command that answers at once.
            kwargs["socket_connect_timeout"] = min(timeout, kwargs.get("socket_connect_timeout") or 5.0)
        return self._class(**kwargs, socket_timeout=timeout, retry_on_error=[], retry=self._no_retry,
                           decode_responses=False)
