// The commands of feeds.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> feed_command_table();

// What feeds are to the module: a family without a type of its own.
Family feed_family();

void feed_add(abi::Context context, abi::Arguments arguments);
void feed_del(abi::Context context, abi::Arguments arguments);
void feed_read(abi::Context context, abi::Arguments arguments);
void feed_info(abi::Context context, abi::Arguments arguments);
void feed_list(abi::Context context, abi::Arguments arguments);

// The readers that wait for feeds in which something has come get it. To be called at the end of each turn.
void serve_feed_readers(abi::Context context);

}  // namespace millrace::module
