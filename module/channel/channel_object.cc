#include "module/channel/channel_object.h"

#include <string>

#include "module/host/agenda.h"
#include "module/host/reclaim.h"
#include "module/host/settings.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

ChannelOperations& channel_operations() {
  static ChannelOperations operations([](HashKey& secret) { abi::fill_with_randomness(secret); });
  operations.limits = {.blocks = block_limits(), .expire_ms = default_channel_expire()};
  return operations;
}

void ObjectTraits<Channel>::settle(int database, ByteView name, Channel& channel, const Consequences& follow) {
  reclaim(channel.take_evicted());
  if (follow.due) agenda::add({database, std::string(name)}, *follow.due);
}

std::optional<UnixMs> look_after_channel(abi::Context context, abi::StringRef name, UnixMs now) {
  auto key = ChannelKey::for_upkeep(context, name);
  if (!key) return std::nullopt;
  KeyPlace<Channel> place(context, name, *key);
  Call call;
  call.now.wall = now;
  carry_out(place, channel_operations().look_after(place, WaitingClients<Channel>::lines_at(place), call));
  return std::nullopt;
}

}  // namespace millrace::module
