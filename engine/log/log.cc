#include "engine/log/log.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr size_t kBlocksBeforeWholeOnes = 4;

}  // namespace

Log::Log(Offset first) : newest_(first) { front_.offset = first; }

Log Log::clone() const {
  Log copy;
  copy.full_ = full_.clone();
  copy.newest_ = newest_.clone();
  copy.front_ = front_;
  copy.clock_ = clock_;
  copy.payload_ = payload_;
  if (gaps_) {
    copy.gaps_ = std::make_unique<CompactedPart>(gaps_->missing, gaps_->compacted, gaps_->evicted_end, nullptr);
  }
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
  if (gaps_ && gaps_->compaction) [[unlikely]] {
    gaps_->compaction->on_append(*this, offset, tag);
  }
  return offset;
}

void Log::seal_newest() {
  const Offset next_first = newest_.end();
  newest_.seal(tags_);
  full_.push_back(std::move(newest_));
  start_newest(next_first);
}

void Log::start_newest(Offset first) {
  newest_ = Block(first);
  tags_.clear();
}

uint64_t Log::evict_before(Offset new_first) {
  new_first = std::min(new_first, next());
  if (new_first <= first()) return 0;
  const Offset old_first = first();
  uint64_t evicted = oldest().end() <= new_first ? drop_blocks_before(new_first) : 0;
  if (!oldest().empty()) evicted += walk_front_to(new_first);
  if (gaps_) gaps_->missing -= first() - old_first - evicted;
  if (groups_) {
    for (auto& [name, group] : *groups_) group.on_evicted(first(), missing());
  }
  return evicted;
}

// Puts aside the blocks of which nothing is left.
uint64_t Log::drop_blocks_before(Offset new_first) {
  const BlockTotals taken = full_.take_before(new_first, evicted_);
  payload_ -= taken.payload;
  // Those of its first block that were evicted before went already.
  uint64_t gone = taken.messages - front_.index;
  if (full_.empty() && !newest_.empty() && newest_.end() <= new_first) {
    payload_ -= newest_.payload();
    gone += newest_.count();
    const Offset next_first = newest_.end();
    evicted_.add(std::move(newest_));
    start_newest(next_first);
  }
  front_ = oldest().begin();
  if (gaps_) gaps_->evicted_end = evicted_.last_end();
  return gone;
}

uint64_t Log::walk_front_to(Offset new_first) {
  if (front_.offset >= new_first) return 0;
  // Its turn to go has come: once unpacked it stays so, or evicting message by message
  // would unpack it again and again.
  if (oldest().is_packed()) full_.change(full_.begin(), [](Block& block) { block.unpack_in_place(); });
  const Records records(oldest());
  const uint32_t before = front_.index;
  uint64_t gone = 0;
  Record record;
  while (front_.offset < new_first) {
    records.read(front_, record);
    gone += record.tag.size() + record.entry.size();
    if (gaps_) gaps_->evicted_end = front_.offset + 1;
    records.advance(front_);
  }
  payload_ -= gone;
  if (full_.empty()) {
    newest_.forget_payload(gone);
  } else {
    full_.change(full_.begin(), [&](Block& block) { block.forget_payload(gone); });
  }
  return front_.index - before;
}

uint64_t Log::keep_newest(uint64_t count) {
  if (count >= this->count()) return 0;
  return evict_before(missing() == 0 ? next() - count : offset_of(this->count() - count));
}

// The offset of message number `index`, counted from first(); next() behind the last.
// Costs what lies before it.
Offset Log::offset_of(uint64_t index) const {
  uint64_t amount = index + front_.index + 1;
  const Block& found = block(full_.find_sum(&BlockTotals::messages, amount));
  if (amount > found.count()) return next();
  const Records records(found);
  BlockPosition at = found.begin();
  while (at.index + 1 < amount) records.advance(at);
  return at.offset;
}

uint64_t Log::enforce_size_limits() {
  uint64_t evicted = 0;
  if (retention_.count != 0) evicted += keep_newest(retention_.count);
  // The newest message stays however large it is: a write that was answered is not lost
  // to its own size.
  if (retention_.bytes != 0 && payload_ > retention_.bytes) {
    evicted += evict_before(std::min(first_within_bytes(retention_.bytes), last()));
  }
  return evicted;
}

