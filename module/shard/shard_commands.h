// The pool's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands.
std::span<const abi::Command> shard_command_table();

// How the module handles pools.
Family shard_family();

}  // namespace millrace::module
