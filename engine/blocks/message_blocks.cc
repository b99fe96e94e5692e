#include "engine/blocks/message_blocks.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr size_t kBlocksBeforeWholeOnes = 4;

}  // namespace

MessageBlocks::MessageBlocks(Offset first) : newest_(first) { front_.offset = first; }

MessageBlocks MessageBlocks::clone() const {
  MessageBlocks copy;
  copy.full_ = full_.clone();
  copy.newest_ = newest_.clone();
  for (TagPosition position : tags_.positions()) copy.tags_.add(copy.newest_.bytes().data(), position);
  copy.front_ = front_;
  copy.clock_ = clock_;
  copy.payload_ = payload_;
  return copy;
}

Offset MessageBlocks::append(ByteView tag, ByteView entry, BlockLimits limits) {
  const Offset offset = next();
  const bool was_empty = empty();
  if (!newest_.append(tags_, tag, entry, clock_, limits)) {
    seal_newest();
    // After several full blocks the next one will probably be filled too, so it gets its full size at once.
    if (full_.size() >= kBlocksBeforeWholeOnes) newest_.reserve(limits);
    newest_.append(tags_, tag, entry, clock_, limits);
  }
  if (was_empty) front_ = newest_.begin();
  payload_ += tag.size() + entry.size();
  return offset;
}

void MessageBlocks::append_all(std::span<const ByteView> pairs, BlockLimits limits, bool are_records) {
  while (!pairs.empty()) {
    append(pairs[0], pairs[1], limits);
    const uint64_t before = newest_.payload();
    size_t alike = are_records ? newest_.append_records(tags_.recent(), pairs, limits) : 0;
    if (alike == 0) alike = newest_.append_alike(tags_.recent(), pairs, limits);
    payload_ += newest_.payload() - before;
    pairs = pairs.subspan(2 + 2 * alike);
  }
}

void MessageBlocks::seal_newest() {
  const Offset next_first = newest_.end();
  newest_.seal(tags_);
  full_.push_back(std::move(newest_));
  start_newest(next_first);
}

void MessageBlocks::start_newest(Offset first) {
  newest_ = Block(first);
  tags_.clear();
}

MessageBlocks::Evicted MessageBlocks::evict_before(Offset new_first) {
  Evicted evicted;
  new_first = std::min(new_first, next());
  if (new_first <= first()) return evicted;
  if (oldest().end() <= new_first) drop_blocks_before(new_first, evicted);
  if (!oldest().empty()) walk_front_to(new_first, evicted);
  return evicted;
}

// Moves blocks without remaining messages to `evicted`.
void MessageBlocks::drop_blocks_before(Offset new_first, Evicted& evicted) {
  const BlockTotals taken = full_.take_before(new_first, evicted_);
  payload_ -= taken.payload;
  // Some messages of the first block may have been evicted before.
  evicted.count += taken.messages - front_.index;
  if (full_.empty() && !newest_.empty() && newest_.end() <= new_first) {
    payload_ -= newest_.payload();
    evicted.count += newest_.count();
    const Offset next_first = newest_.end();
    evicted_.add(std::move(newest_));
    start_newest(next_first);
  }
  front_ = oldest().begin();
  evicted.end = evicted_.last_end();
}

void MessageBlocks::walk_front_to(Offset new_first, Evicted& evicted) {
  if (front_.offset >= new_first) return;
  // The block is unpacked for good: evicting message by message would otherwise unpack it again
  // and again.
  if (oldest().is_packed()) full_.change(full_.begin(), [](Block& block) { block.unpack_in_place(); });
  const Records records(oldest());
  const uint32_t before = front_.index;
  uint64_t gone = 0;
  Record record;
  while (front_.offset < new_first) {
    records.read(front_, record);
    gone += record.tag.size() + record.entry.size();
    evicted.end = front_.offset + 1;
    records.advance(front_);
  }
  payload_ -= gone;
  if (full_.empty()) {
    newest_.forget_payload(gone);
  } else {
    full_.change(full_.begin(), [&](Block& block) { block.forget_payload(gone); });
  }
  evicted.count += front_.index - before;
}

EvictedBlocks MessageBlocks::take_all_blocks() {
  full_.take_before(next(), evicted_);
  return take_evicted();
}

