// The commands of dictionaries of terms.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> suggest_command_table();

// What the dictionary is to the module.
Family suggest_family();

}  // namespace millrace::module
