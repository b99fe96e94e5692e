#include "engine/log/delivery_size.h"

#include <algorithm>
#include <bit>

namespace millrace {

namespace {

// Counts messages as long as they fit.
class Measure {
 public:
  explicit Measure(uint64_t bytes) : left_(bytes) {}

  // False if this message does not fit any more.
  bool add(const Message& message) {
    const uint64_t size = message.tag.size() + message.entry.size();
    if (count_ != 0 && size > left_) return false;
    left_ -= std::min(size, left_);
    ++count_;
    return true;
  }
  uint64_t count() const { return count_; }
  uint64_t left() const { return left_; }

 private:
  uint64_t left_;
  uint64_t count_ = 0;
};

}  // namespace

uint64_t messages_within(const Log& log, const Delivery& delivery, uint64_t bytes) {
  const uint64_t all = delivery.count();
  if (all <= 1 || log.payload() <= bytes) return all;
  Measure measure(bytes);
  Message message;
  for (const OffsetBits& part : delivery.again) {
    for (uint64_t left = part.bits; left != 0; left &= left - 1) {
      Log::Cursor(log, part.first + static_cast<uint64_t>(std::countr_zero(left))).next(message);
      if (!measure.add(message)) return measure.count();
    }
  }
  if (delivery.fresh_count == 0) return all;
  // In a log with gaps, the fresh messages end at a later offset than this, so they are measured one by one below.
  const Offset end = delivery.fresh_first + delivery.fresh_count;
  if (log.missing() == 0 &&
      log.messages().payload_at_most(delivery.fresh_first, end, measure.left()) <= measure.left()) {
    return all;
  }
  Log::Cursor cursor(log, delivery.fresh_first);
  for (uint64_t i = 0; i < delivery.fresh_count && cursor.next(message); ++i) {
    if (!measure.add(message)) return measure.count();
  }
  return all;
}

uint64_t admit(const Log& log, const OffsetBits& messages, uint64_t& bytes) {
  uint64_t bits = 0;
  for (uint64_t left = messages.bits; left != 0 && bytes != 0; left &= left - 1) {
    Message message;
    Log::Cursor(log, messages.first + static_cast<uint64_t>(std::countr_zero(left))).next(message);
    bytes -= std::min<uint64_t>(bytes, message.tag.size() + message.entry.size());
    bits |= left & -left;
  }
  return bits;
}

}  // namespace millrace
