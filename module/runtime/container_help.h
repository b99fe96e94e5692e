// HELP of a container, a command that has subcommands: TGROUP HELP, ROUTE.DEVICE HELP. It lists the subcommands in the
// form that the host's own containers use. All containers share this one implementation.
#pragma once

#include "module/abi/registration.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

// Answers with the subcommands of the container that the first word names: syntax and summary of each, in the order of
// the command table, HELP last. Reads the command table and nothing else. The cost is proportional to the number of
// commands in the module.
void container_help(abi::Context context, abi::Arguments arguments);

// The row of HELP in a family's command table; `name` is "TGROUP HELP". The flags are those of the host's own HELP.
// They allow the call while the host loads its data set, even between two pieces of one key, so this callback does not
// serve waiting clients first, as all others do.
constexpr abi::Command help_row(const char* name) {
  return {
      .name = name,
      .flags = "allow-loading allow-stale",
      .key_flags = 0,
      .arity = 2,
      .summary = "Lists the subcommands, each with its syntax and what it does.",
      .complexity = "O(1).",
      .since = kSince2,
      .arguments = {},
      .callback = abi::of<container_help>,
  };
}

}  // namespace millrace::module