// The first offset from which on the payload is at most `limit`; next() if even the
// newest message alone is more. Costs what it finds to evict.
Offset Log::first_within_bytes(uint64_t limit) const {
  uint64_t excess = payload_ - limit;
  const Block& last_to_go = block(full_.find_sum(&BlockTotals::payload, excess));
  Cursor cursor(*this, std::max(first(), last_to_go.first()));
  Message message{};
  for (uint64_t gone = 0; gone < excess; gone += message.tag.size() + message.entry.size()) cursor.next(message);
  return message.offset + 1;
}

void Log::set_retention(Retention retention) {
  retention_ = retention;
  if (!retention_.latest && compaction() != nullptr) gaps_->unused = std::move(gaps_->compaction);
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
  const auto place = full_.find([&](const Block& b) { return b.last_time() >= time; });
  const Block& found = block(place);
  if (found.empty() || found.last_time() < time) return next();
  BlockPosition at = &found == &oldest() ? front_ : found.begin();
  if (at.time >= time) return at.offset;
  const Records records(found);
  while (at.time < time) records.advance(at);
  return at.offset;
}

Log::Cursor::Cursor(const Log& log, Offset from) : log_(&log) {
  from = std::clamp(from, log.first(), log.next());
  enter(log.full_.find([&](const Block& b) { return b.end() > from; }));
  if (from <= block_->first()) return;
  open();
  if (from == log.next()) {
    at_ = end_;
    offset_ = from;
    return;
  }
  BlockPosition position = block_->near(from);
  while (position.offset < from) records_.advance(position);
  at_ += position.byte;
  // The record's own gap and delta lead here from the message before it.
  const char* record = at_;
  uint64_t delta;
  offset_ = position.offset - records_.gap_at(record);
  skip_record(record, delta);
  time_ = position.time - delta;
}

void Log::Cursor::enter(BlockList::Place place) {
  place_ = place;
  block_ = &log_->block(place);
  is_open_ = false;
  at_ = end_ = nullptr;
  offset_ = block_->first();
  time_ = block_->first_time();
}

void Log::Cursor::open() {
  records_ = Records(*block_);
  is_open_ = true;
  at_ = records_.begin();
  end_ = records_.end();
}

bool Log::Cursor::reach_message() {
  if (is_open_) {
    if (is_in_newest()) return false;
    enter(log_->full_.after(place_));
  }
  open();
  return at_ != end_;
}

bool Log::Cursor::next(Message& message) {
  if (at_ == end_ && !reach_message()) return false;
  offset_ = offset_ + records_.gap_at(at_);
  Record record;
  at_ = read_record(records_.begin(), at_, record);
  time_ = time_ + record.time_delta;
  message = {offset_, record.tag, record.entry, time_};
  ++offset_;
  return true;
}

bool Log::Cursor::skip_block_without(const std::vector<TagFilter::Probe>& tags) {
  if (is_in_newest()) return false;
  if (is_open_ && at_ == end_) enter(log_->full_.after(place_));
  if (is_in_newest() || offset_ != block_->first()) return false;
  if (std::ranges::any_of(tags, [&](TagFilter::Probe p) { return block_->tag_filter().may_hold(p); })) return false;
  enter(log_->full_.after(place_));
  return true;
}

std::optional<UnixMs> Log::oldest_unpacked() const {
  if (!has_unpacked()) return std::nullopt;
  uint64_t one = 1;
  return full_[full_.find_sum(&BlockTotals::untried, one)].last_time();
}

uint64_t Log::pack_next(int level) {
  uint64_t one = 1;
  const auto place = full_.find_sum(&BlockTotals::untried, one);
  // Of which a part is evicted, the rest soon is.
  const bool is_going = full_[place].first() < first();
  full_.change(place, [&](Block& block) { is_going ? block.leave_unpacked() : block.pack(level); });
  return full_[place].saved();
}

EvictedBlocks Log::take_all_blocks() {
  full_.take_before(next(), evicted_);
  return take_evicted();
}

