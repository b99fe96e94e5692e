#include "module/channel/channel_object.h"

#include "module/runtime/settings.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

ChannelOperations& channel_operations() {
  static ChannelOperations operations([](HashKey& secret) { abi::fill_with_randomness(secret); }, channel_limits());
  return operations;
}

Consequences ObjectTraits<Channel>::look_after(KeyPlace<Channel>& place, const Call& call) {
  return channel_operations().look_after(place, WaitingClients<Channel>::lines_at(place), call);
}

}  // namespace millrace::module
