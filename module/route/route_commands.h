// The commands of routing tables.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and
// the checks of the tree all come from it.
std::span<const abi::Command> route_command_table();

// What the routing table is to the module.
Family route_family();

// Those that need no table.
void route_patterns(abi::Context context, abi::Arguments arguments);
void route_partition(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
