#include "module/log/log_object.h"

#include <ctime>

#include "module/log/hosted_logs.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/log/upkeep_counters.h"
#include "module/runtime/hash_key.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/settings.h"
#include "module/runtime/slice.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

// The pause between two slices, in which clients are served. It does not depend on how many logs are being compacted or
// have messages to delete.
constexpr auto kRest = std::chrono::microseconds(800);

// The processor time of this thread. It does not include time in which other threads or processes ran.
uint64_t worked_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_nsec) / 1'000;
}

// Allows one slice of work, or none if the slice of another log has ended just now.
class UpkeepBudget final : public Budget {
 public:
  explicit UpkeepBudget(const Log& log)
      : works_(LogOperations::has_long_work(log) && std::chrono::steady_clock::now() - last_end_ >= kRest),
        compacts_(works_ && log.wants_compaction()),
        worked_before_(compacts_ ? worked_us() : 0) {}
  ~UpkeepBudget() {
    // A log that did no long work, for example one with a short schedule, does not make others wait.
    if (works_ && was_asked_) last_end_ = std::chrono::steady_clock::now();
    if (!compacts_) return;
    log_upkeep.compaction_slice_max_us = std::max(log_upkeep.compaction_slice_max_us, worked_us() - worked_before_);
    ++log_upkeep.compaction_slices;
  }
  UpkeepBudget(const UpkeepBudget&) = delete;
  UpkeepBudget& operator=(const UpkeepBudget&) = delete;

  bool is_spent() const override {
    was_asked_ = true;
    return !works_ || slice_.is_over();
  }

 private:
  static inline std::chrono::steady_clock::time_point last_end_;

  bool works_;
  bool compacts_;
  mutable bool was_asked_ = false;
  uint64_t worked_before_;
  Slice slice_;
};

}  // namespace

LogOperations& detail::make_log_operations() {
  static LogOperations operations(hosted_logs(), log_limits(), block_packer(), hash_key(),
                                  [](HashKey& bytes) { abi::fill_with_randomness(bytes); });
  log_operations = &operations;
  return operations;
}

void ObjectTraits<Log>::free_and_pack(KeyPlace<Log>& place) {
  Log& log = *place.get();
  if (log.has_evicted()) reclaim(log.take_evicted());
  if (log.has_forgotten()) {
    Forgotten forgotten = log.take_forgotten();
    reclaim_parts(forgotten);
  }
  if (log.has_unused_compaction()) reclaim_tags(log.take_unused_compaction());
  place.key().notes().packing.keep(place.context().database(), place.name(), log);
}

Wake ObjectTraits<Log>::wake_all(const Log* log) {
  return {.mark = log == nullptr ? 0 : log->next().value(), .lines = Wake::Lines::All, .line = {}};
}

Consequences ObjectTraits<Log>::look_after(KeyPlace<Log>& place, const Call& call) {
  return log_operations().look_after(place, call, UpkeepBudget(*place.get()));
}

}  // namespace millrace::module
