"""The design that worker pools come from, exactly, over the host's own hashes: the oracle for which worker gets what.

It has the original's five structures and four procedures, with their names. Four points differ, because ours differs on
purpose. A stale uid is replaced whether anything is pending or not. A new uid is chosen among the living, so never the
one that is replaced. The iterator goes back to 0 past the end, where the original's is one too large. If no living uid
can take recipients over, they stay where they are.

`process_payload_recip_key` exists twice: round trip by round trip, as the original does it, and as one script.
HKEYS must answer in the order in which fields were added: LISTS_STAY_IN_ORDER are the settings for that.
"""

import json

LISTS_STAY_IN_ORDER = {"hash_max_listpack_entries": "100000", "hash_max_listpack_value": "100000000"}


class Oracle:
    STRUCTURES = (
        "uid_recip_key_pending_msg_count",
        "round_robin_iterator",
        "uid_recip_keys_map",
        "recip_key_uid_map",
        "uid_last_access_map",
    )

    def __init__(self, connection, stale_ms):
        self.c = connection
        self.stale_ms = stale_ms
        self.now = 0  # milliseconds; the caller moves it

    # --- the four procedures ---

    def process_payload_recip_key(self, recip_key, count=1):
        """The uid that gets the message, and what is then pending."""
        uid = self._text(self.c.call("HGET", "recip_key_uid_map", recip_key))
        if uid is None:
            uid = self.assign_recip_key_to_new_uid(recip_key)
        elif self.is_stale(uid):
            self.replace(uid)
            uid = self._text(self.c.call("HGET", "recip_key_uid_map", recip_key))
        return uid, self.c.call("HINCRBY", "uid_recip_key_pending_msg_count", f"{uid}_{recip_key}", count)

    def get_new_valid_uid(self):
        iterator = int(self.c.call("GET", "round_robin_iterator") or 0)
        uids = self.uids()
        living = [uid for uid in uids if not self.is_stale(uid)] or uids
        if iterator >= len(uids):
            iterator = 0
        while uids[iterator] not in living:
            iterator = (iterator + 1) % len(uids)
        self.c.call("SET", "round_robin_iterator", iterator + 1 if iterator + 1 < len(uids) else 0)
        return uids[iterator]

    def assign_recip_key_to_new_uid(self, recip_key):
        new_uid = self.get_new_valid_uid()
        self.c.call("HSET", "recip_key_uid_map", recip_key, new_uid)
        self._set_keys(new_uid, self.keys_of(new_uid) + [recip_key])
        self.c.call("HSET", "uid_recip_key_pending_msg_count", f"{new_uid}_{recip_key}", 0)
        return new_uid

    def reassign_recip_key_to_uid(self, recip_key, old_uid):
        new_uid = self.get_new_valid_uid()
        old_recip_key_list, new_recip_key_list = self.keys_of(old_uid), self.keys_of(new_uid)
        old_recip_key_list.remove(recip_key)
        self._set_keys(old_uid, old_recip_key_list)
        old_pending_msg_count = self.pending(old_uid, recip_key)
        self.c.call("HDEL", "uid_recip_key_pending_msg_count", f"{old_uid}_{recip_key}")
        self.c.call("HSET", "recip_key_uid_map", recip_key, new_uid)
        self._set_keys(new_uid, new_recip_key_list + [recip_key])
        if old_pending_msg_count >= 1:
            self.c.call("HSET", "uid_recip_key_pending_msg_count", f"{new_uid}_{recip_key}", old_pending_msg_count)

    def replace(self, *old_uids):
        """The part of process_payload_recip_key for a stale uid with something pending. A timer may find several such
        uids."""
        if not any(uid not in old_uids and not self.is_stale(uid) for uid in self.uids()):
            return
        for old_uid in old_uids:
            for recip_key in self.keys_of(old_uid):
                self.reassign_recip_key_to_uid(recip_key, old_uid)
            if len(self.keys_of(old_uid)) == 0:
                self.remove(old_uid)

    def remove(self, uid):
        self.c.call("HDEL", "uid_recip_keys_map", uid)
        self.c.call("HDEL", "uid_last_access_map", uid)

    # --- what workers do ---

    def register(self, uid):
        if uid not in self.uids():
            self._set_keys(uid, [])
        self.c.call("HDEL", "uid_last_access_map", uid)

    def access(self, uid):
        self.c.call("HSET", "uid_last_access_map", uid, self.now)

    def finish(self, uid, recip_key, count):
        self.access(uid)
        return self.c.call("HINCRBY", "uid_recip_key_pending_msg_count", f"{uid}_{recip_key}", -count)

    # --- reading the state ---

    def uids(self):
        return [uid.decode() for uid in self.c.call("HKEYS", "uid_recip_keys_map")]

    def keys_of(self, uid):
        return json.loads(self.c.call("HGET", "uid_recip_keys_map", uid) or "[]")

    def pending(self, uid, recip_key):
        return int(self.c.call("HGET", "uid_recip_key_pending_msg_count", f"{uid}_{recip_key}") or 0)

    def owner(self, recip_key):
        return self._text(self.c.call("HGET", "recip_key_uid_map", recip_key))

    def iterator(self):
        return int(self.c.call("GET", "round_robin_iterator") or 0)

    def age(self, uid):
        last = self.c.call("HGET", "uid_last_access_map", uid)
        return None if last is None else self.now - int(last)

    def is_stale(self, uid):
        return (self.age(uid) or 0) > self.stale_ms

    def has_pending(self, uid):
        return any(self.pending(uid, recip_key) >= 1 for recip_key in self.keys_of(uid))

    def _set_keys(self, uid, recip_keys):
        self.c.call("HSET", "uid_recip_keys_map", uid, json.dumps(recip_keys))

    @staticmethod
    def _text(answer):
        return None if answer is None else answer.decode()


