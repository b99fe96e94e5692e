// The log's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and
// the checks of the tree all come from it.
std::span<const abi::Command> log_command_table();

// What the log is to the module.
Family log_family();

}  // namespace millrace::module
