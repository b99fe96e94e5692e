#include "engine/log/group_codec.h"

#include <algorithm>

#include "engine/base/decoder.h"
#include "engine/log/group_bytes.h"

namespace millrace {

using namespace group_bytes;

namespace {

constexpr uint64_t kPartsPerString = 1000;

// True if all these messages could be pending in a group that has delivered [first, next).
bool within(OffsetBits messages, Offset first, Offset next) {
  if (messages.bits == 0 || (messages.bits & 1) == 0) return false;
  const uint64_t width = 64 - static_cast<uint64_t>(std::countl_zero(messages.bits));
  return messages.first >= first && messages.first < next && width <= next - messages.first;
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
  const uint64_t more[] = {group.fresh_is_next(), settings.idle_ms, group.used().value(),
                           group.last_delivery().value()};
  if (std::ranges::any_of(more, [](uint64_t number) { return number != 0; })) {
    for (uint64_t number : more) append_varint(out, number);
  }
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
  // A group of version 1.0.0 ends here.
  const bool has_more = !in.finished();
  const uint64_t fresh_is_next = has_more ? in.number() : 0;
  settings.idle_ms = has_more ? in.number() : 0;
  const UnixMs used(has_more ? in.number() : 0);
  const UnixMs last_delivery(has_more ? in.number() : 0);
  if (!in.finished()) return corrupt("a group of the wrong length");
  if (next < log.first() || next > log.next()) return corrupt("a group outside its log");
  for (uint64_t number :
       {counters.lost, counters.expired, counters.exhausted, counters.redelivered, settings.pending_max}) {
    if (number > INT64_MAX) return corrupt("a group with an impossible number");
  }
  if (fresh_is_next > 1 || settings.idle_ms > kMaxPendingDate || used.value() > kMaxPendingDate ||
      last_delivery.value() > kMaxPendingDate) {
    return corrupt("a group with impossible dates");
  }
  if (max_attempts > kMaxAttempts) return corrupt("a group with an impossible number of attempts");
  if (log.group(name) != nullptr) return corrupt("two groups with the same name");
  settings.max_attempts = static_cast<uint32_t>(max_attempts);
  Group& group = log.create_group(name, next);
  group.restore(counters);
  group.restore_turn(fresh_is_next != 0);
  group.restore_clock(last_delivery);
  group.set_used(used);
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
        retry_ms > kMaxRetryMs || attempts > kMaxAttempts) {
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

}  // namespace millrace