class ScriptedOracle(Oracle):
    """The same with process_payload_recip_key as one script."""

    def process_payload_recip_key(self, recip_key, count=1):
        uid, pending = self.c.call(
            "EVAL", PROCESS_PAYLOAD_RECIP_KEY, len(self.STRUCTURES), *self.STRUCTURES, recip_key, self.now, self.stale_ms, count
        )
        return uid.decode(), pending


# KEYS: the five structures. ARGV: recipient key, the time and the stale time in milliseconds, the number of messages.
PROCESS_PAYLOAD_RECIP_KEY = """
local counts, iterator_key, keys_map, uid_map, access_map = unpack(KEYS)
local recip_key, now, stale_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function keys_of(uid)
  local list = redis.call('HGET', keys_map, uid)
  return list and cjson.decode(list) or {}
end

local function set_keys(uid, list)
  redis.call('HSET', keys_map, uid, #list == 0 and '[]' or cjson.encode(list))
end

local function pending(uid, key)
  return tonumber(redis.call('HGET', counts, uid .. '_' .. key) or 0)
end

local function is_stale(uid)
  local last = redis.call('HGET', access_map, uid)
  return last and now - tonumber(last) > stale_ms
end

local function get_new_valid_uid()
  local uids, living = redis.call('HKEYS', keys_map), 0
  for _, uid in ipairs(uids) do
    if not is_stale(uid) then living = living + 1 end
  end
  local iterator = tonumber(redis.call('GET', iterator_key) or 0)
  if iterator >= #uids then iterator = 0 end
  while living > 0 and is_stale(uids[iterator + 1]) do iterator = (iterator + 1) % #uids end
  redis.call('SET', iterator_key, iterator + 1 < #uids and iterator + 1 or 0)
  return uids[iterator + 1]
end

local function assign_recip_key_to_new_uid(key)
  local new_uid = get_new_valid_uid()
  redis.call('HSET', uid_map, key, new_uid)
  local list = keys_of(new_uid)
  table.insert(list, key)
  set_keys(new_uid, list)
  redis.call('HSET', counts, new_uid .. '_' .. key, 0)
  return new_uid
end

local function reassign_recip_key_to_uid(key, old_uid)
  local new_uid = get_new_valid_uid()
  local old_list, new_list, kept = keys_of(old_uid), keys_of(new_uid), {}
  for _, one in ipairs(old_list) do
    if one ~= key then table.insert(kept, one) end
  end
  set_keys(old_uid, kept)
  local old_count = pending(old_uid, key)
  redis.call('HDEL', counts, old_uid .. '_' .. key)
  redis.call('HSET', uid_map, key, new_uid)
  table.insert(new_list, key)
  set_keys(new_uid, new_list)
  if old_count >= 1 then redis.call('HSET', counts, new_uid .. '_' .. key, old_count) end
end

local function somebody_else_lives(old_uid)
  for _, uid in ipairs(redis.call('HKEYS', keys_map)) do
    if uid ~= old_uid and not is_stale(uid) then return true end
  end
  return false
end

local uid = redis.call('HGET', uid_map, recip_key)
if not uid then
  uid = assign_recip_key_to_new_uid(recip_key)
elseif is_stale(uid) then
  local list = keys_of(uid)
  if somebody_else_lives(uid) then
    for _, key in ipairs(list) do reassign_recip_key_to_uid(key, uid) end
    if #keys_of(uid) == 0 then
      redis.call('HDEL', keys_map, uid)
      redis.call('HDEL', access_map, uid)
    end
    uid = redis.call('HGET', uid_map, recip_key)
  end
end
return {uid, redis.call('HINCRBY', counts, uid .. '_' .. recip_key, ARGV[4])}
"""
