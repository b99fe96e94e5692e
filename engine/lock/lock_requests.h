// What can be asked of locks, as plain values. The views in a request are the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/lock/lock.h"

namespace millrace {

struct AcquireRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  LockMode mode = LockMode::exclusive();
  std::optional<uint64_t> block_ms;  // how long it waits; nothing: not at all

  // The request waits. The token it was granted, 0 if none yet. Not for the caller to set.
  bool has_waited = false;
  Token granted = Token(0);
};

struct RenewRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  Token token;  // the grant's token is to be this at least; 0: as it is
};

// A grant to a client that left before it was told.
struct LostGrant {
  std::string owner;
  Token token;
};

// How many holders, waiting requests or cycles an answer names.
struct LockListRequest {
  uint64_t count = 100;
};

}  // namespace millrace
