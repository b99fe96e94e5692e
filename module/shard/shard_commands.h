// The pool's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> shard_command_table();

// What the pool is to the module.
Family shard_family();

}  // namespace millrace::module
