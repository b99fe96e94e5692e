#include "module/host/reclaim.h"

#include <iterator>

#include "module/abi/timer.h"

namespace millrace::module {

namespace {

constexpr size_t kBlocksPerSlice = 1000;

std::vector<Block> waiting;

void free_slice(abi::Context);
constinit abi::Timer timer(free_slice);

void free_slice(abi::Context) {
  const size_t kept = waiting.size() > kBlocksPerSlice ? waiting.size() - kBlocksPerSlice : 0;
  waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(kept), waiting.end());
  if (kept == 0) {
    waiting = std::vector<Block>();  // gives the list itself back too
  } else {
    timer.set_at_latest(abi::now() + 1);
  }
}

}  // namespace

void reclaim(std::vector<Block> blocks) {
  if (blocks.size() <= kBlocksPerSlice) return;  // freed here, by going out of scope
  if (waiting.empty()) {
    waiting = std::move(blocks);
  } else {
    std::move(blocks.begin(), blocks.end(), std::back_inserter(waiting));
  }
  timer.set_at_latest(abi::now() + 1);
}

uint64_t blocks_to_reclaim() { return waiting.size(); }

}  // namespace millrace::module
