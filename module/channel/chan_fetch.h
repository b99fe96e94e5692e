// CHAN.FETCH: returns the messages that a subscriber has not acknowledged.
#pragma once

#include "module/channel/channel_object.h"
#include "module/channel/channel_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct ChanFetch {
  using Object = Channel;
  static constexpr auto parse = parse_chan_fetch;
  static Outcome<Done> execute(Place<Channel>& channel, FetchRequest& request, const Call& call, abi::Reply reply);
  // Empty: execute() has already written the messages.
  static void write(abi::Reply, Done) {}

  // A fetch restarts the time to live of its subscriber, so replicas get it.
  static bool changes(const FetchRequest&) { return true; }
  static Wait start_afresh(FetchRequest& request) { return ChannelOperations::start_afresh(request); }
  static void answer_timeout(abi::Reply reply, const Channel*, const FetchRequest&);
};

}  // namespace millrace::module
