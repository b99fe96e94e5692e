// The commands of routing tables.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and the checks of the tree
// all come from it.
std::span<const abi::Command> route_command_table();

// How the module handles routing tables.
Family route_family();

// The commands that need no table.
void route_patterns(abi::Context context, abi::Arguments arguments);
void route_partition(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
