// The index's commands.
#pragma once

#include <span>

#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of all index commands.
std::span<const abi::Command> index_command_table();

// How the module handles the index family.
Family index_family();

// Called for each keyspace event, of keys of any type.
void indexes_follow_document(abi::Context context, abi::StringRef key, const char* event);

}  // namespace millrace::module
