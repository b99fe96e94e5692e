// What every command of a pool begins and ends with: the pool is brought up to the present,
// and what follows from a change is done.
#pragma once

#include "engine/shard/pool.h"
#include "module/abi/context.h"
#include "module/host/shard_type.h"

namespace millrace::module {

// Moves the pool's time to the present. That is an effect, at most one a millisecond; what
// follows from it, and the commands themselves, are repeated as they came.
void move_time(abi::Context context, abi::StringRef name, Pool& pool);

// What time it is for the pool, for whoever only looks.
PoolTime present(const Pool& pool);

// A worker that has joined, for a command of its own.
struct OpenedWorker {
  PoolKey key;
  Pool* pool;
  WorkerId id;
  // It may take over what nobody living could.
  bool was_stale;

  // Failure: WrongType, or NoWorker.
  static Result<OpenedWorker> open(abi::Context context, abi::StringRef name, ByteView worker);
  // Brings the pool up to the present. That is a change: nothing may be refused any more.
  void begin(abi::Context context, abi::StringRef name);
};

// To be called at the end of a command that has changed the pool. Counts what it moved,
// frees what it gave back, and keeps the pool's dates: `look_at_all` if more may have
// changed than what one worker owes.
class PoolChange {
 public:
  PoolChange(abi::Context context, abi::StringRef name, Pool& pool)
      : context_(context), name_(name), pool_(pool), before_(pool.counters()) {}

  // True if recipients have changed their worker.
  bool moved() const { return pool_.counters().moved != before_.moved; }

  void settle(bool look_at_all);
  // One worker has something more to do, or has shown itself.
  void settle_for(WorkerId worker);
  void settle_for(const OpenedWorker& worker) { worker.was_stale ? settle(true) : settle_for(worker.id); }

 private:
  void account();

  abi::Context context_;
  abi::StringRef name_;
  Pool& pool_;
  PoolCounters before_;
};

// Has the agenda show, as long as they wait, that those who wait are there.
void keep_there(abi::Context context, abi::StringRef name, Pool& pool);

// Fails over and goes on with moves: the agenda's part.
std::optional<UnixMs> look_after_pool(abi::Context context, abi::StringRef name, UnixMs now);

Error no_worker();

}  // namespace millrace::module
