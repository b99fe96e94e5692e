#include "module/abi/data_type.h"
#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_upkeep.h"
#include "module/host/counters.h"
#include "module/host/route_type.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  info.field("route_matches", counters.route.matches);
  info.field("route_devices_matched", counters.route.matched);
  info.field("route_messages_dispatched", counters.route.dispatched);
}

}  // namespace

Family route_family() {
  return {
      .part = {.commands = route_command_table(),
               .create_type = abi::DataType<RouteTable>::create,
               .write_info = write_info},
      .look_after = look_after_route,
      .waiters = nullptr,
  };
}

}  // namespace millrace::module
