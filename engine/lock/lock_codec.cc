#include "engine/lock/lock_codec.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/decoder.h"
#include "engine/base/varint.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kVersion = 2;
constexpr uint64_t kVersionWithoutValues = 1;
constexpr uint64_t kHasNoLonger = 0;
constexpr uint64_t kHas = 1;

struct Change {
  ByteView owner;
  Token token;
  std::optional<Holding> has;  // nullopt: no longer a holder
  ByteView value;
};

struct Changes {
  LockMode mode;
  std::vector<Change> list;
};

std::optional<LockMode> decode_mode(Decoder& in) {
  const uint64_t kind = in.number();
  const uint64_t permits = in.number();
  if (kind == static_cast<uint64_t>(LockMode::Kind::Exclusive) && permits == 1) return LockMode::exclusive();
  if (kind == static_cast<uint64_t>(LockMode::Kind::Shared) && permits == 0) return LockMode::shared();
  if (kind != static_cast<uint64_t>(LockMode::Kind::Limit) || permits < 1 || permits > kMaxPermits) return std::nullopt;
  return LockMode::limit(permits);
}

bool is_possible(const Holding& holding) {
  // Ends are small enough that adding a lease does not overflow.
  constexpr uint64_t kLatest = uint64_t{1} << 62;
  const Lease& lease = holding.lease;
  return holding.holds >= 1 && holding.holds <= kMaxLeaseMs && lease.ttl_ms >= 1 && lease.ttl_ms <= kMaxLeaseMs &&
         lease.end.value() <= kLatest && lease.end_date.value() <= kLatest;
}

Result<Changes> decode(ByteView bytes, const Now& now, Token most) {
  Decoder in(bytes);
  const uint64_t version = in.number();
  if (version != kVersion && version != kVersionWithoutValues)
    return corrupt("a lock of a version this module does not know");
  const auto mode = decode_mode(in);
  if (!mode) return corrupt("a lock in an impossible mode");
  const uint64_t clock = in.number();
  Changes changes{*mode, {}};
  while (in.ok() && !in.finished()) {
    const uint64_t kind = in.number();
    Change change;
    change.owner = in.bytes(in.number());
    change.token = Token(in.number());
    if (kind > kHas || change.owner.empty() || change.owner.size() > kMaxOwner) return corrupt("an impossible owner");
    if (change.token.value() == 0 || change.token > kMaxToken) return corrupt("an impossible token");
    if (change.token > most) return corrupt("a token far ahead of this server's clock");
    if (kind == kHas) {
      Holding holding{.token = change.token, .holds = in.number(), .lease = {}};
      holding.lease.ttl_ms = in.number();
      holding.lease.end_date = UnixMs(in.number());
      holding.lease.end = MonotonicMs(in.number());
      if (!is_possible(holding)) return corrupt("an impossible lease");
      holding.lease = Lease::as_seen(holding.lease, clock, now);
      change.has = holding;
      if (version != kVersionWithoutValues) change.value = in.bytes(in.number());
      if (change.value.size() > kMaxLockValue) return corrupt("an impossible value");
    }
    changes.list.push_back(change);
  }
  if (!in.finished()) return corrupt("a lock of the wrong length");
  return changes;
}

// Proves that each change is possible after those before it.
Result<void> validate(const Lock& lock, const Changes& changes) {
  // Only the limit changes.
  if (changes.list.empty() && lock.is_free()) return corrupt("a limit of a lock that nobody holds");
  std::map<ByteView, std::optional<Token>> touched;  // what the owners hold after the changes so far
  const auto held = [&](ByteView owner) -> std::optional<Token> {
    if (const auto found = touched.find(owner); found != touched.end()) return found->second;
    const Holding* holding = lock.find(owner);
    return holding == nullptr ? std::nullopt : std::optional(holding->token);
  };
  size_t holding = lock.holding();
  LockMode mode = lock.is_free() ? changes.mode : lock.mode();
  for (const Change& change : changes.list) {
    const auto before = held(change.owner);
    if (!change.has) {
      if (before != change.token) return corrupt("a lock taken from somebody who does not hold it");
      --holding;
      touched[change.owner] = std::nullopt;
      continue;
    }
    if (holding == 0) mode = changes.mode;
    if (!mode.goes_with(changes.mode)) return corrupt("a lock held in two modes");
    if (!before && ++holding > 1 && mode == LockMode::exclusive()) return corrupt("a lock held by too many");
    touched[change.owner] = change.token;
  }
  if (holding != 0 && !mode.goes_with(changes.mode)) return corrupt("a lock held in two modes");
  return {};
}

}  // namespace

