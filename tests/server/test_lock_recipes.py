"""The recipes for locks that people use without the module run unchanged beside ours, and neither takes the other's
keys for its own."""

from locks import HOUR, acquire, take

WRONGTYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"

RELEASE = """
if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end
"""

REENTRANT_ACQUIRE = """
if (redis.call('exists', KEYS[1]) == 0) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
return redis.call('pttl', KEYS[1]);
"""


def test_set_nx_px_with_compare_and_delete_works_as_ever(c):
    assert c.call("SET", "resource", "my_random_value", "NX", "PX", 30_000) == b"OK"
    assert c.call("SET", "resource", "other_value", "NX", "PX", 30_000) is None
    assert c.call("EVAL", RELEASE, 1, "resource", "other_value") == 0
    assert c.call("EVAL", RELEASE, 1, "resource", "my_random_value") == 1


def test_the_reentrant_script_works_as_ever(c):
    assert c.call("EVAL", REENTRANT_ACQUIRE, 1, "resource", 30_000, "thread:1") is None
    assert c.call("EVAL", REENTRANT_ACQUIRE, 1, "resource", 30_000, "thread:1") is None
    assert 0 < c.call("EVAL", REENTRANT_ACQUIRE, 1, "resource", 30_000, "thread:2") <= 30_000
    assert c.call("HGET", "resource", "thread:1") == b"2"


def test_a_key_of_a_recipe_is_refused_and_unharmed(c):
    c.call("SET", "resource", "my_random_value", "NX", "PX", 30_000)
    assert c.error_of("LOCK.ACQUIRE", "resource", "ann", HOUR, "WAIT", 1000) == WRONGTYPE
    assert c.error_of("LOCK.BREAK", "resource") == WRONGTYPE
    assert c.error_of("LOCK.INFO", "resource") == WRONGTYPE
    assert c.call("GET", "resource") == b"my_random_value"


def test_a_recipe_cannot_take_a_lock_of_ours(c):
    take(c, "ann")
    assert c.call("SET", "lock", "my_random_value", "NX", "PX", 30_000) is None
    assert c.error_of("EVAL", RELEASE, 1, "lock", "my_random_value").startswith("WRONGTYPE")
    assert acquire(c, "ann")[0] == 1
