// The requests that locks take, as plain values. The views in a request are borrowed from the caller.
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
  std::optional<ByteView> value;     // the VALUE that the owner stores with its hold; nullopt: unchanged
  std::optional<uint64_t> block_ms;  // how long it waits; nullopt: it does not wait
  // A client that waited must confirm a grant within this time. The caller enforces that; see LostGrant.
  std::optional<uint64_t> alive_ms;

  // has_waited: the request waits. granted: the token of its grant, 0 if none yet. Not for the caller to set.
  bool has_waited = false;
  Token granted = Token(0);
};

struct RenewRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  Token token;  // the grant's token becomes at least this; 0: unchanged
};

// Asks for the holder of the lock. Waits until there is a holder with a greater token.
struct WatchRequest {
  Token token;                       // the greatest token that the client knows; 0: none
  std::optional<uint64_t> block_ms;  // how long it waits, 0 for ever; nullopt: it does not wait
};

// A grant to a client that disconnected before it got the answer, or did not confirm it in time.
struct LostGrant {
  std::string owner;
  Token token;
};

// How many holders, waiting requests or cycles an answer names.
struct LockListRequest {
  uint64_t count = 100;
};

}  // namespace millrace