void LockChanges::make_room(size_t more) {
  if (bytes_.capacity() < bytes_.size() + more) bytes_.reserve(2 * bytes_.size() + kRoomForHead + more);
  if (bytes_.empty()) bytes_.resize(kRoomForHead);
}

// All at once: each append has its price.
void LockChanges::append_numbers(std::initializer_list<uint64_t> numbers) {
  char bytes[kMostNumbers * kMaxVarintBytes];
  char* end = bytes;
  for (uint64_t number : numbers) end = put_varint(end, number);
  bytes_.append(bytes, static_cast<size_t>(end - bytes));
}

void LockChanges::has(ByteView owner, const Holding& holding, ByteView value) {
  make_room(owner.size() + value.size() + 8 * kMaxVarintBytes);
  append_numbers({kHas, owner.size()});
  bytes_ += owner;
  append_numbers({holding.token.value(), holding.holds, holding.lease.ttl_ms, holding.lease.end_date.value(),
                  holding.lease.end.value(), value.size()});
  bytes_ += value;
}

void LockChanges::has_no_longer(ByteView owner, Token token) {
  make_room(owner.size() + 3 * kMaxVarintBytes);
  append_numbers({kHasNoLonger, owner.size()});
  bytes_ += owner;
  append_numbers({token.value()});
}

std::string LockChanges::take_bytes(LockMode mode, uint64_t clock) {
  make_room(0);
  char head[kRoomForHead];
  static_assert(kRoomForHead >= 4 * kMaxVarintBytes);
  char* end = head;
  for (uint64_t number : {kVersion, static_cast<uint64_t>(mode.kind()),
                          mode == LockMode::shared() ? uint64_t{0} : mode.permits(), clock}) {
    end = put_varint(end, number);
  }
  const size_t start = kRoomForHead - static_cast<size_t>(end - head);
  std::copy(head, end, bytes_.begin() + static_cast<ptrdiff_t>(start));
  bytes_.erase(0, start);
  return std::exchange(bytes_, {});
}

std::vector<std::string> encode_lock(const Lock& lock, uint64_t clock) {
  std::vector<std::string> parts;
  LockChanges changes;
  size_t in_part = 0;
  lock.each_holder([&](const LockHolder& holder) {
    changes.has(holder.owner(), holder.holding, lock.value_of(holder.owner()));
    if (++in_part % kHoldersPerPart != 0) return true;
    parts.push_back(changes.take_bytes(lock.mode(), clock));
    return true;
  });
  if (!changes.empty()) parts.push_back(changes.take_bytes(lock.mode(), clock));
  return parts;
}

Result<void> apply_changes(Lock& lock, ByteView bytes, const Now& now, Token most, Token& greatest) {
  const auto changes = decode(bytes, now, most);
  if (!changes) return std::unexpected(changes.error());
  if (auto possible = validate(lock, *changes); !possible) return possible;
  for (const Change& change : changes->list) {
    greatest = std::max(greatest, change.token);
    if (!change.has) {
      lock.remove(change.owner);
      continue;
    }
    lock.put(change.owner, changes->mode, *change.has);
    lock.set_value(change.owner, change.value);
  }
  if (!lock.is_free()) lock.set_limit(changes->mode);
  return {};
}

}  // namespace millrace
