// The commands of graphs of facts.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> fact_command_table();

// What the graph is to the module.
Family fact_family();

}  // namespace millrace::module
