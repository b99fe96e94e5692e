#include "engine/shard/queue.h"

#include <algorithm>

namespace millrace {

uint32_t Queue::failures(Offset sequence) const {
  if (!trouble) return 0;
  uint32_t times = 0;
  for (const ComeBack& one : trouble->came_back) {
    if (one.end > sequence) times += one.times;
  }
  return times;
}

void Queue::take_back() {
  if (!trouble) trouble = std::make_unique<QueueTrouble>();
  auto& all = trouble->came_back;
  const auto place = std::ranges::lower_bound(all, undelivered, {}, &ComeBack::end);
  if (place != all.end() && place->end == undelivered) {
    if (place->times < UINT32_MAX) ++place->times;
  } else {
    all.insert(place, {undelivered, 1});
  }
  undelivered = messages.first();
}

void Queue::forget_failures() {
  if (!trouble) return;
  std::erase_if(trouble->came_back, [&](const ComeBack& one) { return one.end <= messages.first(); });
  if (trouble->came_back.empty() && !is_delayed()) trouble.reset();
}

void Queue::delay_until(PoolTime date) {
  if (!trouble) trouble = std::make_unique<QueueTrouble>();
  trouble->delayed_until = date;
  forget_failures();
}

uint64_t Queue::memory() const {
  uint64_t bytes = sizeof(Queue) - sizeof(MessageBlocks) + messages.memory();
  if (trouble) bytes += sizeof(QueueTrouble) + trouble->came_back.capacity() * sizeof(ComeBack);
  return bytes;
}

}  // namespace millrace
