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

// However many logs are being compacted, the server belongs to its clients in between.
constexpr auto kRest = std::chrono::microseconds(800);

// The time this thread has worked, whoever else had the processor meanwhile.
uint64_t worked_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_nsec) / 1'000;
}

// A slice of time, unless another log has only just had its turn: then none.
class CompactionBudget final : public Budget {
 public:
  explicit CompactionBudget(const Log& log)
      : compacts_(log.wants_compaction() && std::chrono::steady_clock::now() - last_end_ >= kRest),
        worked_before_(compacts_ ? worked_us() : 0) {}
  ~CompactionBudget() {
    if (!compacts_) return;
    last_end_ = std::chrono::steady_clock::now();
    log_upkeep.compaction_slice_max_us = std::max(log_upkeep.compaction_slice_max_us, worked_us() - worked_before_);
    ++log_upkeep.compaction_slices;
  }
  CompactionBudget(const CompactionBudget&) = delete;
  CompactionBudget& operator=(const CompactionBudget&) = delete;

  bool is_spent() const override { return !compacts_ || slice_.is_over(); }

 private:
  static inline std::chrono::steady_clock::time_point last_end_;

  bool compacts_;
  uint64_t worked_before_;
  Slice slice_;
};

}  // namespace

LogOperations& log_operations() {
  static LogOperations operations(hosted_logs(), log_limits(), block_packer(), hash_key(),
                                  [](HashKey& bytes) { abi::fill_with_randomness(bytes); });
  return operations;
}

void ObjectTraits<Log>::free_and_pack(KeyPlace<Log>& place) {
  Log& log = *place.get();
  if (log.has_evicted()) reclaim(log.take_evicted());
  if (log.has_unused_compaction()) reclaim_tags(log.take_unused_compaction());
  place.key().notes().packing.keep(place.context().database(), place.name(), log);
}

Wake ObjectTraits<Log>::wake_all(const Log* log) {
  return {.mark = log == nullptr ? 0 : log->next().value(), .lines = Wake::Lines::All, .line = {}};
}

Consequences ObjectTraits<Log>::look_after(KeyPlace<Log>& place, const Call& call) {
  return log_operations().look_after(place, call, CompactionBudget(*place.get()));
}

}  // namespace millrace::module
