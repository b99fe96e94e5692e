// The commands of graphs of facts.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands.
std::span<const abi::Command> fact_command_table();

// How the module handles graphs.
Family fact_family();

}  // namespace millrace::module
