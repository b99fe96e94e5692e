// Channel and ChannelOperations: reading by position, without a subscriber.
#include <algorithm>
#include <optional>

#include "engine/channel/channel_operations.h"

namespace millrace {

namespace {

constexpr const char* kNoSuchPosition = "the channel never was at this position: it belongs to another life of it";

}  // namespace

uint32_t Channel::life() const {
  return static_cast<uint32_t>(keyed_hash(derived_key(head_.secret, "positions"), "life"));
}

Result<Offset> Channel::offset_of(const ChannelPosition& position) const {
  const uint64_t back = position.clock.steps_to(clock());
  if (back > messages_.last().value() || (position.life && *position.life != life())) {
    return fail(ErrorCode::BadPosition, kNoSuchPosition);
  }
  return messages_.last() - back;
}

Result<Offset> Channel::begins_behind(const ChannelStart& start, UnixMs now) const {
  if (start.kind == ChannelStart::Kind::First) return first_alive(now) - 1;
  if (start.kind == ChannelStart::Kind::End) return messages_.last();
  const auto offset = offset_of(start.position);
  // A message that has expired cannot be compared. Without a mark there is nothing to compare.
  const bool is_there = offset && *offset >= messages_.first() && !messages_.empty();
  if (is_there && start.position.mark != 0 && receipt_for(*offset).mark != start.position.mark) {
    return fail(ErrorCode::BadPosition, kNoSuchPosition);
  }
  return offset;
}

Unread Channel::unread(Offset behind, uint64_t max, UnixMs now, uint64_t max_bytes) const {
  const Offset from = std::max(behind + 1, first_alive(now));
  const uint64_t waiting = messages_.next() - from;
  const uint64_t count = count_within(from, std::min(waiting, max), max_bytes);
  return {.from = from, .count = count, .more = waiting > count, .missed = from - (behind + 1)};
}

ChannelPosition Channel::position_at(Offset offset) const {
  const bool is_there = offset >= messages_.first() && !messages_.empty();
  return {.clock = clock_of(offset), .mark = is_there ? receipt_for(offset).mark : 0, .life = life()};
}

Result<Done> ChannelOperations::read(const Channel* channel, const ChannelReadRequest& request, UnixMs wall,
                                     PositionSink& sink) {
  if (channel == nullptr) {
    if (request.start.kind == ChannelStart::Kind::After) return fail(ErrorCode::BadPosition, kNoSuchPosition);
    sink.begin(0);
    sink.end(std::nullopt, false, 0);
    return Done();
  }
  const UnixMs now = channel->present(wall);
  const auto behind = channel->begins_behind(request.start, now);
  if (!behind) return std::unexpected(behind.error());
  const Unread unread = channel->unread(*behind, request.max, now, request.max_bytes.value_or(limits_.read_bytes));
  sink.begin(unread.count);
  const uint32_t life = channel->life();
  MessageBlocks::Cursor cursor(channel->messages(), unread.from);
  Message message;
  for (uint64_t i = 0; i < unread.count && cursor.next(message); ++i) {
    sink.message(channel->position_of(message, life), message);
  }
  counters_.fetched += unread.count;
  sink.end(channel->position_at(unread.from + unread.count - 1), unread.more, unread.missed);
  return Done();
}

}  // namespace millrace
