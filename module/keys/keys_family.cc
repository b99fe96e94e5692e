#include "module/keys/key_catalog.h"
#include "module/keys/keys_commands.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kKeys[] = {
    {.name = "type", .token = "TYPE", .flags = kOptional},
    {.name = "pattern", .kind = Pattern, .token = "MATCH", .flags = kOptional},
    {.name = "cursor", .token = "CURSOR", .flags = kOptional},
    {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional},
    {.name = "withinfo", .kind = PureToken, .token = "WITHINFO", .flags = kOptional},
};

constexpr abi::Command kCommands[] = {
    {
        .name = "MILLRACE.KEYS",
        .flags = "readonly",
        .key_flags = 0,
        .arity = -1,
        .summary = "Lists the keys of our types in the order of their names, page by page, with figures if asked to.",
        .complexity =
            "O(log(N)+M) with N keys of our types and M of them looked at; half a millisecond at most, and the "
            "figures of one key.",
        .since = kSince2,
        .arguments = kKeys,
        .callback = callback<millrace_keys>,
    },
};

void write_info(abi::InfoWriter& info) {
  info.field("keys_indexed", key_catalog::keys());
  info.field("keys_index_bytes", key_catalog::memory());
}

constexpr DatabaseEvents kDatabaseEvents{
    .swapped = key_catalog::swap, .emptied = key_catalog::empty, .loading = key_catalog::follow_loading};

}  // namespace

Family keys_family() {
  return {
      .part = {.commands = kCommands, .create_type = nullptr, .write_info = write_info},
      .look_after = nullptr,
      .appeared = key_catalog::appeared,
      .waiters = nullptr,
      .database_events = &kDatabaseEvents,
      .key_left = key_catalog::left,
      .import_ended = key_catalog::import_ended,
  };
}

}  // namespace millrace::module
