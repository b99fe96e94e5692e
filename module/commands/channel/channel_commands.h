// The channel's commands: each takes its words apart, works on the channel, and answers.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/host/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> channel_command_table();

// What the channel is to the module.
Family channel_family();

void chan_subscribe(abi::Context context, abi::Arguments arguments);
void chan_unsubscribe(abi::Context context, abi::Arguments arguments);
void chan_create(abi::Context context, abi::Arguments arguments);
void chan_publish(abi::Context context, abi::Arguments arguments);
void chan_mpublish(abi::Context context, abi::Arguments arguments);
void chan_fetch(abi::Context context, abi::Arguments arguments);
void chan_ack(abi::Context context, abi::Arguments arguments);
void chan_seen(abi::Context context, abi::Arguments arguments);
void chan_info(abi::Context context, abi::Arguments arguments);
void chan_apply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
