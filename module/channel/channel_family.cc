#include "module/abi/data_type.h"
#include "module/channel/channel_commands.h"
#include "module/channel/channel_object.h"
#include "module/runtime/upkeep.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const ChannelCounters& done = channel_operations().counters();
  info.field("channel_messages_published", done.published);
  info.field("channel_duplicates", done.duplicates);
  info.field("channel_messages_fetched", done.fetched);
  info.field("channel_acknowledgements", done.acknowledged);
  info.field("channel_messages_expired", done.expired);
  info.field("channel_fetches_blocked", WaitingClients<Channel>::counters().waiting);
  info.field("channel_fetches_woken", WaitingClients<Channel>::counters().served);
}

}  // namespace

Family channel_family() {
  return {
      .part = {.commands = channel_command_table(),
               .create_type = abi::DataType<Channel>::create,
               .write_info = write_info},
      .look_after = look_after<Channel>,
      .appeared = take_up<Channel>,
      .waiters = WaitingClients<Channel>::hooks(),
  };
}

}  // namespace millrace::module
