// The one table of commands. COMMAND DOCS, COMMAND GETKEYS, ACL categories,
// docs/commands and the checks of the tree all come from it.
#pragma once

#include <span>

#include "module/abi/registration.h"

namespace millrace::module {

std::span<const abi::Command> command_table();

}  // namespace millrace::module
