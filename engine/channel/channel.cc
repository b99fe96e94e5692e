#include "engine/channel/channel.h"

#include <algorithm>

namespace millrace {

namespace {

// How many expired subscribers one tick removes.
constexpr size_t kRemovedPerTick = 1000;
// The index of ids stores the low 32 bits of offsets.
constexpr uint64_t kMaxMessages = UINT32_MAX;

}  // namespace

Channel::Channel(const ChannelHead& head)
    : head_(head), ids_(derived_key(head.secret, "ids")), subscribers_(derived_key(head.secret, "subscribers")) {
  messages_.tick(head.active);
}

Channel Channel::clone() const {
  Channel copy(head_);
  copy.messages_ = messages_.clone();
  copy.ids_ = ids_.clone();
  copy.subscribers_ = subscribers_.clone();
  copy.expired_before_ = expired_before_;
  return copy;
}

bool Channel::tick(UnixMs now) {
  if (!messages_.tick(now)) return false;
  drop_expired();
  return true;
}

void Channel::set_expire(uint64_t expire_ms) {
  head_.expire_ms = expire_ms;
  drop_expired();
}

void Channel::drop_expired() {
  expired_before_ = oldest_alive(now());
  if (!messages_.empty() && messages_.first_time() < expired_before_) {
    messages_.evict_before(messages_.seek(expired_before_));
  }
  ids_.shrink(messages_);
  subscribers_.remove_inactive(expired_before_, kRemovedPerTick);
}

UnixMs Channel::oldest_alive(UnixMs now) const {
  return now < expired_before_ + head_.expire_ms ? expired_before_ : now - head_.expire_ms;
}

UnixMs Channel::expiry_of(UnixMs date) const {
  return date.value() > uint64_t{INT64_MAX} - head_.expire_ms ? UnixMs(INT64_MAX) : date + head_.expire_ms;
}

const Subscriber* Channel::alive(ByteView name, UnixMs now) const {
  const Subscriber* found = subscribers_.find(name);
  return found == nullptr || found->active < oldest_alive(now) ? nullptr : found;
}

uint64_t Channel::room() const { return std::min(messages_.room(), kMaxMessages - messages_.count()); }

uint64_t Channel::room_at(UnixMs now) const {
  return std::min(messages_.room(), kMaxMessages - (messages_.next() - first_alive(now)));
}

std::optional<Clock> Channel::publish(ByteView id, ByteView content, BlockLimits limits) {
  const uint32_t hash = ids_.hash(id);
  if (ids_.find(messages_, hash, id)) return std::nullopt;
  const Offset offset = messages_.append(id, content, limits);
  ids_.add(messages_, hash, offset);
  head_.active = now();
  return clock_of(offset);
}

std::optional<Offset> Channel::find(ByteView id, UnixMs now) const {
  const auto found = ids_.find(messages_, ids_.hash(id), id);
  return found && *found >= first_alive(now) ? found : std::nullopt;
}

Subscriber& Channel::subscribe(ByteView name) {
  head_.active = now();
  Subscriber* known = subscribers_.find(name);
  if (known == nullptr) return subscribers_.add(name, messages_.last(), now());
  if (alive(name, now()) == nullptr) known->position = messages_.last();
  subscribers_.touch(*known, now());
  return *known;
}

bool Channel::unsubscribe(ByteView name) {
  Subscriber* known = alive(name, now());
  if (known != nullptr) subscribers_.remove(*known);
  return known != nullptr;
}

void Channel::touch(Subscriber& subscriber) {
  head_.active = now();
  subscribers_.touch(subscriber, now());
}

Fetch Channel::fetch(const Subscriber& subscriber, uint64_t max, uint64_t max_bytes) const {
  const Offset from = std::max(subscriber.position + 1, messages_.first());
  const uint64_t waiting = messages_.next() - from;
  const uint64_t count = count_within(from, std::min(waiting, max), max_bytes);
  return {from, count, waiting > count};
}

uint64_t Channel::count_within(Offset from, uint64_t count, uint64_t bytes) const {
  if (messages_.payload_at_most(from, from + count, bytes) <= bytes) return count;
  MessageBlocks::Cursor cursor(messages_, from);
  Message message;
  uint64_t fitting = 0;
  for (uint64_t used = 0; fitting < count && cursor.next(message); ++fitting) {
    used += message.tag.size() + message.entry.size();
    if (used > bytes) return std::max<uint64_t>(fitting, 1);
  }
  return fitting;
}

Receipt Channel::receipt_for(Offset last) const {
  Message message;
  MessageBlocks::Cursor(messages_, last).next(message);
  return {clock_of(last), mark_of(message)};
}

uint32_t Channel::mark_of(const Message& message) const {
  const uint64_t written = message.written.value();
  return ids_.hash(message.tag) ^ static_cast<uint32_t>(written) ^ static_cast<uint32_t>(written >> 32);
}

Ack Channel::acknowledge(Subscriber& subscriber, Receipt receipt) {
  const uint64_t back = receipt.clock.steps_to(clock());
  // A message that has expired cannot be compared, and is not needed any more.
  if (back < messages_.count() && receipt_for(messages_.last() - back) != receipt) return Ack::Invalid;
  return acknowledge(subscriber, receipt.clock);
}

Ack Channel::acknowledge(Subscriber& subscriber, Clock clock) {
  const uint64_t back = clock.steps_to(this->clock());
  if (back > Clock::kCount / 2) return Ack::Invalid;
  if (back >= messages_.last() - subscriber.position) return Ack::Already;
  subscriber.position = messages_.last() - back;
  return Ack::Advanced;
}

Result<void> Channel::append_block(BlockHeader header, Buffer bytes) {
  if (header.count > kMaxMessages - messages_.count()) {
    return fail(ErrorCode::Corrupt, "more messages than a channel holds");
  }
  if (header.unpacked != 0) return fail(ErrorCode::Corrupt, "a channel packs no blocks");
  const Offset before = messages_.next();
  if (auto appended = messages_.append_block(header, std::move(bytes)); !appended) return appended;
  Message message;
  // A new object begins at the offset of its first block.
  for (MessageBlocks::Cursor cursor(messages_, std::max(before, header.first)); cursor.next(message);) {
    ids_.add_or_replace(messages_, ids_.hash(message.tag), message.tag, message.offset);
  }
  return {};
}

Result<void> Channel::restore_log_head(const SavedHead& head) {
  if (head.is_of_log()) return fail(ErrorCode::Corrupt, "a log that is not a channel's");
  return messages_.restore_head(head);
}

Result<void> Channel::restore_subscriber(ByteView name, Offset position, UnixMs active) {
  if (position > messages_.last()) return fail(ErrorCode::Corrupt, "a subscriber ahead of its channel");
  if (active > now()) return fail(ErrorCode::Corrupt, "a subscriber from the future");
  if (subscribers_.find(name) != nullptr) return fail(ErrorCode::Corrupt, "a subscriber that is there twice");
  if (subscribers_.size() != 0 && active < std::prev(subscribers_.end())->active) {
    return fail(ErrorCode::Corrupt, "subscribers out of order");
  }
  subscribers_.add(name, position, active);
  return {};
}

const char* Channel::check() const {
  if (const char* broken = messages_.check()) return broken;
  if (messages_.missing() != 0) return "a channel has gaps";
  if (const char* broken = ids_.check(messages_)) return broken;
  if (const char* broken = subscribers_.check()) return broken;
  for (const Subscriber& subscriber : subscribers_) {
    if (subscriber.position > messages_.last()) return "a subscriber is ahead of its channel";
    if (subscriber.active > now()) return "a subscriber was active in the future";
  }
  if (head_.active > now()) return "the channel was active in the future";
  return nullptr;
}

}  // namespace millrace
