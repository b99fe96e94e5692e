#include "module/commands/log/compaction_slices.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/log/log_codec.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/engine_resources.h"
#include "module/host/log_type.h"
#include "module/host/settings.h"
#include "module/host/slice.h"

namespace millrace::module {

namespace {

using Clock = std::chrono::steady_clock;

// A step looks at one block at least; the clock is asked after each.
constexpr uint64_t kMessagesPerStep = 128;
// However many logs are being compacted, the server belongs to its clients in between.
constexpr auto kRest = std::chrono::microseconds(800);
constexpr uint64_t kSoonMs = 1;
constexpr uint64_t kLaterMs = 20;

Clock::time_point last_end;

// The time this thread has worked, whoever else had the processor meanwhile.
uint64_t worked_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_nsec) / 1'000;
}

}  // namespace

UnixMs next_compaction(const Log& log, UnixMs now) { return now + (log.compaction_is_urgent() ? kSoonMs : kLaterMs); }

void compact_slice(abi::Context context, abi::StringRef name, Log& log) {
  if (Clock::now() - last_end < kRest) return;
  const Slice slice;
  const uint64_t worked_before = worked_us();
  bool any = false;
  do {
    const Removal removal = log.compact(tag_hash_key(), kMessagesPerStep, block_limits());
    if (removal.empty()) continue;
    any = true;
    counters.log.compacted += removal.count();
    context.replicate(kApply, name, kApplyCompacted, abi::StringRef(abi::OwnedString(encode_effect(removal))));
    // What was pending may have been all that a group was waiting for.
    settle_groups(log);
  } while (log.wants_compaction() && !slice.is_over());
  const uint64_t worked = worked_us() - worked_before;
  last_end = Clock::now();
  counters.log.compaction_slice_max_us = std::max(counters.log.compaction_slice_max_us, worked);
  ++counters.log.compaction_slices;
  if (!any) return;
  context.changed(name, "tcompact");
  // What was written anew is not packed.
  keep_packed(context, name, log);
}

}  // namespace millrace::module
