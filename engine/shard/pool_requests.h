// The requests that a worker pool takes, as plain values. The views in a request must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/parts.h"
#include "engine/base/strong.h"
#include "engine/shard/pool.h"

namespace millrace {

struct LeaveRequest {
  ByteView worker;
  bool lets_go = false;  // also of recipients with payloads in flight
};

// A message for a recipient's worker. Payloads are queued. Without payloads, only the count is kept: the message itself
// is sent by other means.
struct RouteRequest {
  ByteView recipient;
  std::span<const ByteView> payloads;
  std::optional<uint64_t> block_ms = {};
  std::optional<ByteView> id = {};  // id of this push: a repeated push is queued once

  // The list of payloads while the request waits: the caller's list lives only as long as its call. Not for the caller
  // to set.
  std::vector<ByteView> held = {};

  void hold_payloads() {
    if (payloads.data() == held.data()) return;
    held.assign(payloads.begin(), payloads.end());
    payloads = held;
  }
};

struct DoneRequest {
  ByteView worker;
  ByteView recipient;
  uint64_t count = 1;
};

struct RecipientsRequest {
  ByteView worker;
  uint64_t count = 100;
  uint64_t cursor = 0;
};

struct PullRequest {
  ByteView worker;
  uint64_t count = 1;
  std::optional<uint64_t> block_ms = {};
  bool with_attempts = false;

  // The request found nothing and waits. If it finds nothing again, the pool is not changed. Not for the caller to set.
  bool is_waiting = false;
};

struct PoolAckRequest {
  ByteView worker;
  ByteView recipient;
  Offset sequence;  // the last one that is acknowledged
};

// A payload that the worker cannot handle: it is delivered again, or given up.
struct PoolNackRequest {
  ByteView worker;
  ByteView recipient;
  Offset sequence;
  uint64_t delay_ms = 0;              // before it is delivered again
  std::optional<ByteView> dead = {};  // the reason to give it up
};

struct PoolSetRequest {
  std::optional<uint64_t> stale_ms;
  std::optional<AssignmentPolicy> policy;
  std::optional<uint64_t> max_attempts = {};
  std::optional<ByteView> dead_log = {};  // empty: none
  std::optional<uint64_t> forget_ms = {};
  std::optional<uint64_t> recipient_max = {};

  // The settings after this request is applied to `old`.
  PoolSettings applied_to(const PoolSettings& old) const {
    return {.stale_ms = stale_ms.value_or(old.stale_ms),
            .policy = policy.value_or(old.policy),
            .max_attempts = max_attempts.value_or(old.max_attempts),
            .dead_log = std::string(dead_log.value_or(old.dead_log)),
            .forget_ms = forget_ms.value_or(old.forget_ms),
            .recipient_max = recipient_max.value_or(old.recipient_max)};
  }
};

// Which workers of a pool are shown. If all fit into one answer, they come in the order in which they joined, else page
// by page.
struct PoolInfoRequest {
  uint64_t count = 1000;
  uint64_t cursor = 0;
};

// Which recipients of a pool are checked. Without a cursor: all of them, and whether all counts add up.
struct PoolCheckRequest {
  std::optional<uint64_t> cursor;
  uint64_t count = 1000;
};

// An effect of another engine, for apply().
struct PoolEffect {
  enum class Kind { Clock, Seen, Settle, Forget, Letters, Part };
  Kind kind = Kind::Clock;
  PoolTime clock;      // of Clock
  ByteView bytes;      // of Seen and Forget
  uint64_t count = 0;  // of Letters
  Part part;           // of Part
};

}  // namespace millrace
