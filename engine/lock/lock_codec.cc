#include "engine/lock/lock_codec.h"

#include <algorithm>
#include <cstring>
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
  if (version != kVersion && version != kVersionWithoutValues) {
    return corrupt("a lock of a version this module does not know");
  }
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

constexpr size_t kMostHead = 4 * kMaxVarintBytes;

char* put_head(char* at, LockMode mode, uint64_t clock) {
  at = put_varint(at, kVersion);
  at = put_varint(at, static_cast<uint64_t>(mode.kind()));
  at = put_varint(at, mode == LockMode::shared() ? 0 : mode.permits());
  return put_varint(at, clock);
}

char* put_bytes(char* at, ByteView bytes) {
  at = put_varint(at, bytes.size());
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

// Proves that each change is possible after those before it.
Result<void> validate(const Lock& lock, const Changes& changes) {
  // Only the limit changes.
  if (changes.list.empty() && lock.is_free()) return corrupt("a limit of a lock without a holder");
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
      if (before != change.token) return corrupt("a lock taken from an owner that does not hold it");
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

template <class Write>
void LockChanges::append(size_t most, Write write) {
  const size_t before = bytes_.size();
  most += before == 0 ? kMostHead : 0;
  if (bytes_.capacity() < before + most) bytes_.reserve(2 * before + most);
  bytes_.resize_and_overwrite(before + most, [&](char* bytes, size_t) {
    char* at = bytes + before;
    if (before == 0) at = put_head(at, LockMode::exclusive(), clock_);
    return write(at) - bytes;
  });
}

void LockChanges::has(ByteView owner, const Holding& holding, ByteView value) {
  append(owner.size() + value.size() + 8 * kMaxVarintBytes, [&](char* at) {
    at = put_bytes(put_varint(at, kHas), owner);
    at = put_varint(at, holding.token.value());
    at = put_varint(at, holding.holds);
    at = put_varint(at, holding.lease.ttl_ms);
    at = put_varint(at, holding.lease.end_date.value());
    at = put_varint(at, holding.lease.end.value());
    return put_bytes(at, value);
  });
}

void LockChanges::has_no_longer(ByteView owner, Token token) {
  append(owner.size() + 3 * kMaxVarintBytes,
         [&](char* at) { return put_varint(put_bytes(put_varint(at, kHasNoLonger), owner), token.value()); });
}

std::string LockChanges::take_bytes(LockMode mode) {
  if (bytes_.empty() || mode != LockMode::exclusive()) {
    char head[kMostHead];
    const size_t replaced =
        bytes_.empty() ? 0 : static_cast<size_t>(put_head(head, LockMode::exclusive(), clock_) - head);
    bytes_.replace(0, replaced, head, static_cast<size_t>(put_head(head, mode, clock_) - head));
  }
  return std::exchange(bytes_, {});
}

std::vector<std::string> encode_lock(const Lock& lock, uint64_t clock) {
  std::vector<std::string> parts;
  LockChanges changes(clock);
  size_t in_part = 0;
  lock.each_holder([&](const LockHolder& holder) {
    changes.has(holder.owner(), holder.holding, lock.value_of(holder.owner()));
    if (++in_part % kHoldersPerPart != 0) return true;
    parts.push_back(changes.take_bytes(lock.mode()));
    return true;
  });
  if (!changes.empty()) parts.push_back(changes.take_bytes(lock.mode()));
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
