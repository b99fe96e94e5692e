// The commands of feeds.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The table of these commands.
std::span<const abi::Command> feed_command_table();

// How the module handles feeds: a family without a key type.
Family feed_family();

void feed_add(abi::Context context, abi::Arguments arguments);
void feed_del(abi::Context context, abi::Arguments arguments);
void feed_read(abi::Context context, abi::Arguments arguments);
void feed_info(abi::Context context, abi::Arguments arguments);
void feed_list(abi::Context context, abi::Arguments arguments);

// Serves the readers that wait for feeds with new messages. Called at the end of each turn.
void serve_feed_readers(abi::Context context);

}  // namespace millrace::module
