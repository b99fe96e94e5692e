// The commands that change a channel, but for CHAN.FETCH: how each is answered.
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
  static Consequences execute(Place<Channel>& channel, PublishRequest& request, const Call& call, abi::Reply reply) {
    return answer(reply, channel_operations().publish(channel, request, call),
                  [&](const std::optional<Clock>& clock) { write_clock(reply, clock); });
  }
};

struct ChanMpublish {
  using Object = Channel;
  static constexpr auto parse = parse_chan_mpublish;
  static Consequences execute(Place<Channel>& channel, PublishRequest& request, const Call& call, abi::Reply reply) {
    return answer(reply, channel_operations().publish_several(channel, request, call),
                  [&](const std::vector<std::optional<Clock>>& clocks) {
                    reply.array(clocks.size());
                    for (const std::optional<Clock>& clock : clocks) write_clock(reply, clock);
                  });
  }
};

struct ChanSubscribe {
  using Object = Channel;
  static constexpr auto parse = parse_chan_subscribe;
  static Consequences execute(KeyPlace<Channel>& channel, SubscribeRequest& request, const Call& call,
                              abi::Reply reply) {
    WaitingLines* lines = WaitingClients<Channel>::lines_at(channel);
    return answer(reply, channel_operations().subscribe(channel, request, call, lines),
                  [&](Clock clock) { reply.integer(clock.value()); });
  }
};

struct ChanUnsubscribe {
  using Object = Channel;
  static constexpr auto parse = parse_chan_unsubscribe;
  static Consequences execute(Place<Channel>& channel, ByteView subscriber, const Call& call, abi::Reply reply) {
    return answer_number(reply, channel_operations().unsubscribe(channel, subscriber, call));
  }
};

struct ChanAck {
  using Object = Channel;
  static constexpr auto parse = parse_chan_ack;
  static Consequences execute(Place<Channel>& channel, ChannelAckRequest& request, const Call& call, abi::Reply reply) {
    return answer_number(reply, channel_operations().acknowledge(channel, request, call));
  }
};

struct ChanCreate {
  using Object = Channel;
  static constexpr auto parse = parse_chan_create;
  static Consequences execute(Place<Channel>& channel, CreateRequest& request, const Call& call, abi::Reply reply) {
    return answer_ok(reply, channel_operations().create(channel, request, call));
  }
};

// CHAN.APPLY is not for people: it is what a master writes to its replicas and a server to its AOF. It is documented,
// and as careful with its bytes as RESTORE, because anybody may send it.
struct ChanApply {
  using Object = Channel;
  static constexpr auto parse = parse_chan_apply;
  static Now now() { return {}; }
  static Consequences execute(Place<Channel>& channel, ChannelEffect& effect, const Call& call, abi::Reply reply) {
    return answer_applied(reply, channel_operations().apply(channel, effect, call));
  }
};

}  // namespace millrace::module
