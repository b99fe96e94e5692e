"""The simplest model of a log's groups. The model does not decide which messages are delivered when: it gets the
deliveries, and says whether they were allowed. It does not know the server's exact time either, only two times between
which a decision fell. So every date is a pair: the earliest and the latest.
"""

from log_model import LogModel


class Holding:
    """A message that is pending."""

    def __init__(self, retry_at, retry_ms, expire_at, consumer):
        self.retry_at, self.retry_ms, self.expire_at = retry_at, retry_ms, expire_at
        self.attempts, self.consumer = 1, consumer

    def may_be_over(self, max_attempts, now):
        if self.expire_at and self.expire_at[0] <= now:
            return True
        return 0 < max_attempts <= self.attempts and self.retry_at[0] <= now


class GroupModel:
    def __init__(self, position):
        self.next = position
        self.pending = {}  # offset -> Holding
        self.lost = self.given_up = self.redelivered = 0
        self.pending_max, self.max_attempts, self.has_dead_letters = 1_000_000, 0, False


def dates(asked, answered, ms):
    return asked + ms, answered + ms


class GroupedLogModel(LogModel):
    def __init__(self):
        super().__init__()
        self.groups = {}
        self.dead = []  # (group, offset, attempts): messages that should be dead letters

    def evict(self, up_to):
        gone = super().evict(up_to)
        for group in self.groups.values():
            pending = [offset for offset in group.pending if offset < self.first]
            for offset in pending:
                del group.pending[offset]
            group.lost += len(pending) + max(0, self.first - group.next)
            group.next = max(group.next, self.first)
        return gone

    def lag(self, group):
        return self.next - group.next

    # --- reading ---

    def delivered(self, name, read, messages, asked, answered):
        """A read was answered with these messages, [offset, tag, entry, attempts]."""
        if name not in self.groups:
            self.groups[name] = GroupModel(self.next if read.at_tail else self.first)
        group = self.groups[name]
        assert len(messages) <= read.count
        again = [message[0] for message in messages if message[0] < group.next]
        fresh = [message[0] for message in messages[len(again) :]]
        assert fresh == list(range(group.next, group.next + len(fresh))), "first what is due, then new ones in order"
        for offset, tag, entry, attempts in messages:
            assert [offset, tag, entry] == self.message(offset), "what is delivered is what was written"
            assert attempts == (group.pending[offset].attempts + 1 if offset in again else 1), offset
        if again and len(messages) == read.count and not fresh and read.count > 1:
            self._nothing_fresh_waited(group, read)
        if len(messages) < read.count:
            self._nothing_was_held_back(group, again, len(fresh), read, asked, answered)
        for offset in again:
            self._delivered_again(group, offset, read, asked, answered)
        for offset in fresh if read.retry else ():
            retry, expiry = read.retry
            expire_at = dates(asked, answered, expiry) if expiry else None
            group.pending[offset] = Holding(dates(asked, answered, retry), retry, expire_at, read.consumer)
        group.next += len(fresh)

    def _delivered_again(self, group, offset, read, asked, answered):
        held = group.pending[offset]
        assert held.retry_at[0] <= answered, f"{offset} came again before its retry time"
        assert held.expire_at is None or asked <= held.expire_at[1], f"{offset} came again after its expiry"
        assert not 0 < group.max_attempts <= held.attempts, f"{offset} was tried too often"
        group.redelivered += 1
        if read.retry is None:  # without a lease, a message is done once delivered
            del group.pending[offset]
            return
        held.attempts, held.consumer = held.attempts + 1, read.consumer
        held.retry_ms = read.retry[0]
        held.retry_at = dates(asked, answered, held.retry_ms)

    def _nothing_was_held_back(self, group, again, fresh, read, asked, answered):
        for offset, held in group.pending.items():
            is_due = held.retry_at[1] < asked and not held.may_be_over(group.max_attempts, answered)
            assert offset in again or not is_due, f"{offset} was due and did not come"
        if self.next > group.next + fresh:
            assert len(group.pending) + (fresh if read.retry else 0) >= group.pending_max, "a new message did not come"

    def _nothing_fresh_waited(self, group, read):
        assert self.next == group.next or len(group.pending) >= group.pending_max, "due messages took all of a read"

    # --- giving up ---

    def are_pending(self, name, offsets, now):
        """Only these are pending at the time `now` or before. The model checks that it was right to give up the
        others."""
        group = self.groups[name]
        assert set(offsets) <= set(group.pending), "something is pending that should not be"
        for offset in sorted(set(group.pending) - set(offsets)):
            held = group.pending.pop(offset)
            assert held.may_be_over(group.max_attempts, now), f"{offset} is lost: neither acknowledged nor over"
            group.given_up += 1
            if group.has_dead_letters:
                self.dead.append((name, offset, held.attempts))

    # --- answers ---

    def acknowledge(self, name, first, last):
        pending = self.groups[name].pending
        gone = [offset for offset in pending if first <= offset <= last]
        for offset in gone:
            del pending[offset]
        return len(gone)

    def give_back(self, name, first, last, due_at):
        found = [held for offset, held in self.groups[name].pending.items() if first <= offset <= last]
        for held in found:
            held.retry_at, held.consumer = due_at, None
        return len(found)

    def seek(self, name, offset):
        self.groups[name].next = max(offset, self.first)
        self.groups[name].pending.clear()
