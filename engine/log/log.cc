#include "engine/log/log.h"

#include <algorithm>

namespace millrace {

Log Log::clone() const {
  Log copy;
  copy.messages_ = messages_.clone();
  copy.retention_ = retention_;
  if (groups_) {
    catch_up();
    copy.groups_ = std::make_unique<ToldGroups>(*groups_);
  }
  if (extras_) copy.extras_ = extras_->clone();
  return copy;
}

uint64_t Log::evict_before(Offset new_first) {
  const auto evicted = messages_.evict_before(new_first);
  if (evicted.count == 0) return 0;
  if (compacted() != nullptr) compacted()->evicted_end = evicted.end;
  if (extras_) extras_->deleted.forget_before(evicted_end());
  return evicted.count;
}

void Log::catch_up() const {
  if (!groups_ || groups_->told_first == first()) return;
  for (auto& [name, group] : *groups_) catch_up(group);
  groups_->told_first = first();
}

uint64_t Log::enforce_size_limits() {
  uint64_t evicted = 0;
  if (retention_.count != 0) evicted += keep_newest(retention_.count);
  // The newest message stays however large it is: otherwise a confirmed write could be evicted because of its own size.
  if (retention_.bytes != 0 && payload() > retention_.bytes) {
    evicted += evict_before(std::min(messages_.first_within_bytes(retention_.bytes), end_of_messages() - 1));
  }
  return evicted;
}

void Log::set_retention(Retention retention) {
  retention_.count = retention.count;
  retention_.age_ms = retention.age_ms;
  retention_.bytes = retention.bytes;
  retention_.acked = retention.acked ? 1 : 0;
  retention_.refuse = retention.refuse ? 1 : 0;
  retention_.latest = retention.latest ? 1 : 0;
  if (retention.ids_ms != 0 || extras_) with_extras().ids_ms = retention.ids_ms;
  if (!retention_.latest && compaction() != nullptr) compacted()->unused = std::move(compacted()->compaction);
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
  return UnixMs(std::min(first_time().value() + retention_.age_ms, uint64_t{INT64_MAX}));
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
                      {TailHolder::Bytes, part(payload(), retention_.bytes)}};
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
  if (groups_->found == nullptr || groups_->found->first != name) {
    const auto found = groups_->find(name);
    if (found == groups_->end()) return nullptr;
    groups_->found = &*found;
  }
  Group& group = groups_->found->second;
  catch_up(group);
  return &group;
}

Group& Log::create_group(ByteView name, Offset next) {
  if (!groups_) groups_ = std::make_unique<ToldGroups>(first());
  return groups_->emplace(std::string(name), Group(next, missing_from(next))).first->second;
}

bool Log::drop_group(ByteView name) {
  if (!groups_) return false;
  const auto found = groups_->find(name);
  if (found == groups_->end()) return false;
  groups_->found = nullptr;
  found->second.forget_all(&groups_->forgotten);
  groups_->erase(found);
  if (groups_->empty() && groups_->forgotten.empty()) groups_.reset();
  return true;
}

Forgotten Log::take_forgotten() {
  if (!groups_) return {};
  Forgotten forgotten = std::exchange(groups_->forgotten, {});
  if (groups_->empty()) groups_.reset();
  return forgotten;
}

size_t Log::pending_parts() const {
  size_t parts = 0;
  if (!groups_) return parts;
  for (const auto& [name, group] : *groups_) parts += Forgotten::parts_of(group.pending(), group.consumers());
  return parts;
}

void Log::forget_all_pending() {
  if (!groups_) return;
  for (auto& [name, group] : *groups_) group.forget_all(&groups_->forgotten);
}

const Log::Groups::value_type& Log::slowest_group() const {
  return *std::ranges::min_element(groups(), {}, [](const auto& named) { return named.second.unfinished(); });
}

