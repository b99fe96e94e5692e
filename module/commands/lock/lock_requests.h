// The lock's commands as plain values: what a client asked for, checked as far as that
// goes without looking at the lock. One parser for each command; none knows the host.
//
// Parsers get the words behind the key, if the command has one. The views in a request are
// those words'.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/lock/lock.h"
#include "engine/lock/lock_codec.h"
#include "module/commands/argument_reader.h"

namespace millrace::module {

// LOCK.ACQUIRE key owner ttl-ms [SHARED | LIMIT n] [WAIT ms]
struct AcquireRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  LockMode mode = LockMode::exclusive();
  uint64_t wait_ms = 0;  // 0: does not wait
};
Result<AcquireRequest> parse_lock_acquire(Words words);

// LOCK.RELEASE key owner
Result<ByteView> parse_lock_release(Words words);

// LOCK.RENEW key owner ttl-ms [TOKEN n]
struct RenewRequest {
  ByteView owner;
  uint64_t ttl_ms = 0;
  Token token;  // the grant's token is to be this at least; 0: as it is
};
Result<RenewRequest> parse_lock_renew(Words words);

// How many holders, waiters or circles an answer names.
// LOCK.INFO key [COUNT n]
// LOCK.WAITS [COUNT n]
struct ListRequest {
  uint64_t count = 100;
};
Result<ListRequest> parse_lock_info(Words words);
Result<ListRequest> parse_lock_waits(Words words);

}  // namespace millrace::module
