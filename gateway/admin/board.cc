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

int64_t count_of(const Board& board, const std::string& type) {
  int64_t sum = 0;
  for (const auto& [its, count] : board.counts) {
    if (type.empty() || type == its) sum += count;
  }
  return sum;
}

std::string building_json(int64_t done, int64_t of) {
  if (done >= of) return "null";
  return "{\"done\":" + std::to_string(done) + ",\"of\":" + std::to_string(of) + '}';
}

bool is_among_greatest(const std::vector<RankedKey>& keys, int64_t rank, size_t most) {
  return rank > 0 && (keys.size() < most || keys.back().rank < rank);
}

void keep_greatest(std::vector<RankedKey>& keys, RankedKey key, size_t most) {
  if (!is_among_greatest(keys, key.rank, most)) return;
  const auto place = std::ranges::upper_bound(keys, key.rank, std::greater(), &RankedKey::rank);
  keys.insert(place, std::move(key));
  if (keys.size() > most) keys.pop_back();
}

}  // namespace millrace::gateway