Offset MessageBlocks::seek(UnixMs time) const {
  if (empty() || first_time() >= time) return first();
  const auto place = full_.find([&](const Block& b) { return b.last_time() >= time; });
  const Block& found = block(place);
  if (found.empty() || found.last_time() < time) return next();
  BlockPosition at = &found == &oldest() ? front_ : found.begin();
  if (at.time >= time) return at.offset;
  const Records records(found);
  while (at.time < time) records.advance(at);
  return at.offset;
}

Offset MessageBlocks::first_of_newest(uint64_t count) const {
  const uint64_t present = this->count();
  if (count >= present) return first();
  if (present == next() - first()) return next() - count;  // there are no gaps
  uint64_t amount = present - count + front_.index + 1;
  const Block& found = block(full_.find_sum(&BlockTotals::messages, amount));
  if (amount > found.count()) return next();
  const Records records(found);
  BlockPosition at = found.begin();
  while (at.index + 1 < amount) records.advance(at);
  return at.offset;
}

Offset MessageBlocks::first_within_bytes(uint64_t limit) const {
  uint64_t excess = payload_ - limit;
  const Block& last_to_go = block(full_.find_sum(&BlockTotals::payload, excess));
  Cursor cursor(*this, std::max(first(), last_to_go.first()));
  Message message{};
  for (uint64_t gone = 0; gone < excess; gone += message.tag.size() + message.entry.size()) cursor.next(message);
  return message.offset + 1;
}

MessageBlocks::Cursor::Cursor(const MessageBlocks& messages, Offset from) : messages_(&messages) {
  from = std::clamp(from, messages.first(), messages.next());
  // Most readers are near the end: they need no search.
  const bool is_in_newest = from >= messages.newest_.first();
  enter(is_in_newest ? messages.full_.end() : messages.full_.find([&](const Block& b) { return b.end() > from; }));
  if (from <= block_->first()) return;
  open();
  if (from == messages.next()) {
    at_ = end_;
    offset_ = from;
    return;
  }
  const BlockPosition position = block_->near(from);
  at_ += position.byte;
  offset_ = position.offset;
  time_ = position.time;
  // The gap and the delta in a record are relative to the message before it. So offset_ and time_ must be the values
  // after that message, which these lines compute.
  uint64_t delta;
  const char* record = at_;
  offset_ = offset_ - records_.gap_at(record);
  const char* next = skip_record(record, delta);
  time_ = time_ - delta;
  for (uint64_t gap = position.offset - offset_; offset_ + gap < from;) {
    time_ = time_ + delta;
    offset_ = offset_ + gap + 1;
    at_ = record = next;
    gap = records_.gap_at(record);
    next = skip_record(record, delta);
  }
}

void MessageBlocks::Cursor::enter(BlockList::Place place) {
  place_ = place;
  block_ = &messages_->block(place);
  is_open_ = false;
  at_ = end_ = nullptr;
  offset_ = block_->first();
  time_ = block_->first_time();
}

void MessageBlocks::Cursor::open() {
  records_ = Records(*block_);
  is_open_ = true;
  at_ = records_.begin();
  end_ = records_.end();
}

bool MessageBlocks::Cursor::reach_message() {
  if (is_open_) {
    if (is_in_newest()) return false;
    enter(messages_->full_.after(place_));
  }
  open();
  return at_ != end_;
}

bool MessageBlocks::Cursor::next(Message& message) {
  if (at_ == end_ && !reach_message()) return false;
  offset_ = offset_ + records_.gap_at(at_);
  Record record;
  at_ = read_record(records_.begin(), at_, record);
  time_ = time_ + record.time_delta;
  message = {offset_, record.tag, record.entry, time_};
  ++offset_;
  return true;
}

bool MessageBlocks::Cursor::skip_block_without(const std::vector<TagFilter::Probe>& tags) {
  if (is_in_newest()) return false;
  if (is_open_ && at_ == end_) enter(messages_->full_.after(place_));
  if (is_in_newest() || offset_ != block_->first()) return false;
  if (std::ranges::any_of(tags, [&](TagFilter::Probe p) { return block_->tag_filter().may_hold(p); })) return false;
  enter(messages_->full_.after(place_));
  return true;
}

std::optional<UnixMs> MessageBlocks::oldest_unpacked() const {
  if (!has_unpacked()) return std::nullopt;
  uint64_t one = 1;
  return full_[full_.find_sum(&BlockTotals::untried, one)].last_time();
}

