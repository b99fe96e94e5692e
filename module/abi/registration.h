// What is registered with the host once, when the module loads: commands, settings, INFO fields, and events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "module/abi/context.h"
#include "module/abi/host.h"
#include "module/abi/host_events.h"

namespace millrace::abi {

// --- commands ---

// The words of a call, its name first.
class Arguments {
 public:
  Arguments(HostString** strings, int count) : strings_(strings), count_(static_cast<size_t>(count)) {}

  size_t size() const { return count_; }
  StringRef string(size_t i) const { return StringRef(strings_[i]); }
  ByteView operator[](size_t i) const { return string(i).view(); }

  // All of them from `from` on. Borrowed until the next call of this function.
  std::span<const ByteView> views(size_t from) const;

 private:
  HostString** strings_;
  size_t count_;
};

using Handler = void (*)(Context, Arguments);

// One argument of a command as COMMAND DOCS shows it.
struct ArgumentDoc {
  const char* name;
  ArgumentKind kind = ArgumentKind::String;
  const char* token = nullptr;
  int flags = 0;  // kArgumentOptional, kArgumentMultiple, kArgumentMultipleToken
  std::span<const ArgumentDoc> parts = {};
};

// One row of the command table. A command has exactly one key, its first argument unless it says otherwise: that makes
// it cluster-safe. Commands that query the node itself, or show help, have no key. Commands that also write to other
// keys declare these (kOtherKeys). A command with subcommands has its own row, without handler, before theirs.
struct Command {
  const char* name;    // "TGROUP LIST" is the subcommand LIST of TGROUP
  const char* flags;   // flags as the host names them: "write deny-oom fast"
  uint64_t key_flags;  // what it does with its key; 0: it has none
  int arity;           // number of words including the name; negative: at least
  const char* summary;
  const char* complexity;
  const char* since;
  std::span<const ArgumentDoc> arguments;  // including the key
  CommandCallback callback;                // of<handler>; null: it has subcommands
  int key_position = 1;                    // which word is the key; not used for a subcommand
};

// The callback for a handler. Subcommands see their words without the command's, so that
// the key is always word 1.
template <Handler handler>
int of(HostContext* context, HostString** strings, int count) {
  watch_host();
  handler(Context(context), Arguments(strings, count));
  return kOk;
}
template <Handler handler>
int of_subcommand(HostContext* context, HostString** strings, int count) {
  watch_host();
  handler(Context(context), Arguments(strings + 1, count - 1));
  return kOk;
}

// One of the key_flags: there are keys besides the first, which the callback of_several returns when the host asks.
inline constexpr uint64_t kOtherKeys = kKeyIncomplete;
// Which of the words (the name is word 0) are other keys that are written to. Empty if the words are not a valid call.
using FindOtherKeys = std::vector<size_t> (*)(Arguments);
// If the host only asks for the keys of a call, reports them and returns true.
bool tell_keys(HostContext* context, Arguments arguments, FindOtherKeys find);
template <Handler handler, FindOtherKeys find>
int of_several(HostContext* context, HostString** strings, int count) {
  watch_host();
  const Arguments arguments(strings, count);
  if (!tell_keys(context, arguments, find)) handler(Context(context), arguments);
  return kOk;
}

// --- settings ---

enum class SettingKind { Number, Memory, YesNo };  // Memory: accepts "16kb"

// A number that is millrace.<name> in CONFIG GET/SET and in the configuration file; yes is 1.
struct Setting {
  const char* name;  // without "millrace."
  long long initial;
  long long min;
  long long max;
  SettingKind kind;
  long long* value;
  void (*changed)() = nullptr;  // called whenever it has been set
};

// --- INFO ---

class InfoWriter {
 public:
  explicit InfoWriter(HostInfo* info) : info_(info) {}
  void field(const char* name, uint64_t value) { host.InfoAddFieldULongLong(info_, name, value); }

 private:
  HostInfo* info_;
};

// --- events ---

// What happens to a data set, or a part of one, that is loaded from a file or a master.
enum class Loading {
  Begins,  // in place of the data set in use, whose keys were removed before
  Ends,
  Fails,         // the part that was loaded stays
  BeginsAside,   // beside the data set in use (staging.h)
  TakesOver,     // what was staged is in use from now on, and what was in use is freed
  IsThrownAway,  // what was staged is freed
};
// True if the keys that are in use from now on are others than before.
constexpr bool replaces_keys(Loading moment) {
  return moment == Loading::Ends || moment == Loading::Fails || moment == Loading::TakesOver;
}

// Slots of a cluster; both ends belong to the range.
struct SlotRange {
  uint16_t first;
  uint16_t last;
};

// Callbacks for events outside of commands. All are called on the main thread.
struct Listener {
  void (*now_deciding)(bool deciding);  // see module/runtime/role.h
  void (*promoted)();                   // the server was a replica and is now a master; called after now_deciding
  void (*databases_swapped)(int first, int second);
  void (*loading)(Loading);                      // of the whole data set
  void (*database_emptied)(int database);        // -1: all
  void (*databases_replaced)();                  // called after each of these events
  void (*key_appeared)(Context, StringRef key);  // RENAME, COPY, MOVE or RESTORE created the key
  void (*key_left)(int database, ByteView key);  // a key of one of our types was removed, by any command
  // Whole slots are being copied to this node, or to the master of this replica, by this job of the host. Until it has
  // ended they are served by another node. A job that is begun again replaces its slots.
  void (*import_begins)(ByteView job, std::span<const SlotRange> slots);
  void (*import_ended)(ByteView job);  // the slots are served here now, or their keys are deleted
  // Any event of a key of any type; called after watch_documents().
  void (*document_changed)(Context, StringRef key, const char* event);
  void (*loop_ends)(Context);  // a turn of the event loop ends; called after watch_loop()
};

// --- the whole ---

// DataType<T>::create of each type.
using CreateType = bool (*)(HostContext*);

// A family of commands and its type, or commands that belong to no family.
struct Part {
  std::span<const Command> commands;
  CreateType create_type;  // null: it has none
  void (*write_info)(InfoWriter&);
};

struct Contents {
  const char* name = nullptr;
  int version = 0;
  std::vector<Part> parts;
  std::span<const Setting> settings;
  Listener listener{};
};

// The contents of the module; defined in module/module.cc. The host's entry point, in registration.cc, calls this once
// and registers them.
Contents contents();

// The listener to events: contents().listener, once the module is loaded.
const Listener& listener();

}  // namespace millrace::abi
