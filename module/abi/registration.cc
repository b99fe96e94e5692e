#include "module/abi/registration.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

#include "module/abi/data_type.h"
#include "module/abi/slot_moves.h"
#include "module/abi/staging.h"

namespace millrace::abi {

namespace {

// Commands do not nest, so one list serves them all and is allocated once.
constinit std::vector<ByteView> views_of_call;
// After a call with more words than this, the list is freed, so that it does not keep the memory.
constexpr size_t kMostKept = 4096;

[[gnu::noinline]] void resize_views(size_t count) { views_of_call = std::vector<ByteView>(count); }

}  // namespace

std::span<const ByteView> Arguments::views(size_t from) const {
  const size_t count = count_ - from;
  if (views_of_call.size() < count || views_of_call.size() > std::max(count, kMostKept)) resize_views(count);
  ByteView* view = views_of_call.data();
  for (size_t i = from; i < count_; ++i) *view++ = (*this)[i];
  return {views_of_call.data(), count};
}

bool tell_keys(HostContext* context, Arguments arguments, FindOtherKeys find) {
  if (host.IsKeysPositionRequest(context) == 0) return false;
  host.KeyAtPosWithFlags(context, 1, static_cast<int>(kKeyReadOnly | kKeyAccess));
  for (size_t position : find(arguments)) {
    host.KeyAtPosWithFlags(context, static_cast<int>(position), static_cast<int>(kKeyReadWrite | kKeyInsert));
  }
  return true;
}

namespace {

// The host reads argument lists up to a nameless one, and copies them. `lists` keeps
// the nested ones alive until it has.
HostArgument* host_arguments(std::span<const ArgumentDoc> docs, std::deque<std::vector<HostArgument>>& lists) {
  if (docs.empty()) return nullptr;
  std::vector<HostArgument>& list = lists.emplace_back();
  list.reserve(docs.size() + 1);
  for (const ArgumentDoc& doc : docs) {
    HostArgument argument{};
    argument.name = doc.name;
    argument.kind = doc.kind;
    argument.key_spec_index = doc.kind == ArgumentKind::Key ? 0 : -1;
    argument.token = doc.token;
    argument.flags = doc.flags;
    argument.parts = host_arguments(doc.parts, lists);
    list.push_back(argument);
  }
  list.push_back(HostArgument{});
  return list.data();
}

bool refused(HostContext* loading, const char* what, const char* name) {
  host.Log(loading, "warning", "millrace: the host refuses the %s %s", what, name);
  return false;
}

constinit Contents loaded;

// Sets the categories that the host derives from the same flags for its own commands. Redis 7.0 has no way to put a
// module's command into a category; there, users allow it by name. A command that only has subcommands is in no
// category: otherwise denying the category would deny all subcommands.
bool set_categories(HostCommand* handle, const Command& command) {
  if (host.SetCommandACLCategories == nullptr || command.callback == nullptr) return true;
  const std::string_view flags = command.flags;
  const auto has = [&](std::string_view flag) { return flags.find(flag) != flags.npos; };
  std::string categories = has("fast") ? "fast" : "slow";
  if (has("readonly")) categories += " read";
  if (has("write")) categories += " write";
  if (has("blocking")) categories += " blocking";
  if (has("admin")) categories += " admin dangerous";
  return host.SetCommandACLCategories(handle, categories.c_str()) == kOk;
}

bool has_key(const Command& command) { return command.key_flags != 0; }

bool is_subcommand(const Command& command) {
  return std::string_view(command.name).find(' ') != std::string_view::npos;
}

// Containers and their subcommands are registered in lower case, as the host registers its own: to find the key, a
// cluster client (redis-py) looks for "tgroup|set" in the reply to COMMAND and compares byte by byte. The host itself
// takes names in any case.
std::string registered_name(const Command& command) {
  std::string name = command.name;
  if (command.callback != nullptr && !is_subcommand(command)) return name;
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return name;
}

// Null if the host refuses.
HostCommand* create_command(HostContext* loading, const Command& command) {
  std::string name = registered_name(command);
  const size_t space = name.find(' ');
  if (space == name.npos) {
    const int key = has_key(command) ? command.key_position : 0;
    const int step = has_key(command) ? 1 : 0;
    const bool has_others = (command.key_flags & kOtherKeys) != 0;
    const std::string flags = std::string(command.flags) + (has_others ? " getkeys-api" : "");
    if (host.CreateCommand(loading, name.c_str(), command.callback, flags.c_str(), key, key, step) != kOk) {
      return nullptr;
    }
  } else {
    HostCommand* parent = host.GetCommand(loading, name.substr(0, space).c_str());
    const int key = has_key(command) ? 2 : 0;
    const int step = has_key(command) ? 1 : 0;
    if (parent == nullptr || host.CreateSubcommand(parent, name.c_str() + space + 1, command.callback, command.flags,
                                                   key, key, step) != kOk) {
      return nullptr;
    }
    name[space] = '|';  // as the host names it
  }
  return host.GetCommand(loading, name.c_str());
}

bool register_command(HostContext* loading, const Command& command) {
  static constexpr HostCommandInfoVersion kVersion{1, sizeof(HostHistoryEntry), sizeof(HostKeySpec),
                                                   sizeof(HostArgument)};
  HostCommand* handle = create_command(loading, command);
  if (handle == nullptr) return refused(loading, "command", command.name);
  HostKeySpec keys[2]{};  // the second, empty, ends the list
  keys[0].flags = command.key_flags;
  keys[0].begin_search_type = kBeginSearchIndex;
  keys[0].begin_search.index.position = is_subcommand(command) ? 2 : command.key_position;
  keys[0].find_keys_type = kFindKeysRange;
  keys[0].find_keys.range = {0, 1, 0};

  std::deque<std::vector<HostArgument>> lists;
  HostCommandInfo info{};
  info.version = &kVersion;
  info.summary = command.summary;
  info.complexity = command.complexity;
  info.since = command.since;
  info.arity = command.arity;
  if (has_key(command)) info.key_specs = keys;
  info.arguments = host_arguments(command.arguments, lists);
  if (host.SetCommandInfo(handle, &info) != kOk || !set_categories(handle, command)) {
    return refused(loading, "description of", command.name);
  }
  return true;
}

void set_value(const Setting& setting, long long value) {
  *setting.value = value;
  if (setting.changed != nullptr) setting.changed();
}

// The host returns the pointer that it was given, without const.
const Setting& setting_of(void* data) { return *static_cast<const Setting*>(data); }

bool register_setting(HostContext* loading, const Setting& setting) {
  void* const data = const_cast<Setting*>(&setting);
  int registered = kErr;
  if (setting.kind == SettingKind::YesNo) {
    const auto get = [](const char*, void* of) { return *setting_of(of).value != 0 ? 1 : 0; };
    const auto set = [](const char*, int yes, void* of, HostString**) {
      set_value(setting_of(of), yes);
      return kOk;
    };
    registered = host.RegisterBoolConfig(loading, setting.name, static_cast<int>(setting.initial), kSettingDefault, get,
                                         set, nullptr, data);
  } else {
    const auto get = [](const char*, void* of) { return *setting_of(of).value; };
    const auto set = [](const char*, long long number, void* of, HostString**) {
      set_value(setting_of(of), number);
      return kOk;
    };
    const unsigned flags = setting.kind == SettingKind::Memory ? kSettingMemory : kSettingDefault;
    registered = host.RegisterNumericConfig(loading, setting.name, setting.initial, flags, setting.min, setting.max,
                                            get, set, nullptr, data);
  }
  return registered == kOk || refused(loading, "setting", setting.name);
}

bool register_info(HostContext* loading) {
  return host.RegisterInfoFunc(loading, [](HostInfo* info, int) {
    if (host.InfoAddSection(info, "") != kOk) return;
    InfoWriter writer(info);
    for (const Part& part : loaded.parts) part.write_info(writer);
  }) == kOk;
}

// A promotion counts also before the first command of ours. Only a replica loads a data set beside the one in use.
void on_role(HostContext* context, HostEvent, uint64_t subevent, void*) {
  const bool is_master = subevent == kRoleNowMaster;
  if (!is_master) watch_staging(context);
  loaded.listener.now_deciding(is_master);
  if (is_master) loaded.listener.promoted();
}

bool watch_role(HostContext* loading) {
  const bool is_master = Context(loading).is_master();
  loaded.listener.now_deciding(is_master);
  if (!is_master) watch_staging(loading);
  return host.SubscribeToServerEvent(loading, kEventRoleChanged, on_role) == kOk;
}

bool register_all(HostContext* loading) {
  for (const Part& part : loaded.parts) {
    for (const Command& command : part.commands) {
      if (!register_command(loading, command)) return false;
    }
    if (part.create_type != nullptr && !part.create_type(loading)) return refused(loading, "types of", loaded.name);
  }
  for (const Setting& setting : loaded.settings) {
    if (!register_setting(loading, setting)) return false;
  }
  return register_info(loading) && watch_role(loading) && watch_slot_moves(loading) && host.LoadConfigs(loading) == kOk;
}

// Redis 7.0.0, as the host counts.
constexpr int kOldestHost = 0x00070000;

}  // namespace

const Listener& listener() { return loaded.listener; }

void key_left(const KeyPlace& place) { loaded.listener.key_left(place.database, place.name); }

}  // namespace millrace::abi

// What the host calls when it has opened the library.
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(millrace::abi::HostContext* loading, void**,
                                                                         int) {
  using namespace millrace::abi;
  if (!bind(loading)) return kErr;
  loaded = contents();
  host.SetModuleAttribs(loading, loaded.name, loaded.version, kApiVersion);
  if (host.GetServerVersion() < kOldestHost) {
    host.Log(loading, "warning", "millrace: needs Redis 7.0 or Valkey 7.2 at least");
    return kErr;
  }
  host.SetModuleOptions(loading, kHandleIoErrors | kNoImplicitSignalModified | kHandleStaging | kHandleMovingSlots);
  make_own_context(loading);
  return register_all(loading) ? kOk : kErr;
}
