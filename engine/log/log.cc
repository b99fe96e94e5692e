#include "engine/log/log.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr size_t kBlocksBeforeWholeOnes = 4;

}  // namespace

Log::Log(Offset first) : newest_(first), evicted_end_(first) { front_.offset = first; }

Log Log::clone() const {
  Log copy;
  copy.full_ = full_.clone();
  copy.newest_ = newest_.clone();
  copy.front_ = front_;
  copy.clock_ = clock_;
  copy.payload_ = payload_;
  copy.missing_ = missing_;
  copy.compacted_ = compacted_;
  copy.evicted_end_ = evicted_end_;
  copy.retention_ = retention_;
  if (groups_) copy.groups_ = std::make_unique<Groups>(*groups_);
  for (TagPosition position : tags_.positions()) copy.tags_.add(copy.newest_.bytes().data(), position);
  return copy;
}

bool Log::tick(UnixMs now) {
  if (now <= clock_) return false;
  clock_ = now;
  return true;
}

Offset Log::append(ByteView tag, ByteView entry, BlockLimits limits) {
  const Offset offset = next();
  const bool was_empty = empty();
  if (!newest_.append(tags_, tag, entry, clock_, limits)) {
    seal_newest();
    // A log of some size will fill the next block too: no growing step by step.
    if (full_.size() >= kBlocksBeforeWholeOnes) newest_.reserve(limits);
    newest_.append(tags_, tag, entry, clock_, limits);
  }
  if (was_empty) front_ = newest_.begin();
  payload_ += tag.size() + entry.size();
  if (compaction_) [[unlikely]]
    compaction_->on_append(*this, offset, tag);
  return offset;
}

void Log::seal_newest() {
  const Offset next_first = newest_.end();
  newest_.seal(tags_);
  full_.push_back(std::move(newest_));
  newest_ = Block(next_first);
  tags_.clear();
}

uint64_t Log::evict_before(Offset new_first) {
  new_first = std::min(new_first, next());
  if (new_first <= first()) return 0;
  const Offset old_first = first();
  uint64_t evicted = 0;
  if (oldest().end() <= new_first) {
    // One allocation for all that go: growing the list step by step would move them again
    // and again.
    evicted_.reserve(evicted_.size() + full_.find([&](const Block& b) { return b.end() > new_first; }) + 1);
    while (!oldest().empty() && oldest().end() <= new_first) evicted += drop_oldest();
  }
  if (!oldest().empty()) evicted += walk_front_to(new_first);
  missing_ -= first() - old_first - evicted;
  if (groups_) {
    for (auto& [name, group] : *groups_) group.on_evicted(first(), missing_);
  }
  return evicted;
}

// Puts the oldest block aside.
uint64_t Log::drop_oldest() {
  const uint64_t gone = oldest().count() - front_.index;
  payload_ -= oldest().payload();
  evicted_end_ = oldest().end();
  if (full_.empty()) {
    const Offset next_first = newest_.end();
    evicted_.push_back(std::move(newest_));
    newest_ = Block(next_first);
    tags_.clear();
  } else {
    evicted_.push_back(full_.pop_front());
  }
  front_ = oldest().begin();
  return gone;
}

uint64_t Log::walk_front_to(Offset new_first) {
  Block& block = oldest();
  const uint32_t before = front_.index;
  uint64_t payload = 0;
  Record record;
  while (front_.offset < new_first) {
    block.read(front_, record);
    payload += record.tag.size() + record.entry.size();
    evicted_end_ = front_.offset + 1;
    block.advance(front_);
  }
  block.forget_payload(payload);
  payload_ -= payload;
  return front_.index - before;
}

uint64_t Log::keep_newest(uint64_t count) {
  if (count >= this->count()) return 0;
  return evict_before(missing_ == 0 ? next() - count : offset_of(this->count() - count));
}

// The offset of message number `index`, counted from first(); next() behind the last.
// Costs what lies before it.
Offset Log::offset_of(uint64_t index) const {
  index += front_.index;
  size_t i = 0;
  while (!block(i).empty() && index >= block(i).count()) index -= block(i++).count();
  if (block(i).empty()) return next();
  BlockPosition at = block(i).begin();
  while (at.index < index) block(i).advance(at);
  return at.offset;
}

