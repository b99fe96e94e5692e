#include "gateway/admin/board.h"

#include <algorithm>
#include <chrono>

namespace millrace::gateway {
namespace {

template <class Clock>
int64_t milliseconds_of() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

int64_t steady_ms() { return milliseconds_of<std::chrono::steady_clock>(); }
int64_t unix_ms() { return milliseconds_of<std::chrono::system_clock>(); }

void keep_greatest(std::vector<RankedKey>& keys, RankedKey key, size_t most) {
  if (key.rank <= 0 || (keys.size() == most && keys.back().rank >= key.rank)) return;
  const auto place = std::ranges::upper_bound(keys, key.rank, std::greater(), &RankedKey::rank);
  keys.insert(place, std::move(key));
  if (keys.size() > most) keys.pop_back();
}

}  // namespace millrace::gateway
