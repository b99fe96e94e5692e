// What is told to the host once, when the module loads: commands, settings, INFO
// fields, and which events we want to hear of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "module/abi/context.h"
#include "module/abi/host.h"

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

// One row of the command table. A command has exactly one key, its first argument unless it says otherwise: that
// makes it cluster-safe. Those that ask a node about itself, or for help, have none, and those
// that write to other keys too say which (kOtherKeys). A command with subcommands has a row of
// its own, without handler, before theirs.
struct Command {
  const char* name;    // "TGROUP LIST" is the subcommand LIST of TGROUP
  const char* flags;   // the host's words: "write deny-oom fast"
  uint64_t key_flags;  // what it does with its key; 0: it has none
  int arity;           // with the name; negative: at least
  const char* summary;
  const char* complexity;
  const char* since;
  std::span<const ArgumentDoc> arguments;  // the key among them
  CommandCallback callback;                // of<handler>; null: it has subcommands
  int key_position = 1;                    // which word is the key; not of a subcommand
};

// The callback for a handler. Subcommands see their words without the command's, so that
// the key is always word 1.
template <Handler handler>
int of(HostContext* context, HostString** strings, int count) {
  handler(Context(context), Arguments(strings, count));
  return kOk;
}
template <Handler handler>
int of_subcommand(HostContext* context, HostString** strings, int count) {
  handler(Context(context), Arguments(strings + 1, count - 1));
  return kOk;
}

// Among the key_flags: there are keys besides the first, which the callback of_several names
// when the host asks.
inline constexpr uint64_t kOtherKeys = kKeyIncomplete;
// Which of the words, the name first, are other keys to be written to. None if the words are no call.
using FindOtherKeys = std::vector<size_t> (*)(Arguments);
// If the host only asks for the keys of a call, tells it, and returns true.
bool tell_keys(HostContext* context, Arguments arguments, FindOtherKeys find);
template <Handler handler, FindOtherKeys find>
int of_several(HostContext* context, HostString** strings, int count) {
  const Arguments arguments(strings, count);
  if (!tell_keys(context, arguments, find)) handler(Context(context), arguments);
  return kOk;
}

// --- aliases ---

// The words of a command before the host has looked it up, the name first.
class IncomingWords {
 public:
  explicit IncomingWords(HostFilterCall* call) : call_(call) {}

  size_t size() const { return static_cast<size_t>(host.CommandFilterArgsCount(call_)); }
  ByteView operator[](size_t i) const { return StringRef(host.CommandFilterArgGet(call_, static_cast<int>(i))).view(); }

 private:
  HostFilterCall* call_;
};

// A command that becomes another one if its words say so, before the host judges it by its flags: whether the user may
// run it, whether it is a write. The host asks for every command of every client.
struct Alias {
  ByteView name;       // in lower case
  size_t least_words;  // with fewer, the name among them, it does not apply
  const char* other;
  bool (*applies)(const IncomingWords&);
};

// --- settings ---

enum class SettingKind { Number, Memory, YesNo };  // Memory: "16kb" is understood

// A number that CONFIG GET/SET and the configuration file know as millrace.<name>; yes is 1.
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

// How far the host is with loading a data set, or a part of one, from a file or a master.
enum class Loading { Begins, Ends, Fails };

// Listeners to what happens around the commands. All are called on the main
// thread.
struct Listener {
  void (*now_deciding)(bool deciding);  // see module/runtime/role.h
  void (*promoted)();                   // it was a replica and is a master; after now_deciding
  void (*databases_swapped)(int first, int second);
  void (*loading)(Loading);                      // of everything there is
  void (*database_emptied)(int database);        // -1: all
  void (*databases_replaced)();                  // after either, whatever it was
  void (*key_appeared)(Context, StringRef key);  // RENAME, COPY, MOVE, RESTORE put something there
  void (*key_left)(int database, ByteView key);  // one of ours, by whatever command
  // Whatever happened to a key, of any type; after watch_documents().
  void (*document_changed)(Context, StringRef key, const char* event);
  void (*loop_ends)(Context);  // a turn of the event loop; after watch_loop()
};

// --- the whole ---

// DataType<T>::create of each type.
using CreateType = bool (*)(HostContext*);

// A family of commands and its type, or what belongs to none.
struct Part {
  std::span<const Command> commands;
  CreateType create_type;  // null: it has none
  void (*write_info)(InfoWriter&);
  std::span<const Alias> aliases = {};
};

struct Contents {
  const char* name = nullptr;
  int version = 0;
  std::vector<Part> parts;
  std::span<const Setting> settings;
  Listener listener{};
};

// What the module consists of; defined in module/module.cc. The host's entry point, in
// registration.cc, asks once and registers it.
Contents contents();

// The listener to events: contents().listener, once the module is loaded.
const Listener& listener();

}  // namespace millrace::abi
