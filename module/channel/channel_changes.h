// The commands that change a channel, except CHAN.FETCH, and how each is answered.
#pragma once

#include <optional>
#include <vector>

#include "module/channel/channel_object.h"
#include "module/channel/channel_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

// Null: a duplicate.
inline void write_clock(abi::Reply reply, const std::optional<Clock>& clock) {
  clock ? reply.integer(clock->value()) : reply.null();
}

struct ChanPublish {
  using Object = Channel;
  static constexpr auto parse = parse_chan_publish;
  static auto execute(Place<Channel>& channel, PublishRequest& request, const Call& call) {
    return channel_operations().publish(channel, request, call);
  }
  static constexpr auto write = write_clock;
};

struct ChanMpublish {
  using Object = Channel;
  static constexpr auto parse = parse_chan_mpublish;
  static auto execute(Place<Channel>& channel, PublishRequest& request, const Call& call) {
    return channel_operations().publish_several(channel, request, call);
  }
  static void write(abi::Reply reply, const std::vector<std::optional<Clock>>& clocks) {
    reply.array(clocks.size());
    for (const std::optional<Clock>& clock : clocks) write_clock(reply, clock);
  }
};

struct ChanSubscribe {
  using Object = Channel;
  static constexpr auto parse = parse_chan_subscribe;
  static auto execute(KeyPlace<Channel>& channel, SubscribeRequest& request, const Call& call) {
    return channel_operations().subscribe(channel, request, call, WaitingClients<Channel>::lines_at(channel));
  }
  static void write(abi::Reply reply, Clock clock) { reply.integer(clock.value()); }
};

struct ChanUnsubscribe {
  using Object = Channel;
  static constexpr auto parse = parse_chan_unsubscribe;
  static auto execute(Place<Channel>& channel, ByteView subscriber, const Call& call) {
    return channel_operations().unsubscribe(channel, subscriber, call);
  }
  static constexpr auto write = write_number;
};

struct ChanAck {
  using Object = Channel;
  static constexpr auto parse = parse_chan_ack;
  static auto execute(Place<Channel>& channel, ChannelAckRequest& request, const Call& call) {
    return channel_operations().acknowledge(channel, request, call);
  }
  static constexpr auto write = write_number;
};

struct ChanCreate {
  using Object = Channel;
  static constexpr auto parse = parse_chan_create;
  static auto execute(Place<Channel>& channel, CreateRequest& request, const Call& call) {
    return channel_operations().create(channel, request, call);
  }
  static constexpr auto write = write_ok;
};

// CHAN.APPLY is not for users: a master sends it to its replicas, and a server writes it to its AOF. But any client may
// send it, so it is documented, and checks its bytes as carefully as RESTORE does.
struct ChanApply {
  using Object = Channel;
  static constexpr auto parse = parse_chan_apply;
  static Now now(const ChannelEffect&) { return {}; }
  static auto execute(Place<Channel>& channel, ChannelEffect& effect, const Call& call) {
    return channel_operations().apply(channel, effect, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
