#include "engine/feed/feed_handout.h"

#include <algorithm>
#include <string>

namespace millrace {

namespace {

std::unexpected<Error> bad(const char* text) { return fail(ErrorCode::BadPosition, text); }

constexpr const char* kOfAnotherLog = "the position is of another life of the log, which was deleted or replaced";
constexpr const char* kBehindTheEnd =
    "the log does not reach this offset: it was deleted or put back, or is a replica "
    "that has not got so far";
constexpr const char* kNotInALog = "the key holds a log: expected an offset, epoch.offset, $ or -";
constexpr const char* kNotInAChannel = "the key holds a channel: expected a position of it, $ or -";
constexpr const char* kNothingThere = "there is no log or channel at this position: add the key with - or $";

// The number of messages after an offset that were evicted.
uint64_t evicted_behind(const Log& log, Offset offset) {
  return log.evicted_end() > offset + 1 ? log.evicted_end() - (offset + 1) : 0;
}

// One past the last existing message, which is before next() if the newest ones were deleted; 0 if there is none.
Offset end_of(const Log& log) { return log.empty() ? Offset(0) : log.end_of_messages(); }

uint64_t size_of(const Message& message) { return message.tag.size() + message.entry.size(); }

}  // namespace

bool FeedHandout::fits(const Message& message, bool is_first, uint64_t& bytes) {
  is_full_ = !is_first && size_of(message) > bytes;
  if (!is_full_) bytes -= std::min(size_of(message), bytes);
  return !is_full_;
}

FeedHandout::Chosen FeedHandout::choose(const Log& log, Offset from, uint64_t most) {
  // If there are no gaps and all messages certainly fit, the last one is known without a walk.
  if (log.missing() == 0 && log.messages().payload_at_most(from, from + most, bytes_) <= bytes_) {
    return {.count = most, .last = from + most - 1};
  }
  Chosen chosen{.count = 0, .last = from - 1};
  Log::Cursor cursor(log, from);
  Message message;
  uint64_t bytes = bytes_;
  while (chosen.count < most && cursor.next(message) && fits(message, given_ + chosen.count == 0, bytes)) {
    ++chosen.count;
    chosen.last = message.offset;
  }
  return chosen;
}

Handed FeedHandout::give(const Log& log, Watch& watch) {
  if (std::holds_alternative<ChannelPosition>(watch.position)) return Handed::Gone;
  const auto* known = std::get_if<LogPosition>(&watch.position);
  LogPosition position = known != nullptr ? *known : LogPosition{.epoch = log.epoch(), .offset = Offset(0)};
  if (position.epoch != log.epoch() || position.offset > log.last()) return Handed::Gone;
  watch.position = position;
  if (!has_news(log, position)) return Handed::Nothing;
  if (watch.is_notice) {
    position.offset = log.last();
    watch.position = position;
    count_key();
    sink_.begin(watch, to_text(position), 0);
    sink_.end(false, 0);
    return Handed::All;
  }
  const uint64_t missed = evicted_behind(log, position.offset);
  const Offset from = std::max(position.offset + 1, log.first());
  const Offset end = end_of(log);
  Chosen chosen{.count = 0, .last = from - 1};
  if (from < end) {
    chosen = choose(log, from, std::min(end - from, messages_));
    if (chosen.count == 0) return Handed::NoRoom;
  }
  position.offset = chosen.last;
  watch.position = position;
  messages_ -= std::max<uint64_t>(chosen.count, 1);
  given_ += chosen.count;
  sink_.begin(watch, to_text(position), chosen.count);
  Log::Cursor cursor(log, from);
  Message message;
  for (uint64_t i = 0; i < chosen.count && cursor.next(message); ++i) {
    bytes_ -= std::min(size_of(message), bytes_);
    sink_.message(message);
  }
  const bool more = chosen.last + 1 < end;
  sink_.end(more, missed);
  return more ? Handed::Some : Handed::All;
}

Handed FeedHandout::give(const Channel& channel, Watch& watch, UnixMs wall) {
  if (std::holds_alternative<LogPosition>(watch.position)) return Handed::Gone;
  const uint32_t life = channel.life();
  const auto* known = std::get_if<ChannelPosition>(&watch.position);
  // A key that did not exist is read from its beginning.
  ChannelPosition position = known != nullptr ? *known : ChannelPosition{channel.head().birth, 0, life};
  const auto behind = channel.offset_of(position);
  if (!behind) return Handed::Gone;
  watch.position = position;
  const MessageBlocks& messages = channel.messages();
  // One walk: to the message at the position, which is compared, and on.
  const bool is_there = *behind >= messages.first() && !messages.empty();
  const Unread unread = channel.unread(*behind, messages_, channel.present(wall));
  MessageBlocks::Cursor cursor(messages, is_there ? *behind : unread.from);
  Message message;
  if (is_there) {
    cursor.next(message);
    if (position.mark != 0 && channel.mark_of(message) != position.mark) return Handed::Gone;
  }
  if (unread.count == 0 && unread.missed == 0) return Handed::Nothing;
  if (watch.is_notice) {
    position = channel.position_at(messages.last());
    watch.position = position;
    count_key();
    sink_.begin(watch, to_text(position), 0);
    sink_.end(false, 0);
    return Handed::All;
  }
  // A channel does not pack blocks, so the messages found stay valid until all are given.
  chosen_.clear();
  while (chosen_.size() < unread.count && cursor.next(message)) {
    if (message.offset < unread.from) continue;
    if (!fits(message, given_ == 0 && chosen_.empty(), bytes_)) break;
    chosen_.push_back(message);
  }
  if (unread.count != 0 && chosen_.empty()) return Handed::NoRoom;
  position = chosen_.empty() ? channel.position_at(unread.from - 1) : channel.position_of(chosen_.back(), life);
  watch.position = position;
  messages_ -= std::max<uint64_t>(chosen_.size(), 1);
  given_ += chosen_.size();
  sink_.begin(watch, to_text(position), chosen_.size());
  for (const Message& one : chosen_) sink_.message(channel.position_of(one, life), one);
  const bool more = unread.more || chosen_.size() < unread.count;
  sink_.end(more, unread.missed);
  return more ? Handed::Some : Handed::All;
}

Result<FeedPosition> begin_in(const Log& log, const FeedStart& start) {
  LogPosition position{.epoch = log.epoch(), .offset = log.last()};
  if (start.kind == FeedStart::Kind::First) position.offset = log.first() - 1;
  if (start.kind == FeedStart::Kind::After) {
    if (!start.in_log) return bad(kNotInALog);
    if (start.in_log->epoch && start.in_log->epoch != position.epoch) return bad(kOfAnotherLog);
    if (start.in_log->offset > log.last()) return bad(kBehindTheEnd);
    position.offset = start.in_log->offset;
  }
  return position;
}

Result<FeedPosition> begin_in(const Channel& channel, const FeedStart& start, UnixMs wall) {
  ChannelStart begins{.kind = ChannelStart::Kind::First};
  if (start.kind == FeedStart::Kind::End) begins.kind = ChannelStart::Kind::End;
  if (start.kind == FeedStart::Kind::After) {
    if (!start.in_channel) return bad(kNotInAChannel);
    begins = {.kind = ChannelStart::Kind::After, .position = *start.in_channel};
  }
  const auto behind = channel.begins_behind(begins, channel.present(wall));
  if (!behind) return std::unexpected(behind.error());
  return channel.position_at(*behind);
}

Result<FeedPosition> begin_unborn(const FeedStart& start) {
  const bool is_start = start.in_log == LogPosition{.epoch = std::nullopt, .offset = Offset(0)};
  if (start.kind == FeedStart::Kind::After && !is_start) return bad(kNothingThere);
  return BeforeBirth();
}

bool has_news(const Log& log, const LogPosition& position) {
  return position.offset + 1 < end_of(log) || evicted_behind(log, position.offset) != 0;
}

bool has_news(const Channel& channel, const ChannelPosition& position) { return position.clock != channel.clock(); }

}  // namespace millrace
