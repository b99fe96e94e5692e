"""The simplest model of a lock: a list of holders and a list of waiting clients."""


def kind_of(mode):
    """exclusive, shared or limit; the mode of a semaphore is its number of permits."""
    return mode if isinstance(mode, str) else "limit"


class LockModel:
    def __init__(self):
        self.mode = None  # the mode of the holders
        self.holders = {}  # owner -> number of holds
        self.line = []  # (client, owner, mode)

    def admits(self, mode):
        if not self.holders:
            return True
        if kind_of(mode) != kind_of(self.mode) or mode == "exclusive":
            return False
        return mode == "shared" or len(self.holders) < max(mode, self.mode)

    def grant(self, owner, mode):
        if not self.holders:
            self.mode = mode
        self.holders[owner] = self.holders.get(owner, 0) + 1
        return self.holders[owner]

    def acquire(self, owner, mode):
        """The owner's number of holds now, or why it has none: "wait" or "other mode"."""
        if self.holders and kind_of(mode) == kind_of(self.mode):
            self.mode = mode  # the newest limit counts
        if owner in self.holders:
            return self.grant(owner, mode) if mode == self.mode else "other mode"
        return self.grant(owner, mode) if not self.line and self.admits(mode) else "wait"

    def release(self, owner):
        """The owner's number of holds that are left, or None."""
        if owner not in self.holders:
            return None
        self.holders[owner] -= 1
        return self.holders[owner] or self.remove(owner)

    def remove(self, owner):
        del self.holders[owner]
        return 0

    def leave(self, who):
        self.line = [one for one in self.line if one[0] != who]

    def pass_on(self):
        """The clients that are served now, in order, each with its owner's number of holds."""
        served = []
        while self.line:
            who, owner, mode = self.line[0]
            again = owner in self.holders and kind_of(mode) == kind_of(self.mode)
            if not again and (owner in self.holders or not self.admits(mode)):
                break
            self.line.pop(0)
            served.append((who, self.grant(owner, mode)))
        return served
