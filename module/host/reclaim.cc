#include "module/host/reclaim.h"

#include <utility>

#include "module/abi/timer.h"
#include "module/host/slice.h"

namespace millrace::module {

namespace {

EvictedBlocks waiting;

void free_slice(abi::Context);
constinit abi::Timer timer(free_slice);

void free_slice(abi::Context) {
  const Slice slice;
  do {
    waiting.free_some(1);  // a run of them
  } while (!waiting.empty() && !slice.is_over());
  if (!waiting.empty()) timer.set_at_latest(abi::now() + 1);
}

}  // namespace

void reclaim(EvictedBlocks blocks) {
  if (blocks.size() <= kBlocksAtOnce) return;  // freed here, by going out of scope
  waiting.add_all(std::move(blocks));
  timer.set_at_latest(abi::now() + 1);
}

bool may_reclaim_later() {
  return abi::on_main_thread() && !abi::own_context().is_loading() && !abi::memory_is_short();
}

void reclaim_all() { waiting.free_some(SIZE_MAX); }

uint64_t blocks_to_reclaim() { return waiting.size(); }

}  // namespace millrace::module
