#include "module/abi/data_type.h"
#include "module/suggest/suggest_commands.h"
#include "module/suggest/suggest_object.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const SuggestCounters& done = suggest_operations().counters();
  info.field("suggest_added", done.added);
  info.field("suggest_removed", done.removed);
  info.field("suggest_asked", done.asked);
  info.field("suggest_found", done.found);
}

}  // namespace

Family suggest_family() {
  return {
      .part = {.commands = suggest_command_table(),
               .create_type = abi::DataType<TermDictionary>::create,
               .write_info = write_info},
      .look_after = nullptr,
      .appeared = nullptr,
      .waiters = nullptr,
  };
}

}  // namespace millrace::module
