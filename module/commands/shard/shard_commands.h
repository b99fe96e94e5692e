// The pool's commands: each takes its words apart, works on the pool, and answers.
#pragma once

#include <span>

#include "module/abi/registration.h"
#include "module/host/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> shard_command_table();

// What the pool is to the module.
Family shard_family();

void shard_join(abi::Context context, abi::Arguments arguments);
void shard_heartbeat(abi::Context context, abi::Arguments arguments);
void shard_leave(abi::Context context, abi::Arguments arguments);
void shard_route(abi::Context context, abi::Arguments arguments);
void shard_push(abi::Context context, abi::Arguments arguments);
void shard_done(abi::Context context, abi::Arguments arguments);
void shard_owner(abi::Context context, abi::Arguments arguments);
void shard_recipients(abi::Context context, abi::Arguments arguments);
void shard_pull(abi::Context context, abi::Arguments arguments);
void shard_ack(abi::Context context, abi::Arguments arguments);
void shard_rebalance(abi::Context context, abi::Arguments arguments);
void shard_set(abi::Context context, abi::Arguments arguments);
void shard_check(abi::Context context, abi::Arguments arguments);
void shard_info(abi::Context context, abi::Arguments arguments);
void shard_apply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
