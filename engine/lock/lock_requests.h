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
  std::optional<ByteView> value;     // what the owner puts down about itself; nothing: as it is
  std::optional<uint64_t> block_ms;  // how long it waits; nothing: not at all
  // A grant to a client that waited must be taken up within this time. The caller sees to that; see LostGrant.
  std::optional<uint64_t> alive_ms;

  // The request waits. The token it was granted, 0 if none yet. Not for the caller to set.
  bool has_waited = false;
  Token granted = Token(0);
};

struct RenewRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  Token token;  // the grant's token is to be this at least; 0: as it is
};

// Who holds the lock? Waits until that is a holder with a greater token.
struct WatchRequest {
  Token token;                       // the greatest that the client knows of; 0: none
  std::optional<uint64_t> block_ms;  // how long it waits, 0 for ever; nothing: not at all
};

// A grant to a client that left before it was told, or that did not take it up in time.
struct LostGrant {
  std::string owner;
  Token token;
};

// How many holders, waiting requests or cycles an answer names.
struct LockListRequest {
  uint64_t count = 100;
};

}  // namespace millrace
