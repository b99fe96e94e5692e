#include "module/channel/channel_object.h"

#include "module/runtime/agenda.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/settings.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

ChannelOperations& channel_operations() {
  static ChannelOperations operations([](HashKey& secret) { abi::fill_with_randomness(secret); }, channel_limits());
  return operations;
}

void ObjectTraits<Channel>::settle(KeyPlace<Channel>& place, const Consequences& follow) {
  if (place.get()->has_evicted()) reclaim(place.get()->take_evicted());
  if (follow.due) agenda::add(place.database_key(), *follow.due);
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
