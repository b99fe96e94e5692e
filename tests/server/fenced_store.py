"""What a lock protects, in the tests of Redlock: a counter that commands under the lock read, raise and
write, on a server of its own.

The store does what docs/guides/locks.md asks of a protected resource: it remembers the greatest token it has seen and
refuses smaller ones. With a lock without tokens, each client writes its name into the store when it enters, and a
client that finds another's name there counts as an error.
"""

import shutil

from server import Server

READ = """
local token = tonumber(ARGV[1])
redis.call('RPUSH', 'began', ARGV[1])
if token < tonumber(redis.call('GET', 'fence') or '0') then return 'REFUSED' end
redis.call('SET', 'fence', ARGV[1])
return redis.call('GET', 'counter') or '0'
"""

WRITE = """
if tonumber(ARGV[1]) < tonumber(redis.call('GET', 'fence') or '0') then return 'REFUSED' end
redis.call('SET', 'counter', ARGV[2])
redis.call('RPUSH', 'accepted', ARGV[1])
return 'OK'
"""

FENCED = """
value=$($CLI EVAL "$READ" 0 "$MILLRACE_LOCK_TOKEN") || exit
[ "$value" = REFUSED ] && exit
$CLI EVAL "$WRITE" 0 "$MILLRACE_LOCK_TOKEN" $((value + 1))
"""

# Reading and writing are two steps: without a lock around them, updates would be lost.
UNFENCED = """
[ "$($CLI SET door "$MILLRACE_LOCK_OWNER" NX)" = OK ] || $CLI RPUSH "met another" "$MILLRACE_LOCK_OWNER"
value=$($CLI GET counter)
$CLI SET counter $((value + 1))
$CLI DEL door
$CLI RPUSH accepted "$MILLRACE_LOCK_OWNER"
"""


class Store:
    def __init__(self):
        self.server = Server(module=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def command(self, fenced):
        """The command to run under the lock."""
        return ("env", f"CLI={shutil.which('redis-cli')} -p {self.server.port}", f"READ={READ}", f"WRITE={WRITE}",
                "sh", "-c", FENCED if fenced else UNFENCED)

    def counter(self):
        with self.server.connect() as c:
            return int(c.call("GET", "counter") or 0)

    def _list(self, key):
        with self.server.connect() as c:
            return [word.decode() for word in c.call("LRANGE", key, 0, -1)]

    def updates(self):
        """How many updates were made."""
        return len(self._list("accepted"))

    def began(self):
        """The tokens of all grants of the lock, in order."""
        return [int(token) for token in self._list("began")]

    def check(self, fenced):
        assert self.counter() == self.updates(), "no update is lost"
        if fenced:
            tokens = self.began()
            assert all(one < next for one, next in zip(tokens, tokens[1:])), "each holder's token is greater than the last's"
        else:
            assert self._list("met another") == [], "nobody met another inside"