uint64_t Log::enforce_size_limits() {
  uint64_t evicted = 0;
  if (retention_.count != 0) evicted += keep_newest(retention_.count);
  // The newest message stays however large it is: a write that was answered is not lost
  // to its own size.
  if (retention_.bytes != 0 && payload_ > retention_.bytes)
    evicted += evict_before(std::min(first_within_bytes(retention_.bytes), last()));
  return evicted;
}

// The first offset from which on the payload is at most `limit`; next() if even the
// newest message alone is more. Costs what it finds to evict.
Offset Log::first_within_bytes(uint64_t limit) const {
  uint64_t excess = payload_ - limit;
  size_t index = 0;
  while (block(index).payload() < excess) excess -= block(index++).payload();
  Cursor cursor(*this, std::max(first(), block(index).first()));
  Message message{};
  for (uint64_t gone = 0; gone < excess; gone += message.tag.size() + message.entry.size()) cursor.next(message);
  return message.offset + 1;
}

void Log::set_retention(Retention retention) {
  retention_ = retention;
  if (!retention_.latest) compaction_.reset();
}

uint64_t Log::enforce_age(UnixMs now) {
  const auto due = next_age_due();
  if (!due || now < *due) return 0;
  return evict_before(seek(now - retention_.age_ms + 1));
}

uint64_t Log::enforce_acked() {
  if (!retention_.acked || groups().empty()) return 0;
  return evict_before(slowest_group().second.unfinished());
}

std::optional<UnixMs> Log::next_age_due() const {
  if (retention_.age_ms == 0 || empty()) return std::nullopt;
  return UnixMs(std::min(front_.time.value() + retention_.age_ms, uint64_t{INT64_MAX}));
}

TailHolder Log::tail_holder(UnixMs now) const {
  struct Use {
    TailHolder holder;
    double used;
  };
  auto part = [](uint64_t used, uint64_t limit) {
    return limit == 0 ? -1.0 : static_cast<double>(used) / static_cast<double>(limit);
  };
  const uint64_t age = empty() || now < first_time() ? 0 : now - first_time();
  const Use uses[] = {{TailHolder::Count, part(count(), retention_.count)},
                      {TailHolder::Age, part(age, retention_.age_ms)},
                      {TailHolder::Bytes, part(payload_, retention_.bytes)}};
  if (retention_.acked && groups().empty()) return TailHolder::NoGroup;
  if (retention_.acked && !empty() && slowest_group().second.unfinished() == first()) return TailHolder::Group;
  const Use& tightest = *std::ranges::max_element(uses, {}, &Use::used);
  return tightest.used < 0 ? TailHolder::Nothing : tightest.holder;
}

const Log::Groups& Log::no_groups() {
  static const Groups none;
  return none;
}

Group* Log::group(ByteView name) {
  if (!groups_) return nullptr;
  const auto found = groups_->find(name);
  return found == groups_->end() ? nullptr : &found->second;
}

Group& Log::create_group(ByteView name, Offset next) {
  if (!groups_) groups_ = std::make_unique<Groups>();
  return groups_->emplace(std::string(name), Group(next, missing_from(next))).first->second;
}

bool Log::drop_group(ByteView name) {
  if (!groups_) return false;
  const auto found = groups_->find(name);
  if (found == groups_->end()) return false;
  groups_->erase(found);
  if (groups_->empty()) groups_.reset();
  return true;
}

const Log::Groups::value_type& Log::slowest_group() const {
  return *std::ranges::min_element(groups(), {}, [](const auto& named) { return named.second.unfinished(); });
}

std::optional<UnixMs> Log::next_group_event() const {
  std::optional<UnixMs> earliest;
  for (const auto& [name, group] : groups()) {
    const auto event = group.next_event();
    if (event && (!earliest || *event < *earliest)) earliest = event;
  }
  return earliest;
}

