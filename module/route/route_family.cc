#include "module/abi/data_type.h"
#include "module/route/route_commands.h"
#include "module/route/route_object.h"
#include "module/runtime/upkeep.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const RouteCounters& done = route_operations().counters();
  info.field("route_matches", done.matches);
  info.field("route_devices_matched", done.matched);
  info.field("route_messages_dispatched", done.dispatched);
  info.field("route_dispatches_repeated", done.repeated);
  info.field("route_filter_failures", done.failures);
}

}  // namespace

Family route_family() {
  return {
      .part = {.commands = route_command_table(),
               .create_type = abi::DataType<RouteTable>::create,
               .write_info = write_info},
      .look_after = look_after<RouteTable>,
      .appeared = take_up<RouteTable>,
      .waiters = nullptr,
  };
}

}  // namespace millrace::module
