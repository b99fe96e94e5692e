#include "module/host/reclaim.h"

#include <utility>

#include "module/abi/timer.h"

namespace millrace::module {

namespace {

EvictedBlocks waiting;

void free_slice(abi::Context);
constinit abi::Timer timer(free_slice);

void free_slice(abi::Context) {
  waiting.free_some(kBlocksPerSlice);
  if (!waiting.empty()) timer.set_at_latest(abi::now() + 1);
}

}  // namespace

void reclaim(EvictedBlocks blocks) {
  if (blocks.size() <= kBlocksPerSlice) return;  // freed here, by going out of scope
  waiting.add_all(std::move(blocks));
  timer.set_at_latest(abi::now() + 1);
}

bool may_reclaim_later() {
  return abi::on_main_thread() && !abi::own_context().is_loading() && !abi::memory_is_short();
}

void reclaim_all() { waiting.free_some(SIZE_MAX); }

uint64_t blocks_to_reclaim() { return waiting.size(); }

}  // namespace millrace::module