std::optional<UnixMs> Log::next_date() const {
  const auto age = next_age_due();
  const auto group = next_group_event();
  if (!age || !group) return age ? age : group;
  return std::min(*age, *group);
}

Offset Log::seek(UnixMs time) const {
  if (empty() || first_time() >= time) return first();
  const size_t index = full_.find([&](const Block& b) { return b.last_time() >= time; });
  const Block& found = block(index);
  if (found.empty() || found.last_time() < time) return next();
  BlockPosition at = index == 0 ? front_ : found.begin();
  while (at.time < time) found.advance(at);
  return at.offset;
}

Log::Cursor::Cursor(const Log& log, Offset from) : log_(&log) {
  from = std::clamp(from, log.first(), log.next());
  enter(log.full_.find([&](const Block& b) { return b.end() > from; }));
  if (from == log.next()) {
    at_ = end_;
    offset_ = from;
    return;
  }
  BlockPosition position = block_->near(from);
  while (position.offset < from) block_->advance(position);
  at_ += position.byte;
  // The record's own gap and delta lead here from the message before it.
  uint64_t gap = 0, delta;
  skip_record(has_gaps_ ? get_varint_unchecked(at_, gap) : at_, delta);
  offset_ = position.offset - gap;
  time_ = position.time - delta;
}

void Log::Cursor::enter(size_t block_index) {
  index_ = block_index;
  block_ = &log_->block(index_);
  at_ = block_->bytes().data();
  end_ = at_ + block_->bytes().size();
  has_gaps_ = block_->has_gaps();
  offset_ = block_->first();
  time_ = block_->first_time();
}

bool Log::Cursor::next(Message& message) {
  if (at_ == end_) {
    if (index_ >= log_->full_.size()) return false;
    enter(index_ + 1);
    if (at_ == end_) return false;
  }
  if (has_gaps_) [[unlikely]] {
    uint64_t gap;
    at_ = get_varint_unchecked(at_, gap);
    offset_ = offset_ + gap;
  }
  Record record;
  at_ = read_record(block_->bytes().data(), at_, record);
  time_ = time_ + record.time_delta;
  message = {offset_, record.tag, record.entry, time_};
  ++offset_;
  return true;
}

bool Log::Cursor::skip_block_without(const std::vector<TagFilter::Probe>& tags) {
  if (at_ == end_ && index_ < log_->full_.size()) enter(index_ + 1);
  if (index_ >= log_->full_.size() || offset_ != block_->first()) return false;
  if (std::ranges::any_of(tags, [&](TagFilter::Probe p) { return block_->tag_filter().may_hold(p); })) return false;
  enter(index_ + 1);
  return true;
}

// The date of the last message in a block; the newest block may be empty.
UnixMs Log::last_block_time() const {
  return newest_.empty() && !full_.empty() ? full_.back().last_time() : newest_.last_time();
}

Result<void> Log::append_block(BlockHeader header, Buffer bytes, Gaps gaps) {
  const bool is_new = has_no_history();
  // Groups come after the blocks, so none has a position that a gap would change.
  if (groups_) gaps = Gaps::Refused;
  if (gaps == Gaps::Refused && header.missing != 0) return fail(ErrorCode::Corrupt, "a block with gaps");
  if (!is_new && (gaps == Gaps::Refused ? header.first != next() : header.first < next()))
    return fail(ErrorCode::Corrupt, "a block that does not follow on");
  if (header.first_time < last_block_time()) return fail(ErrorCode::Corrupt, "a block from before the one before it");
  TagIndex tags;
  auto block = Block::from_bytes(header, std::move(bytes), tags);
  if (!block) return std::unexpected(block.error());

  const bool was_empty = empty();
  const uint64_t gap = is_new ? 0 : header.first - next();
  if (!newest_.empty()) seal_newest();
  newest_ = std::move(*block);
  tags_ = std::move(tags);
  if (was_empty) {
    front_ = newest_.begin();
    // A gap before the first message is none, but that nobody evicted those is remembered.
    if (is_new) evicted_end_ = header.first;
    missing_ = header.missing;
  } else {
    missing_ += gap + header.missing;
  }
  payload_ += newest_.payload();
  tick(newest_.last_time());
  // Only blocks that compaction has written have gaps, and those are not written to.
  if (newest_.has_gaps()) seal_newest();
  return {};
}

