"""Durable publish and subscribe as people build it from the host's own types: exactly the keys and the three scripts of
the description that channels come from.

    c.{ch}.clock      the channel's clock
    c.{ch}.r.<sub>    a subscriber's clock
    c.{ch}.m.<clock>  a message, as JSON
    c.{ch}.mid.<id>   the clock of the message with that id, to find duplicates

Every key has the expiry of the channel as its time to live. A receipt is the clock of the last message returned.
One point follows our specification and not the description: subscribing, fetching and acknowledging also renew the
clock's time to live (test_channel_scenario.py says why).
"""

_CLOCKS = """
local LARGEST = 9007199254740991
local function key(...) return 'c.{' .. KEYS[1] .. '}.' .. table.concat({...}, '.') end
local function text(clock) return string.format('%.0f', clock) end
local function after(clock) if clock == LARGEST then return -LARGEST end return clock + 1 end
local expire = ARGV[1]

-- True if the message with this clock lies after the position and not after the channel's clock.
local function is_unread(clock, position, channel)
  if position <= channel then return position < clock and clock <= channel end
  return position < clock or clock <= channel -- the channel's clock has gone round
end
"""

_PUBLISH = (
    _CLOCKS
    + """
local id, content = ARGV[2], ARGV[3]
if redis.call('EXISTS', key('mid', id)) == 1 then return false end
local clock = text(after(tonumber(redis.call('GET', key('clock')) or '0')))
redis.call('SET', key('mid', id), clock, 'PX', expire)
redis.call('SET', key('clock'), clock, 'PX', expire)
redis.call('SET', key('m', clock), cjson.encode({id = id, content = content}), 'PX', expire)
return clock
"""
)

_FETCH = (
    _CLOCKS
    + """
local subscriber, max = ARGV[2], tonumber(ARGV[3])
local position, channel = redis.call('GET', key('r', subscriber)), redis.call('GET', key('clock'))
if not position then return redis.error_reply('NOSUB no such subscriber') end
redis.call('PEXPIRE', key('r', subscriber), expire)
redis.call('PEXPIRE', key('clock'), expire)
local clock, messages, receipt = tonumber(position), {}, false
while clock ~= tonumber(channel) do
  clock = after(clock)
  local message = redis.call('GET', key('m', text(clock)))
  if message then
    if #messages == max then return {messages, receipt, 1} end
    message = cjson.decode(message)
    table.insert(messages, {message.id, message.content})
    receipt = text(clock)
  end
end
return {messages, receipt, 0}
"""
)

_ACK = (
    _CLOCKS
    + """
local subscriber, receipt = ARGV[2], tonumber(ARGV[3])
local position, channel = redis.call('GET', key('r', subscriber)), redis.call('GET', key('clock'))
if not position then return redis.error_reply('NOSUB no such subscriber') end
redis.call('PEXPIRE', key('clock'), expire)
redis.call('PEXPIRE', key('r', subscriber), expire)
if not is_unread(receipt, tonumber(position), tonumber(channel)) then return 0 end
redis.call('SET', key('r', subscriber), text(receipt), 'PX', expire)
return 1
"""
)


class NoSubscriber(Exception):
    pass


class ChannelOracle:
    """The oracle of one channel. REQUIRES: the server's clock stands still during a call, and no other client calls."""

    def __init__(self, connection, name, expire):
        self._c, self._name, self._expire = connection, name, expire

    # --- the three scripts ---

    def publish(self, id, content):
        """The message's clock, or None."""
        clock = self._run(_PUBLISH, id, content)
        return None if clock is None else int(clock)

    def fetch(self, subscriber, max):
        """[messages, clock of the last one or None, more]"""
        messages, receipt, more = self._run(_FETCH, subscriber, max)
        return [messages, None if receipt is None else int(receipt), more]

    def acknowledge(self, subscriber, clock):
        return self._run(_ACK, subscriber, clock)

    def _run(self, script, *words):
        self._c.send("EVAL", script, "1", self._name, self._expire, *words)
        answer = self._c.read()
        if isinstance(answer, Exception):
            assert str(answer).startswith("NOSUB"), answer
            raise NoSubscriber
        return answer

    # --- the rest, by plain commands ---

    def create(self, clock):
        """False if the channel exists already."""
        return self._c.call("SET", self._key("clock"), clock, "NX", "PX", self._expire) is not None

    def subscribe(self, subscriber):
        self.create(0)
        clock = self._c.call("GET", self._key("clock"))
        self._c.call("SET", self._key("r", subscriber), clock, "NX")
        for key in (self._key("clock"), self._key("r", subscriber)):
            self._c.call("PEXPIRE", key, self._expire)
        return int(self._c.call("GET", self._key("r", subscriber)))

    def unsubscribe(self, subscriber):
        return self._c.call("DEL", self._key("r", subscriber))

    def seen(self, subscriber, ids):
        position = self._c.call("GET", self._key("r", subscriber))
        if position is None:
            raise NoSubscriber
        channel = int(self._c.call("GET", self._key("clock")))
        clocks = [self._c.call("GET", self._key("mid", id)) for id in ids]
        return [0 if clock is None else self._is_read(int(clock), int(position), channel) for clock in clocks]

    @staticmethod
    def _is_read(clock, position, channel):
        has_gone_round = channel < position
        if has_gone_round:
            return int(channel < clock <= position)
        return int(not position < clock <= channel)

    def _key(self, *parts):
        return ".".join(("c.{%s}" % self._name, *parts))

    # --- reading the state ---

    def exists(self):
        return self._c.call("EXISTS", self._key("clock")) == 1

    def lines(self):
        """All its keys with value and time to live."""
        keys = self._c.call("KEYS", self._key("*"))
        answers = self._c.call_all([(command, key) for key in keys for command in ("GET", "PTTL")])
        names = [key.decode()[len(self._key("")) :] for key in keys]
        return dict(zip(names, zip(answers[::2], answers[1::2])))
