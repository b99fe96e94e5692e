// The channel's commands.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands.
std::span<const abi::Command> channel_command_table();

// How the module handles channels.
Family channel_family();

}  // namespace millrace::module