Result<void> Log::restore_head(const LogHead& head) {
  const bool is_new = has_no_history();
  Message message{};
  const bool agrees = is_new ? head.first == head.next
                             : head.next == next() && head.first >= first() && head.first < oldest().end() &&
                                   (Cursor(*this, head.first).next(message) ? message.offset : next()) == head.first;
  if (!agrees || head.evicted_end > head.first)
    return fail(ErrorCode::Corrupt, "a log head that does not belong to its blocks");
  if (head.clock < clock_) return fail(ErrorCode::Corrupt, "a log head from before its last message");
  if (is_new) {
    newest_ = Block(head.next);
    front_.offset = head.next;
  } else {
    evict_before(head.first);
  }
  evicted_end_ = head.evicted_end;
  compacted_ = head.compacted;
  clock_ = head.clock;
  set_retention(head.retention);
  return {};
}

uint64_t Log::memory() const {
  uint64_t bytes = sizeof(*this) + full_.memory() + tags_.memory() + evicted_.capacity() * sizeof(Block);
  if (compaction_) bytes += compaction_->memory();
  each_block([&](const Block& b) { bytes += b.memory(); });
  for (const Block& b : evicted_) bytes += b.memory();
  constexpr size_t kNode = 32 + sizeof(Groups::value_type) - sizeof(Group);
  for (const auto& [name, group] : groups())
    bytes += kNode + (name.capacity() > 15 ? name.capacity() : 0) + group.memory();
  return bytes;
}

const char* Log::check_pending_exist(const Group& group) const {
  const char* broken = nullptr;
  group.pending().each_from(Offset(0), [&](const PendingPart& part) {
    if ((part.messages.bits & ~messages_at(part.messages.first)) != 0) broken = "a message is pending that is gone";
    return broken == nullptr;
  });
  return broken;
}

const char* Log::check() const {
  Offset expected = oldest().first();
  UnixMs latest;
  uint64_t payload = 0;
  const char* broken = nullptr;
  each_block([&](const Block& b) {
    if (broken == nullptr) broken = b.check();
    if (b.first() < expected) broken = "blocks overlap";
    if (b.first() != expected && missing_ == 0) broken = "blocks do not follow on";
    if (b.first_time() < latest) broken = "dates run backwards";
    expected = b.end();
    latest = b.last_time();
    payload += b.payload();
  });
  for (const auto& [name, group] : groups()) {
    if (broken == nullptr) broken = group.check(first(), next());
    if (broken == nullptr && group.missing_ahead() != missing_from(group.next())) broken = "a group's lag is wrong";
    if (broken == nullptr && missing_ != 0) broken = check_pending_exist(group);
  }
  if (broken != nullptr) return broken;
  if (expected > next() || (!empty() && expected != next())) return "the last block does not end at next";
  if (newest_.has_gaps()) return "the newest block has gaps";
  if (evicted_end_ > first()) return "evicted offsets behind the first message";
  if (latest > clock_) return "the clock is behind the last message";
  if (payload != payload_) return "payload is not the sum of the blocks";
  if (first() < oldest().first() || first() > next()) return "first is not in the oldest block";
  if (!empty() && first() >= oldest().end()) return "a block without live messages is kept";
  if (empty() && block_count() != 0) return "an empty log keeps a block";
  for (size_t i = 0; i < full_.size(); ++i) {
    if (full_[i].empty()) return "an empty block among the full ones";
  }
  uint64_t live = 0;
  Message message{};
  for (Cursor cursor(*this, first()); cursor.next(message);) {
    if (live == 0 && message.offset != first()) return "there is no message at first";
    if (live++ == 0 && message.written != first_time()) return "the first message's date is not first_time";
  }
  if (live != 0 && message.offset != last()) return "there is no message at last";
  if (live != count()) return "a walk does not meet every message";
  return compaction_ ? compaction_->check(*this) : nullptr;
}

}  // namespace millrace
