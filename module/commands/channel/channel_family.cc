#include "module/abi/data_type.h"
#include "module/commands/channel/channel_commands.h"
#include "module/commands/channel/waiting_fetches.h"
#include "module/host/channel_type.h"
#include "module/host/counters.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  info.field("channel_messages_published", counters.channel.published);
  info.field("channel_duplicates", counters.channel.duplicates);
  info.field("channel_messages_fetched", counters.channel.fetched);
  info.field("channel_acknowledgements", counters.channel.acknowledged);
  info.field("channel_messages_expired", counters.channel.expired);
  info.field("channel_fetches_blocked", counters.channel.blocked_fetches);
  info.field("channel_fetches_woken", counters.channel.woken_fetches);
}

}  // namespace

Family channel_family() {
  return {
      .part = {.commands = channel_command_table(),
               .create_type = abi::DataType<Channel>::create,
               .write_info = write_info},
      .look_after = look_after_channel,
      .waiters = &kChannelWaiters,
  };
}

}  // namespace millrace::module
