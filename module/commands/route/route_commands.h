// The commands of routing tables: each takes its words apart, works on the table, and
// answers.
#pragma once

#include <span>
#include <vector>

#include "module/abi/registration.h"
#include "module/host/family.h"

namespace millrace::module {

// The one table of them.
std::span<const abi::Command> route_command_table();

// What the routing table is to the module.
Family route_family();

void route_device_set(abi::Context context, abi::Arguments arguments);
void route_device_get(abi::Context context, abi::Arguments arguments);
void route_device_touch(abi::Context context, abi::Arguments arguments);
void route_device_del(abi::Context context, abi::Arguments arguments);
void route_device_list(abi::Context context, abi::Arguments arguments);
void route_subscribe(abi::Context context, abi::Arguments arguments);
void route_unsubscribe(abi::Context context, abi::Arguments arguments);
void route_match(abi::Context context, abi::Arguments arguments);
void route_dispatch(abi::Context context, abi::Arguments arguments);
// Which words of a ROUTE.DISPATCH are logs.
std::vector<size_t> route_dispatch_logs(abi::Arguments arguments);
void route_setfilter(abi::Context context, abi::Arguments arguments);
void route_delfilter(abi::Context context, abi::Arguments arguments);
void route_filters(abi::Context context, abi::Arguments arguments);
void route_patterns(abi::Context context, abi::Arguments arguments);
void route_partition(abi::Context context, abi::Arguments arguments);
void route_info(abi::Context context, abi::Arguments arguments);
void route_apply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