uint64_t MessageBlocks::pack_next(BlockPacker& packer, int level) {
  uint64_t one = 1;
  const auto place = full_.find_sum(&BlockTotals::untried, one);
  // A block that is partly evicted will soon be evicted as a whole.
  const bool is_going = full_[place].first() < first();
  full_.change(place, [&](Block& block) { is_going ? block.leave_unpacked() : block.pack(packer, level); });
  return full_[place].saved();
}

Result<void> MessageBlocks::append_block(BlockHeader header, Buffer bytes, BlockPacker* packer, Gaps gaps) {
  if (gaps == Gaps::Refused && header.missing != 0) return fail(ErrorCode::Corrupt, "a block with gaps");
  if (!is_new() && (gaps == Gaps::Refused ? header.first != next() : header.first < next())) {
    return fail(ErrorCode::Corrupt, "a block that does not follow on");
  }
  if (header.first_time < last_time()) return fail(ErrorCode::Corrupt, "a block that is older than the one before it");
  TagIndex tags;
  auto block = Block::from_bytes(header, std::move(bytes), tags, packer);
  if (!block) return std::unexpected(block.error());

  const bool was_empty = empty();
  if (!newest_.empty()) seal_newest();
  if (was_empty) front_ = block->begin();
  payload_ += block->payload();
  tick(block->last_time());
  if (block->is_packed()) {
    const Offset next_first = block->end();
    full_.push_back(std::move(*block));
    start_newest(next_first);
  } else {
    newest_ = std::move(*block);
    tags_ = std::move(tags);
    // append() writes no gaps: it needs a block of its own.
    if (newest_.has_gaps()) seal_newest();
  }
  return {};
}

Result<void> MessageBlocks::restore_head(const MessagesHead& head, Gaps gaps) {
  Message message{};
  const bool agrees = is_new() ? head.first == head.next
                               : (head.next == next() || (gaps == Gaps::Allowed && head.next > next())) &&
                                     head.first >= first() && head.first < oldest().end() &&
                                     Cursor(*this, head.first).next(message) && message.offset == head.first;
  if (!agrees) return fail(ErrorCode::Corrupt, "a log head that does not belong to its blocks");
  if (head.clock < clock_) return fail(ErrorCode::Corrupt, "a log head that is older than its last message");
  if (is_new()) {
    newest_ = Block(head.next);
    front_.offset = head.next;
  } else {
    evict_before(head.first);
    if (head.next > next()) {
      if (!newest_.empty()) seal_newest();
      start_newest(head.next);
    }
  }
  clock_ = head.clock;
  return {};
}

// Checks each block, and the list of blocks.
const char* MessageBlocks::check_blocks() const {
  Offset expected = oldest().first();
  UnixMs latest;
  uint64_t payload = 0;
  const char* broken = nullptr;
  each_block([&](const Block& b) {
    if (broken == nullptr) broken = b.check();
    if (b.first() < expected) broken = "blocks overlap";
    if (b.first_time() < latest) broken = "dates run backwards";
    expected = b.end();
    latest = b.last_time();
    payload += b.payload();
  });
  if (broken != nullptr) return broken;
  if (newest_.empty() ? expected > next() : expected != next()) return "the last block does not end at next";
  if (newest_.has_gaps()) return "the newest block has gaps";
  if (newest_.is_packed()) return "the newest block is packed";
  if (latest > clock_) return "the clock is behind the last message";
  if (payload != payload_) return "payload is not the sum of the blocks";
  for (auto place = full_.begin(); place != full_.end(); place = full_.after(place)) {
    if (full_[place].empty()) return "an empty block among the full ones";
    if (full_[place].first() < first() && full_[place].is_packed()) return "a block that is partly evicted is packed";
  }
  return full_.check();
}

const char* MessageBlocks::check() const {
  if (const char* broken = check_blocks()) return broken;
  if (first() < oldest().first() || first() > next()) return "first is not in the oldest block";
  if (!empty() && first() >= oldest().end()) return "a block without live messages is kept";
  if (empty() && block_count() != 0) return "an empty log keeps a block";
  uint64_t live = 0;
  Message message{};
  for (Cursor cursor(*this, first()); cursor.next(message);) {
    if (live == 0 && message.offset != first()) return "there is no message at first";
    if (live++ == 0 && message.written != first_time()) return "the first message's date is not first_time";
  }
  if (live != 0 && message.offset + 1 != end_of_messages()) return "the last message is not where messages end";
  if (live != count()) return "a walk does not meet every message";
  return nullptr;
}

}  // namespace millrace
