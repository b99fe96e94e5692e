"""A cron job that is in the crontab of three machines, and runs on one of them at a time.

    guarded_cron.py URL

The report goes to a hash that refuses a writer whose token is older than the last one: a machine that was suspended
until its lease was over cannot overwrite the report of the machine that took over.
"""

import sys
import time

from millrace import LockTimeout, Millrace

WRITE = """
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'pages', ARGV[2])
return 1
"""


def main() -> int:
    with Millrace.from_url(sys.argv[1]) as mr:
        try:
            with mr.lock("nightly-report", ttl=10) as lock:
                pages = 0
                for _ in range(5):
                    lock.check()  # stops at once if the lock is lost
                    time.sleep(0.1)  # a page
                    pages += 1
                if not mr.call("report", "EVAL", WRITE, 1, "report", lock.token or 0, pages):
                    print("somebody newer has written the report")
                    return 1
        except LockTimeout:
            print("another machine is at it")
            return 75
    print(f"{pages} pages")
    return 0


sys.exit(main())
