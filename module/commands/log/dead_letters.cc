#include "module/commands/log/dead_letters.h"

#include "engine/base/hash_slot.h"
#include "engine/log/dead_letter_tag.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/owed_answers.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

bool has_room(const LogKey& target, const GivingUp& giving_up) {
  uint64_t messages = 0;
  for (const GivingUp::Part& part : giving_up.parts) messages += part.messages.count();
  return target.get() == nullptr || target.get()->room() >= messages;
}

}  // namespace

bool write_dead_letters(abi::Context context, abi::StringRef key, const Log& log, ByteView group_name,
                        const Group& group, const GivingUp& giving_up) {
  const std::string& target_name = group.settings().dead_letter;
  if (target_name.empty()) return true;
  const abi::OwnedString name(target_name);
  auto target = LogKey::for_writing(context, name);
  // A log may have been renamed to what was its DEADLETTER, or restored in another slot. Or their slot is being moved
  // away, and the letters have gone ahead: others in their place would be in the way of the log's own move.
  const bool elsewhere =
      context.is_cluster() && (hash_slot(target_name) != hash_slot(key.view()) ||
                               (target && target->get() == nullptr && context.is_served_elsewhere(name)));
  if (!target || elsewhere || target_name == key.view() || !has_room(*target, giving_up)) {
    abi::log_warning(
        "millrace: a group's dead letters cannot be written: the key holds no other log, a full one, or is in another "
        "slot or on another node; "
        "trying again in a minute");
    return false;
  }
  Log& letters = target->get_or_create();
  move_clock(context, name, letters);
  for (const GivingUp::Part& part : giving_up.parts) {
    part.messages.each([&](Offset offset) {
      Message message;
      Log::Cursor(log, offset).next(message);
      const std::string tag = dead_letter_tag(part.expired, part.attempts, offset, group_name, key.view(), message.tag);
      letters.append(tag, message.entry, block_limits());
      context.replicate("TWRITE", abi::StringRef(name), abi::StringRef(abi::OwnedString(tag)),
                        abi::StringRef(abi::OwnedString(message.entry)));
      ++counters.log.dead_letters;
    });
  }
  settle_evicted(letters, letters.enforce_size_limits());
  keep_appended(context, name, letters);
  context.changed(name, "twrite");
  serve_soon({context.database(), target_name});
  return true;
}

}  // namespace millrace::module
