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

// --- what the host tells the module, and indexes must know ---
void indexes_follow_swap(int first, int second);
void indexes_forget_database(int database);  // -1: all
void indexes_follow_loading(abi::Loading moment);
void indexes_follow_document(abi::Context context, abi::StringRef key, const char* event);

}  // namespace millrace::module
