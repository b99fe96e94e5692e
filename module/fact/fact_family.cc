#include "module/abi/data_type.h"
#include "module/fact/fact_commands.h"
#include "module/fact/fact_object.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const FactCounters& done = fact_operations().counters();
  info.field("fact_added", done.added);
  info.field("fact_removed", done.removed);
  info.field("fact_found", done.found);
  info.field("fact_walked", done.walked);
}

}  // namespace

Family fact_family() {
  return {
      .part = {.commands = fact_command_table(),
               .create_type = abi::DataType<FactGraph>::create,
               .write_info = write_info},
      .look_after = nullptr,
      .appeared = nullptr,
      .waiters = nullptr,
  };
}

}  // namespace millrace::module
