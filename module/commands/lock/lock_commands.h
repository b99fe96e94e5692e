// The lock's commands: each takes its words apart, visits the lock, and answers.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/host/family.h"

namespace millrace::module {

// The one table of them. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and
// the checks of the tree all come from it.
std::span<const abi::Command> lock_command_table();

// What the lock is to the module.
Family lock_family();

void lock_acquire(abi::Context context, abi::Arguments arguments);
void lock_release(abi::Context context, abi::Arguments arguments);
void lock_renew(abi::Context context, abi::Arguments arguments);
void lock_break(abi::Context context, abi::Arguments arguments);
void lock_info(abi::Context context, abi::Arguments arguments);
void lock_waits(abi::Context context, abi::Arguments arguments);
void lock_apply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
