// The index's commands.
#pragma once

#include <span>

#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> index_command_table();

// What the index is to the module.
Family index_family();

// Something has happened to a key of any type.
void indexes_follow_document(abi::Context context, abi::StringRef key, const char* event);

}  // namespace millrace::module
