// The lock's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and the checks of the tree
// all come from it.
std::span<const abi::Command> lock_command_table();

// How the module handles locks.
Family lock_family();

}  // namespace millrace::module
