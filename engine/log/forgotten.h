// What groups have forgotten at once: all the pending messages of a group, and the consumers that held them. To forget
// them costs nothing; to free their memory takes long if there are many, so the caller may do that in parts.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/log/consumers.h"
#include "engine/log/pending.h"

namespace millrace {

class Forgotten {
 public:
  // Fewer than these parts need not be added here.
  static constexpr size_t kMany = 1000;
  static size_t parts_of(const Pending& pending, const Consumers& consumers) {
    return pending.range_count() + consumers.count();
  }

  bool empty() const { return groups_.empty(); }
  void add(Pending&& pending, Consumers&& consumers) { groups_.push_back({std::move(pending), std::move(consumers)}); }

  // How much there is to free: how many ranges and consumers.
  size_t parts() const {
    size_t sum = 0;
    for (const Contents& each : groups_) sum += parts_of(each.pending, each.consumers);
    return sum;
  }
  // Frees a part; false once nothing is left.
  // REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some() {
    constexpr size_t kChunksAtOnce = 32;
    constexpr size_t kConsumersAtOnce = 500;
    if (groups_.empty()) return false;
    Contents& last = groups_.back();
    if (!last.pending.free_some(kChunksAtOnce) && !last.consumers.free_some(kConsumersAtOnce)) groups_.pop_back();
    return !groups_.empty();
  }

 private:
  struct Contents {
    Pending pending;
    Consumers consumers;
  };
  std::vector<Contents> groups_;
};

}  // namespace millrace
