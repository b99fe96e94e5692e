// The words of the lock's commands become requests of the engine, or the first error: one parser for each command. They
// do not depend on the host, so they are tested and fuzzed without one. They get the words after the key, if the
// command has one. The views in a request are borrowed from the words.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// LOCK.ACQUIRE key owner ttl-ms [SHARED | LIMIT n] [VALUE text] [WAIT ms [ALIVE ms]]
Result<Parsed<AcquireRequest>> parse_lock_acquire(Words words);

// LOCK.RELEASE key owner
Result<ByteView> parse_lock_release(Words words);

// LOCK.RENEW key owner ttl-ms [TOKEN n]
Result<RenewRequest> parse_lock_renew(Words words);

// LOCK.WATCH key [TOKEN n] [BLOCK ms]
Result<WatchRequest> parse_lock_watch(Words words);

// LOCK.INFO key [COUNT n]
Result<LockListRequest> parse_lock_info(Words words);
// LOCK.WAITS [COUNT n]
Result<LockListRequest> parse_lock_waits(Words words);

// LOCK.APPLY key changes
Result<ByteView> parse_lock_apply(Words words);

}  // namespace millrace::module
