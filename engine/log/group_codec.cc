#include "engine/log/group_codec.h"

#include "engine/base/decoder.h"

namespace millrace {

namespace {

constexpr uint64_t kPartsPerString = 1000;

void append_bytes(std::string& to, ByteView bytes) {
  append_varint(to, bytes.size());
  to += bytes;
}

void append_holder(std::string& to, const std::optional<ByteView>& holder) {
  append_varint(to, holder ? holder->size() + 1 : 0);
  if (holder) to += *holder;
}

std::optional<ByteView> read_holder(Decoder& in) {
  const uint64_t size = in.number();
  if (size == 0) return std::nullopt;
  return in.bytes(size - 1);
}

uint64_t encoded_date(uint64_t date) { return date == kNeverExpires ? 0 : date + 1; }

// Dates beyond what a range can hold are reported as such by bad_date().
uint64_t read_date(Decoder& in) {
  const uint64_t date = in.number();
  return date == 0 ? kNeverExpires : date - 1;
}

bool bad_date(uint64_t date) { return date > kNeverExpires; }

// True if all of them could be pending in a group that has delivered [first, next).
bool within(OffsetBits messages, Offset first, Offset next) {
  if (messages.bits == 0 || (messages.bits & 1) == 0) return false;
  const uint64_t width = 64 - static_cast<uint64_t>(std::countl_zero(messages.bits));
  return messages.first >= first && messages.first < next && width <= next - messages.first;
}

Result<Group*> named_group(Log& log, ByteView name) {
  Group* group = log.group(name);
  if (group == nullptr) return corrupt("a group that is not there");
  return group;
}

}  // namespace

std::string encode_group(const std::string& name, const Group& group) {
  std::string out;
  append_bytes(out, name);
  const GroupCounters& counters = group.counters();
  const GroupSettings& settings = group.settings();
  for (uint64_t number : {group.next().value(), counters.lost, counters.expired, counters.exhausted,
                          counters.redelivered, settings.pending_max, uint64_t{settings.max_attempts}}) {
    append_varint(out, number);
  }
  append_bytes(out, settings.dead_letter);
  return out;
}

Result<void> restore_group(Log& log, ByteView bytes) {
  Decoder in(bytes);
  const ByteView name = in.bytes(in.number());
  const Offset next(in.number());
  GroupCounters counters;
  counters.lost = in.number();
  counters.expired = in.number();
  counters.exhausted = in.number();
  counters.redelivered = in.number();
  GroupSettings settings;
  settings.pending_max = in.number();
  const uint64_t max_attempts = in.number();
  settings.dead_letter = in.bytes(in.number());
  if (!in.finished()) return corrupt("a group of the wrong length");
  if (next < log.first() || next > log.next()) return corrupt("a group outside its log");
  for (uint64_t number :
       {counters.lost, counters.expired, counters.exhausted, counters.redelivered, settings.pending_max}) {
    if (number > INT64_MAX) return corrupt("a group with an impossible number");
  }
  if (max_attempts > kMaxAttempts) return corrupt("a group with an impossible number of attempts");
  if (log.group(name) != nullptr) return corrupt("two groups of one name");
  settings.max_attempts = static_cast<uint32_t>(max_attempts);
  Group& group = log.create_group(name, next);
  group.restore(counters);
  group.set(std::move(settings));
  return {};
}

std::vector<std::string> encode_pending(const std::string& name, const Group& group) {
  std::vector<std::string> strings;
  uint64_t parts = 0, before = 0;
  group.pending().each_from(Offset(0), [&](const PendingPart& part) {
    if (parts++ % kPartsPerString == 0) {
      append_bytes(strings.emplace_back(), name);
      before = 0;
    }
    std::string& out = strings.back();
    const int shift = std::countr_zero(part.messages.bits);
    const uint64_t first = part.messages.first.value() + static_cast<uint64_t>(shift);
    for (uint64_t number :
         {first - before, part.messages.bits >> shift, part.terms.retry_at, uint64_t{part.terms.retry_ms},
          encoded_date(part.terms.expire_at), uint64_t{part.terms.attempts}}) {
      append_varint(out, number);
    }
    std::optional<ByteView> holder;
    if (part.terms.consumer.is_some()) holder = group.consumers().name(part.terms.consumer);
    append_holder(out, holder);
    before = first;
    return true;
  });
  return strings;
}

Result<void> restore_pending(Log& log, ByteView bytes) {
  Decoder in(bytes);
  auto group = named_group(log, in.bytes(in.number()));
  if (!group) return std::unexpected(group.error());
  struct Part {
    OffsetBits messages;
    PendingTerms terms;
    std::optional<ByteView> holder;
  };
  std::vector<Part> parts;
  // Ranges are in order and do not overlap.
  Offset free = (*group)->pending().empty() ? log.first() : (*group)->pending().end();
  uint64_t before = 0;
  while (in.ok() && !in.finished()) {
    Part& part = parts.emplace_back();
    part.messages.first = Offset(before + in.number());
    part.messages.bits = in.number();
    part.terms.retry_at = in.number();
    const uint64_t retry_ms = in.number();
    part.terms.expire_at = read_date(in);
    const uint64_t attempts = in.number();
    part.holder = read_holder(in);
    if (!in.ok()) break;
    if (part.messages.first < free || !within(part.messages, log.first(), (*group)->next())) {
      return corrupt("a pending message that was not delivered");
    }
    if (log.missing() != 0 && (part.messages.bits & ~log.messages_at(part.messages.first)) != 0) {
      return corrupt("a pending message that is not in the log");
    }
    if (part.terms.retry_at > kMaxPendingDate || bad_date(part.terms.expire_at) || retry_ms == 0 ||
        retry_ms > kMaxRetryMs || attempts == 0 || attempts > kMaxAttempts) {
      return corrupt("a pending message with impossible terms");
    }
    part.terms.retry_ms = static_cast<uint32_t>(retry_ms);
    part.terms.attempts = static_cast<uint32_t>(attempts);
    before = part.messages.first.value();
    free = part.messages.first + 64 - static_cast<uint64_t>(std::countl_zero(part.messages.bits));
  }
  if (!in.ok()) return corrupt("pending messages that end too early");
  for (const Part& part : parts) (*group)->restore_pending(part.messages, part.terms, part.holder);
  return {};
}

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
  for (const OffsetBits& part : delivery.again) {
    append_varint(out, part.first.value());
    append_varint(out, part.bits);
  }
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
  while (in.ok() && !in.finished()) {
    OffsetBits& part = delivery.again.emplace_back();
    part.first = Offset(in.number());
    part.bits = in.number();
    if (part.bits == 0 || part.first > kMaxOffset) return corrupt("a delivery of nothing");
  }
  if (!in.ok()) return corrupt("a delivery of the wrong length");
  if (delivery.at.value() > kMaxPendingDate || bad_date(delivery.expire_at) || retry_ms > kMaxRetryMs) {
    return corrupt("a delivery with impossible terms");
  }
  delivery.retry_ms = static_cast<uint32_t>(retry_ms);
  Group* group = log.group(name);
  const uint64_t missing_ahead = group == nullptr ? log.missing_from(delivery.fresh_first) : group->missing_ahead();
  const bool begins_well =
      group == nullptr ? delivery.fresh_first >= log.first() : delivery.fresh_first == group->next();
  if (!begins_well || delivery.fresh_first > log.next() ||
      delivery.fresh_count > log.next() - delivery.fresh_first - missing_ahead) {
    return corrupt("a delivery of messages that are not there");
  }
  log.locate(delivery);
  if (group == nullptr) group = &log.create_group(name, delivery.fresh_first);
  group->apply(delivery);
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
    if (part.messages.bits == 0 || part.messages.first > kMaxOffset) return corrupt("giving up nothing");
  }
  if (!in.ok()) return corrupt("given-up messages that end too early");
  (*group)->apply(giving_up);
  return {};
}

std::string encode_effect(ByteView group, const GivingBack& giving_back) {
  std::string out;
  append_bytes(out, group);
  append_varint(out, giving_back.at.value());
  append_varint(out, giving_back.postpone_expiry);
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
  giving_back.postpone_expiry = in.number() != 0;
  while (in.ok() && !in.finished()) {
    GivingBack::Piece& piece = giving_back.pieces.emplace_back();
    piece.from = Offset(in.number());
    piece.to = Offset(in.number());
    if (piece.to > kMaxOffset) return corrupt("given-back messages beyond the last offset");
  }
  if (!in.ok()) return corrupt("given-back messages that end too early");
  for (const GivingBack::Piece& piece : giving_back.pieces) {
    (*group)->give_back(piece.from, piece.to, giving_back.at, giving_back.postpone_expiry);
  }
  return {};
}

}  // namespace millrace
