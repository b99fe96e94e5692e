// The commands of dictionaries of terms.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands.
std::span<const abi::Command> suggest_command_table();

// How the module handles dictionaries.
Family suggest_family();

}  // namespace millrace::module
