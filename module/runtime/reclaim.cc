#include "module/runtime/reclaim.h"

#include <utility>
#include <vector>

#include "module/abi/timer.h"
#include "module/runtime/slice.h"

namespace millrace::module {

namespace {

EvictedBlocks waiting;
std::vector<std::unique_ptr<Reclaimable>> waiting_others;

void free_slice(abi::Context);
constinit abi::Timer timer(free_slice);

bool is_anything_left() { return !waiting.empty() || !waiting_others.empty(); }

void free_slice(abi::Context) {
  const Slice slice;
  do {
    waiting.free_some(1);  // a run of them
    if (!waiting_others.empty() && !waiting_others.back()->free_some()) {
      waiting_others.pop_back();
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

void reclaim(std::unique_ptr<Reclaimable> unused) {
  if (!unused->free_some()) return;
  waiting_others.push_back(std::move(unused));
  timer.set_at_latest(abi::now() + 1);
}

bool may_reclaim_later() {
  return abi::on_main_thread() && !abi::own_context().is_loading() && !abi::memory_is_short();
}

void reclaim_all() {
  waiting.free_some(SIZE_MAX);
  waiting_others.clear();
}

uint64_t blocks_to_reclaim() { return waiting.size(); }

uint64_t others_to_reclaim() { return waiting_others.size(); }

}  // namespace millrace::module
