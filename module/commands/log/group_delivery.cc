#include "module/commands/log/group_delivery.h"

#include "engine/log/group_codec.h"
#include "module/commands/log/dead_letters.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

constexpr int kTurnsPerRead = 10;
// How long a message waits that could not be moved to the dead letters.
constexpr uint64_t kDeadLetterRetryMs = 60'000;

template <class Effect>
void replicate_effect(abi::Context context, abi::StringRef key, const char* what, ByteView group,
                      const Effect& effect) {
  context.replicate(kApply, key, what, abi::StringRef(abi::OwnedString(encode_effect(group, effect))));
}

void give_up(abi::Context context, abi::StringRef key, Log& log, ByteView name, Group& group, UnixMs now) {
  const auto event = group.next_event();
  if (!event || *event > now) return;
  const GivingUp giving_up = group.give_up_due(now, kRangesPerTurn);
  if (giving_up.empty()) return;
  if (!write_dead_letters(context, key, log, name, group, giving_up)) {
    GivingBack back{.at = now + kDeadLetterRetryMs, .postpone_expiry = true, .pieces = {}};
    for (const GivingUp::Part& part : giving_up.parts) {
      const Offset last = part.messages.first + 63 - static_cast<uint64_t>(std::countl_zero(part.messages.bits));
      back.pieces.push_back({part.messages.first, last});
      group.give_back(part.messages.first, last, back.at, true);
    }
    return replicate_effect(context, key, kApplyGivenBack, name, back);
  }
  group.apply(giving_up);
  for (const GivingUp::Part& part : giving_up.parts) counters.log.given_up += part.messages.count();
  replicate_effect(context, key, kApplyGivenUp, name, giving_up);
  context.changed(key, "tgiveup");
}

}  // namespace

void give_up_due_messages(abi::Context context, abi::StringRef key, Log& log, UnixMs now) {
  bool any = false;
  for (const auto& [name, group] : log.groups()) {
    const auto event = group.next_event();
    if (!event || *event > now) continue;
    give_up(context, key, log, name, *log.group(name), now);
    any = true;
  }
  if (any) settle_groups(log);
}

Delivery deliver(abi::Context context, abi::StringRef key, Log& log, const GroupRead& read, uint64_t count) {
  const UnixMs now = abi::now();
  Group* group = log.group(read.name);
  const bool is_new = group == nullptr;
  if (is_new) group = &log.create_group(read.name, read.at_tail ? log.next() : log.first());
  // More may be due than one turn looks at, and fresh messages must not overtake it.
  for (int turn = 0; turn < kTurnsPerRead && group->next_event() && *group->next_event() <= now; ++turn) {
    give_up(context, key, log, read.name, *group, now);
  }
  Delivery delivery = group->plan(log.next(), count, now, read.retry, read.consumer, default_pending_max());
  if (delivery.empty() && !is_new) return delivery;
  log.locate(delivery);
  group->apply(delivery);
  replicate_effect(context, key, kApplyDelivered, read.name, delivery);
  context.changed(key, "tread");
  return delivery;
}

}  // namespace millrace::module