Result<void> Log::append_block(BlockHeader header, Buffer bytes, Gaps gaps) {
  const bool is_new = has_no_history();
  // Groups come after the blocks, so none has a position that a gap would change.
  if (groups_) gaps = Gaps::Refused;
  if (gaps == Gaps::Refused && header.missing != 0) return fail(ErrorCode::Corrupt, "a block with gaps");
  if (!is_new && (gaps == Gaps::Refused ? header.first != next() : header.first < next())) {
    return fail(ErrorCode::Corrupt, "a block that does not follow on");
  }
  if (header.first_time < last_time()) return fail(ErrorCode::Corrupt, "a block from before the one before it");
  TagIndex tags;
  auto block = Block::from_bytes(header, std::move(bytes), tags);
  if (!block) return std::unexpected(block.error());

  if (!newest_.empty()) seal_newest();
  const uint64_t gap = is_new ? 0 : header.first - next();
  if (gap != 0 || header.missing != 0) compacted_part().missing += header.missing + (empty() ? 0 : gap);
  if (empty()) front_ = block->begin();
  // A log that is new begins here, and has evicted nothing after that.
  if (is_new && gaps_) gaps_->evicted_end = header.first;
  payload_ += block->payload();
  tick(block->last_time());
  if (block->is_packed()) {
    const Offset next_first = block->end();
    full_.push_back(std::move(*block));
    start_newest(next_first);
  } else {
    newest_ = std::move(*block);
    tags_ = std::move(tags);
    // Only compaction writes blocks with gaps.
    if (newest_.has_gaps()) seal_newest();
  }
  return {};
}

Result<void> Log::restore_head(const LogHead& head) {
  const bool is_new = has_no_history();
  Message message{};
  const bool agrees = is_new ? head.first == head.next
                             : head.next == next() && head.first >= first() && head.first < oldest().end() &&
                                   Cursor(*this, head.first).next(message) && message.offset == head.first;
  if (!agrees || head.evicted_end > head.first) {
    return fail(ErrorCode::Corrupt, "a log head that does not belong to its blocks");
  }
  if (head.clock < clock_) return fail(ErrorCode::Corrupt, "a log head from before its last message");
  if (is_new) {
    newest_ = Block(head.next);
    front_.offset = head.next;
  } else {
    evict_before(head.first);
  }
  if (head.evicted_end != first() || head.compacted != 0 || gaps_) {
    compacted_part().evicted_end = head.evicted_end;
    gaps_->compacted = head.compacted;
  }
  clock_ = head.clock;
  set_retention(head.retention);
  return {};
}

uint64_t Log::memory() const {
  uint64_t bytes = sizeof(*this) + full_.memory() + full_.totals().memory + newest_.memory() + tags_.memory();
  bytes += evicted_.memory();
  if (gaps_) {
    bytes += sizeof(CompactedPart);
    for (const auto* each : {gaps_->compaction.get(), gaps_->unused.get()}) bytes += each ? each->memory() : 0;
  }
  constexpr size_t kNode = 32 + sizeof(Groups::value_type) - sizeof(Group);
  for (const auto& [name, group] : groups()) {
    bytes += kNode + (name.capacity() > 15 ? name.capacity() : 0) + group.memory();
  }
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
    if (b.first() != expected && missing() == 0) broken = "blocks do not follow on";
    if (b.first_time() < latest) broken = "dates run backwards";
    expected = b.end();
    latest = b.last_time();
    payload += b.payload();
  });
  for (const auto& [name, group] : groups()) {
    if (broken == nullptr) broken = group.check(first(), next());
    if (broken == nullptr && group.missing_ahead() != missing_from(group.next())) broken = "a group's lag is wrong";
    if (broken == nullptr && missing() != 0) broken = check_pending_exist(group);
  }
  if (broken != nullptr) return broken;
  if (expected != next()) return "the last block does not end at next";
  if (newest_.has_gaps()) return "the newest block has gaps";
  if (evicted_end() > first()) return "evicted offsets behind the first message";
  if (latest > clock_) return "the clock is behind the last message";
  if (payload != payload_) return "payload is not the sum of the blocks";
  if (first() < oldest().first() || first() > next()) return "first is not in the oldest block";
  if (!empty() && first() >= oldest().end()) return "a block without live messages is kept";
  if (empty() && block_count() != 0) return "an empty log keeps a block";
  if (const char* wrong = full_.check()) return wrong;
  for (auto place = full_.begin(); place != full_.end(); place = full_.after(place)) {
    if (full_[place].empty()) return "an empty block among the full ones";
    if (full_[place].first() < first() && full_[place].is_packed()) return "a block that is going is packed";
  }
  if (newest_.is_packed()) return "the newest block is packed";
  uint64_t live = 0;
  Message message{};
  for (Cursor cursor(*this, first()); cursor.next(message);) {
    if (live == 0 && message.offset != first()) return "there is no message at first";
    if (live++ == 0 && message.written != first_time()) return "the first message's date is not first_time";
  }
  if (live != 0 && message.offset != last()) return "there is no message at last";
  if (live != count()) return "a walk does not meet every message";
  return compaction() != nullptr ? compaction()->check(*this) : nullptr;
}

}  // namespace millrace
