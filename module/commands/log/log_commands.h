// The log's commands: each takes its words apart, works on the log, and answers.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/host/family.h"

namespace millrace::module {

// The one table of them. COMMAND DOCS, COMMAND GETKEYS, ACL categories, docs/commands and
// the checks of the tree all come from it.
std::span<const abi::Command> log_command_table();

// What the log is to the module.
Family log_family();

void twrite(abi::Context context, abi::Arguments arguments);
void tread(abi::Context context, abi::Arguments arguments);
void tevict(abi::Context context, abi::Arguments arguments);
void tretain(abi::Context context, abi::Arguments arguments);
void tseek(abi::Context context, abi::Arguments arguments);
void tinfo(abi::Context context, abi::Arguments arguments);
void tack(abi::Context context, abi::Arguments arguments);
void tnack(abi::Context context, abi::Arguments arguments);
void tgroup_list(abi::Context context, abi::Arguments arguments);
void tgroup_seek(abi::Context context, abi::Arguments arguments);
void tgroup_drop(abi::Context context, abi::Arguments arguments);
void tgroup_pending(abi::Context context, abi::Arguments arguments);
void tgroup_set(abi::Context context, abi::Arguments arguments);
void tapply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
