#include "engine/log/group_effects.h"

#include <algorithm>

#include "engine/base/decoder.h"
#include "engine/log/group_bytes.h"

namespace millrace {

using namespace group_bytes;

namespace {

void append_pieces(std::string& to, const std::vector<OffsetBits>& pieces) {
  for (const OffsetBits& piece : pieces) {
    append_varint(to, piece.first.value());
    append_varint(to, piece.bits);
  }
}

constexpr uint64_t kPostponed = 1, kReleased = 2, kUncounted = 4;
constexpr uint64_t kMostFlags = kPostponed | kReleased | kUncounted;

uint64_t flags_of(GiveBack how) {
  return (how.postpones_expiry ? kPostponed : 0) | (how.releases ? kReleased : 0) | (how.is_uncounted ? kUncounted : 0);
}

GiveBack how_of(uint64_t flags) {
  return {.postpones_expiry = (flags & kPostponed) != 0,
          .releases = (flags & kReleased) != 0,
          .is_uncounted = (flags & kUncounted) != 0};
}

// Reads pieces up to the end. False if one of them is empty or beyond the last possible offset.
bool read_pieces(Decoder& in, std::vector<OffsetBits>& pieces) {
  while (in.ok() && !in.finished()) {
    OffsetBits& piece = pieces.emplace_back();
    piece.first = Offset(in.number());
    piece.bits = in.number();
    if (piece.bits == 0 || piece.first > kMaxOffset) return false;
  }
  return true;
}

}  // namespace

std::string encode_effect(ByteView group, const Delivery& delivery) {
  std::string out;
  out.reserve(64 + group.size() + (delivery.consumer ? delivery.consumer->size() : 0) + delivery.again.size() * 16);
  append_bytes(out, group);
  append_varint(out, delivery.at.value());
  std::optional<ByteView> holder;
  if (delivery.consumer) holder = *delivery.consumer;
  append_holder(out, holder);
  for (uint64_t number : {uint64_t{delivery.retry_ms}, encoded_date(delivery.expire_at), delivery.fresh_first.value(),
                          delivery.fresh_count}) {
    append_varint(out, number);
  }
  append_pieces(out, delivery.again);
  return out;
}

Result<void> apply_delivery(Log& log, ByteView bytes) {
  Decoder in(bytes);
  const ByteView name = in.bytes(in.number());
  Delivery delivery;
  delivery.at = UnixMs(in.number());
  if (const auto holder = read_holder(in)) delivery.consumer = std::string(*holder);
  const uint64_t retry_ms = in.number();
  delivery.expire_at = read_date(in);
  delivery.fresh_first = Offset(in.number());
  delivery.fresh_count = in.number();
  if (!read_pieces(in, delivery.again)) return corrupt("a delivery of no messages");
  if (!in.ok()) return corrupt("a delivery of the wrong length");
  if (delivery.at.value() > kMaxPendingDate || bad_date(delivery.expire_at) || retry_ms > kMaxRetryMs) {
    return corrupt("a delivery with impossible terms");
  }
  delivery.retry_ms = static_cast<uint32_t>(retry_ms);
  Group* group = log.group(name);
  // A replica evicts what all groups have finished after each effect, not at the end of a read. So its log may begin
  // after a gap that the group had not passed yet.
  delivery.fresh_first = std::max(delivery.fresh_first, log.first());
  const uint64_t missing_ahead = group == nullptr ? log.missing_from(delivery.fresh_first) : group->missing_ahead();
  const bool begins_well = group == nullptr || delivery.fresh_first == group->next();
  if (!begins_well || delivery.fresh_first > log.next() ||
      delivery.fresh_count > log.next() - delivery.fresh_first - missing_ahead) {
    return corrupt("a delivery of messages that do not exist");
  }
  log.locate(delivery);
  if (group == nullptr) group = &log.create_group(name, delivery.fresh_first);
  group->stop_clock();
  group->apply(delivery);
  return {};
}

std::string encode_effect(ByteView group, const std::vector<OffsetBits>& finished) {
  std::string out;
  append_bytes(out, group);
  append_pieces(out, finished);
  return out;
}

Result<void> apply_finish(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  std::vector<OffsetBits> finished;
  if (!read_pieces(in, finished)) return corrupt("finishing no messages");
  if (!in.ok()) return corrupt("finished messages that end too early");
  (*group)->finish(finished);
  return {};
}

std::string encode_effect(ByteView group, const GivingUp& giving_up) {
  std::string out;
  append_bytes(out, group);
  for (const GivingUp::Part& part : giving_up.parts) {
    for (uint64_t number :
         {part.messages.first.value(), part.messages.bits, uint64_t{part.attempts}, uint64_t{part.expired}}) {
      append_varint(out, number);
    }
  }
  return out;
}

Result<void> apply_giving_up(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  GivingUp giving_up;
  while (in.ok() && !in.finished()) {
    GivingUp::Part& part = giving_up.parts.emplace_back();
    part.messages.first = Offset(in.number());
    part.messages.bits = in.number();
    part.attempts = static_cast<uint32_t>(in.number());
    part.expired = in.number() != 0;
    if (part.messages.bits == 0 || part.messages.first > kMaxOffset) return corrupt("giving up no messages");
  }
  if (!in.ok()) return corrupt("given-up messages that end too early");
  (*group)->apply(giving_up);
  return {};
}

std::string encode_effect(ByteView group, const GivingBack& giving_back) {
  std::string out;
  append_bytes(out, group);
  append_varint(out, giving_back.at.value());
  append_varint(out, flags_of(giving_back.how));
  for (const GivingBack::Piece& piece : giving_back.pieces) {
    append_varint(out, piece.from.value());
    append_varint(out, piece.to.value());
  }
  return out;
}

Result<void> apply_giving_back(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  GivingBack giving_back;
  giving_back.at = UnixMs(in.number());
  const uint64_t flags = in.number();
  while (in.ok() && !in.finished()) {
    GivingBack::Piece& piece = giving_back.pieces.emplace_back();
    piece.from = Offset(in.number());
    piece.to = Offset(in.number());
    if (piece.to > kMaxOffset) return corrupt("given-back messages beyond the last offset");
  }
  if (!in.ok()) return corrupt("given-back messages that end too early");
  if (flags > kMostFlags) return corrupt("messages given back in an unknown way");
  giving_back.how = how_of(flags);
  for (const GivingBack::Piece& piece : giving_back.pieces) {
    (*group)->give_back(piece.from, piece.to, giving_back.at, giving_back.how);
  }
  return {};
}

std::string encode_effect(ByteView group, const Repetition& repetition) {
  std::string out;
  append_bytes(out, group);
  append_varint(out, repetition.at.value());
  append_varint(out, repetition.retry_ms);
  append_pieces(out, repetition.messages);
  return out;
}

Result<void> apply_repetition(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  const UnixMs at(in.number());
  const uint64_t retry_ms = in.number();
  std::vector<OffsetBits> messages;
  if (!read_pieces(in, messages)) return corrupt("repeating no messages");
  if (!in.ok()) return corrupt("repeated messages that end too early");
  if (at.value() > kMaxPendingDate || retry_ms == 0 || retry_ms > kMaxRetryMs) {
    return corrupt("a repetition with impossible terms");
  }
  (*group)->repeat(messages, at, static_cast<uint32_t>(retry_ms));
  return {};
}

std::string encode_effect(ByteView group, UnixMs used) {
  std::string out;
  append_bytes(out, group);
  append_varint(out, used.value());
  return out;
}

Result<void> apply_use(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  const UnixMs used(in.number());
  if (!in.finished() || used.value() > kMaxPendingDate) return corrupt("a use with an impossible date");
  (*group)->set_used(used);
  return {};
}

Result<void> apply_drop(Log& log, ByteView bytes) {
  if (!log.drop_group(bytes)) return corrupt("a group that does not exist");
  return {};
}

}  // namespace millrace
