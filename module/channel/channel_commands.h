// The channel's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> channel_command_table();

// What the channel is to the module.
Family channel_family();

}  // namespace millrace::module
