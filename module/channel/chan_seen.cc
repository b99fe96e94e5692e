#include "module/channel/channel_shows.h"

namespace millrace::module {

void ChanSeen::show(abi::Reply reply, const Shown<Channel>& shown, const SeenRequest& request) {
  const UnixMs now = shown.object == nullptr ? UnixMs(0) : shown.object->present(abi::now());
  const auto found = ChannelOperations::find_subscriber(shown.object, shown.name.view(), request.subscriber, now);
  if (!found) return reply.error(found.error());
  reply.array(request.ids.size());
  for (ByteView id : request.ids) {
    const auto offset = shown.object->find(id, now);
    reply.integer(offset && *offset <= (*found)->position ? 1 : 0);
  }
}

}  // namespace millrace::module
