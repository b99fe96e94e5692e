#include "module/log/hosted_logs.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/hash_slot.h"
#include "engine/base/quoted.h"
#include "module/log/log_object.h"
#include "module/runtime/deferred_wakes.h"
#include "module/runtime/tell.h"
#include "module/runtime/waiting.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

namespace {

class HostedLogs final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>& from, ByteView to) override {
    return may_write_other_log(context_of(from), "both logs", from.name(), to);
  }
  bool write(const Place<Log>& from, ByteView to, const WriteRequest& request) override {
    return write_other_log(context_of(from), from.name(), to, request);
  }

 private:
  // The cast is safe: in this process, every place of a log is a key.
  static abi::Context context_of(const Place<Log>& place) { return static_cast<const KeyPlace<Log>&>(place).context(); }
};

// TWRITE key tag entry. With ENTRIES if there are several messages, or if the tag could be read as an option of TWRITE.
HeldArguments write_command(abi::StringRef name, const WriteRequest& request) {
  std::vector<abi::OwnedString> words;
  words.reserve(request.pairs.size() + 3);
  words.emplace_back("TWRITE");
  words.emplace_back(name.view());
  if (request.pairs.size() > 2 || is_keyword(request.pairs[0], "FRAMED")) words.emplace_back("ENTRIES");
  for (ByteView part : request.pairs) words.emplace_back(part);
  return HeldArguments(std::move(words));
}

}  // namespace

// The key may have been restored in another slot than that of the log. Or their slot is being migrated, and the log has
// already moved: a new log here would block the migration of the key.
bool is_log_elsewhere(abi::Context context, ByteView from, abi::StringRef to) {
  if (!context.is_cluster()) return false;
  if (hash_slot(to.view()) != hash_slot(from)) return true;
  const auto key = LogKey::for_upkeep(context, to);
  return key && key->get() == nullptr && context.is_served_elsewhere(to);
}

Result<void> may_reach_log(abi::Context context, const char* both, ByteView from, ByteView to) {
  if (context.is_cluster() && hash_slot(to) != hash_slot(from)) {
    return fail(ErrorCode::Range, std::string(both) + " must be in one hash slot: give their keys the same {tag}");
  }
  const abi::OwnedString name(to);
  static const auto& twrite_word = *new abi::OwnedString("TWRITE");
  const abi::StringRef words[] = {twrite_word, name, name, name};
  if (!context.is_effect() && !context.may_run(words)) {
    return fail(ErrorCode::NoRights, "this user may not TWRITE to " + quoted(to));
  }
  return {};
}

Result<void> may_write_other_log(abi::Context context, const char* both, ByteView from, ByteView to) {
  if (const auto may = may_reach_log(context, both, from, to); !may) return may;
  const auto opened = LogKey::for_reading(context, abi::OwnedString(to));
  if (!opened) return std::unexpected(opened.error());
  return {};
}

bool write_other_log(abi::Context context, ByteView from, ByteView to, const WriteRequest& request) {
  const abi::OwnedString name(to);
  if (is_log_elsewhere(context, from, name) || !write_to_log(context, name, request)) {
    abi::log_warning(
        "millrace: dead letters cannot be written: the key holds no other log, or one that is full or refuses them for "
        "its groups, or is in another slot or on another node; what a group gives up is tried again in a minute");
    return false;
  }
  return true;
}

OtherLogs& hosted_logs() {
  static HostedLogs logs;
  return logs;
}

Result<Offset> write_to_log(abi::Context context, abi::StringRef name, const WriteRequest& request) {
  auto key = LogKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  KeyPlace<Log> place(context, name, *key);
  const auto outcome = log_operations().write(place, request, {.now = ObjectTraits<Log>::now()});
  if (!outcome.answer) return std::unexpected(outcome.answer.error());
  const HeldArguments command = write_command(name, request);
  tell(context, name, ObjectTraits<Log>::kApply, outcome.consequences, &command);
  keep_date(place, outcome.consequences);
  ObjectTraits<Log>::settle(place, outcome.consequences);
  tell_watchers(place, outcome.consequences.wake);
  wake_later(place.database_key());
  return outcome.answer->offset;
}

}  // namespace millrace::module
