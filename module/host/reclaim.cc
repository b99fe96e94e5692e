#include "module/host/reclaim.h"

#include <utility>
#include <vector>

#include "module/abi/timer.h"
#include "module/host/slice.h"

namespace millrace::module {

namespace {

// At once, where the clock is asked in between.
constexpr size_t kTagsAtOnce = 1000;

EvictedBlocks waiting;
std::vector<std::unique_ptr<Compaction>> waiting_compactions;

void free_slice(abi::Context);
constinit abi::Timer timer(free_slice);

bool is_anything_left() { return !waiting.empty() || !waiting_compactions.empty(); }

void free_slice(abi::Context) {
  const Slice slice;
  do {
    waiting.free_some(1);  // a run of them
    if (!waiting_compactions.empty() && !waiting_compactions.back()->free_some(kTagsAtOnce)) {
      waiting_compactions.pop_back();
    }
  } while (is_anything_left() && !slice.is_over());
  if (is_anything_left()) timer.set_at_latest(abi::now() + 1);
}

}  // namespace

void reclaim(EvictedBlocks blocks) {
  if (blocks.size() <= kBlocksAtOnce) return;  // freed here, by going out of scope
  waiting.add_all(std::move(blocks));
  timer.set_at_latest(abi::now() + 1);
}

void reclaim(std::unique_ptr<Compaction> unused) {
  if (unused == nullptr || !unused->free_some(kTagsAtOnce)) return;
  waiting_compactions.push_back(std::move(unused));
  timer.set_at_latest(abi::now() + 1);
}

bool may_reclaim_later() {
  return abi::on_main_thread() && !abi::own_context().is_loading() && !abi::memory_is_short();
}

void reclaim_all() {
  waiting.free_some(SIZE_MAX);
  waiting_compactions.clear();
}

uint64_t blocks_to_reclaim() { return waiting.size(); }

uint64_t tag_indexes_to_reclaim() { return waiting_compactions.size(); }

}  // namespace millrace::module
