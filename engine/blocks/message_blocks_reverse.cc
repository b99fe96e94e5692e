// MessageBlocks: walking backwards, and an upper bound for the payload of a range.
#include <algorithm>

#include "engine/blocks/message_blocks.h"

namespace millrace {

MessageBlocks::ReverseCursor::ReverseCursor(const MessageBlocks& messages, Offset from)
    : messages_(&messages),
      place_(messages.full_.find([&](const Block& b) { return b.end() > from; })),
      is_done_(messages.empty() || from < messages.first()),
      end_(is_done_ ? Offset(1) : std::min(from, messages.last()) + 1),
      walked_(messages, messages.next()) {}

void MessageBlocks::ReverseCursor::step_back() {
  end_ = std::max(std::min(end_, messages_->block(place_).first()), messages_->first());
  is_done_ = place_ == messages_->full_.begin();
  if (is_done_) {
    end_ = Offset(1);
  } else {
    place_ = messages_->full_.before(place_);
  }
}

bool MessageBlocks::ReverseCursor::next(Message& message) {
  while (ahead_.empty()) {
    if (is_done_) return false;
    const Block& block = messages_->block(place_);
    const Offset stop = std::min(end_, block.end());
    walked_ = Cursor(*messages_, std::max(block.first(), messages_->first()));
    Message found;
    while (walked_.at() < stop && walked_.next(found) && found.offset < stop) ahead_.push_back(found);
    step_back();
  }
  message = ahead_.back();
  ahead_.pop_back();
  return true;
}

bool MessageBlocks::ReverseCursor::skip_block_without(const std::vector<TagFilter::Probe>& tags) {
  if (!ahead_.empty() || is_done_) return false;
  const TagFilter& filter = messages_->block(place_).tag_filter();
  if (std::ranges::any_of(tags, [&](TagFilter::Probe p) { return filter.may_hold(p); })) return false;
  step_back();
  return true;
}

uint64_t MessageBlocks::payload_at_most(Offset from, Offset to, uint64_t limit) const {
  uint64_t sum = 0;
  auto place = full_.find([&](const Block& b) { return b.end() > from; });
  for (; place != full_.end() && sum <= limit && full_[place].first() < to; place = full_.after(place)) {
    sum += full_[place].payload();
  }
  return place == full_.end() && newest_.first() < to ? sum + newest_.payload() : sum;
}

uint64_t MessageBlocks::payload_from(Offset from) const {
  if (from <= first()) return payload_;
  if (from >= next()) return 0;
  const auto place = full_.find([&](const Block& b) { return b.end() > from; });
  uint64_t before = full_.before_sums(place).payload;
  Message message;
  for (Cursor cursor(*this, std::max(block(place).first(), first())); cursor.next(message) && message.offset < from;) {
    before += message.tag.size() + message.entry.size();
  }
  return payload_ - before;
}

}  // namespace millrace