const std::string* Log::refusing_group(uint64_t messages, uint64_t bytes) const {
  const bool is_too_many = retention_.count != 0 && messages + count() > retention_.count;
  const bool is_too_much = retention_.bytes != 0 && bytes + payload() > retention_.bytes;
  if (!retention_.refuse || (!is_too_many && !is_too_much) || groups().empty()) return nullptr;
  const auto& [name, group] = slowest_group();
  const Offset unfinished = group.unfinished();
  const uint64_t waiting = count_from(unfinished);
  if (is_too_many && waiting + messages > retention_.count) return &name;
  // The newest message stays however large it is.
  const bool is_newest = waiting == 0 && messages == 1;
  if (is_too_much && !is_newest && messages_.payload_from(unfinished) + bytes > retention_.bytes) return &name;
  return nullptr;
}

uint64_t Log::room_for_groups() const {
  if (refusing_group(1, 1) != nullptr) return 0;
  if (!retention_.refuse || retention_.count == 0 || groups().empty()) return UINT64_MAX;
  return retention_.count - count_from(slowest_group().second.unfinished());
}

std::optional<uint64_t> Log::ms_until_group_event(const Now& now) const {
  std::optional<uint64_t> earliest;
  for (const auto& [name, group] : groups()) {
    const auto ms = group.ms_until_event(now);
    if (ms && (!earliest || *ms < *earliest)) earliest = ms;
  }
  return earliest;
}

void Log::run_group_clocks(const Now& now) {
  if (!groups_) return;
  for (auto& [name, group] : *groups_) group.run_clock(now);
}

bool Log::has_group_events() const {
  return std::ranges::any_of(groups(), [](const auto& named) { return named.second.next_event().has_value(); });
}

std::optional<UnixMs> Log::oldest_unfinished(const Group& group) const {
  const Offset offset = group.unfinished();
  if (offset >= next()) return std::nullopt;
  if (offset <= first()) return first_time();
  Message message;
  if (!Cursor(*this, offset).next(message)) return std::nullopt;
  return message.written;
}

Result<void> Log::append_block(BlockHeader header, Buffer bytes, BlockPacker& packer, Gaps gaps) {
  if (groups_) {
    // A gap would change the lag of groups.
    gaps = Gaps::Refused;
    if (header.missing == 0 && header.first != next()) {
      return fail(ErrorCode::Corrupt, "a block that does not follow on");
    }
  }
  const bool was_new = messages_.is_new();
  const Offset old_first = first();
  const bool has_gaps = header.missing != 0 || (!was_new && header.first != next());
  if (auto appended = messages_.append_block(header, std::move(bytes), &packer, gaps); !appended) return appended;
  if (has_gaps && compacted() == nullptr) compacted_part().evicted_end = old_first;
  // A new log begins here, and has evicted no later messages.
  if (was_new && compacted() != nullptr) compacted()->evicted_end = header.first;
  return {};
}

Result<void> Log::restore_head(const LogHead& head) {
  // With a group, a log that has no messages is not new: it begins at 1.
  if (head.evicted_end > head.first || (groups_ && messages_.is_new())) {
    return fail(ErrorCode::Corrupt, "a log head that does not belong to its blocks");
  }
  if (auto restored = messages_.restore_head(head, groups_ ? Gaps::Refused : Gaps::Allowed); !restored) return restored;
  if (head.evicted_end != first() || head.compacted != 0 || compacted() != nullptr || missing() != 0) {
    compacted_part().evicted_end = head.evicted_end;
    compacted()->total = head.compacted;
  }
  set_retention(head.retention);
  return {};
}

uint64_t Log::memory() const {
  uint64_t bytes = sizeof(*this) - sizeof(messages_) + messages_.memory();
  if (compacted() != nullptr) {
    for (const auto* each : {compacted()->compaction.get(), compacted()->unused.get()}) {
      bytes += each ? each->memory() : 0;
    }
  }
  if (extras_) bytes += extras_->memory();
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
  if (const char* broken = messages_.check()) return broken;
  if (evicted_end() > first()) return "evicted offsets behind the first message";
  for (const auto& [name, group] : groups()) {
    if (const char* broken = group.check(first(), next())) return broken;
    if (group.missing_ahead() != missing_from(group.next())) return "a group's lag is wrong";
    if (missing() == 0) continue;
    if (const char* broken = check_pending_exist(group)) return broken;
  }
  if (extras_) {
    if (const char* broken = extras_->check()) return broken;
  }
  return compaction() != nullptr ? compaction()->check(messages_) : nullptr;
}

}  // namespace millrace
