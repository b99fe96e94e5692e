// The commands that only read a channel.
#pragma once

#include "module/channel/channel_object.h"
#include "module/channel/channel_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct ChanSeen {
  using Object = Channel;
  static constexpr auto parse = parse_chan_seen;
  static void show(abi::Reply reply, const Shown<Channel>& shown, const SeenRequest& request);
};

struct ChanRead {
  using Object = Channel;
  static constexpr auto parse = parse_chan_read;
  static void show(abi::Reply reply, const Shown<Channel>& shown, const ChannelReadRequest& request);
};

struct ChanInfo {
  using Object = Channel;
  static constexpr auto parse = parse_chan_info;
  static void show(abi::Reply reply, const Shown<Channel>& shown, const ChannelInfoRequest& request);
};

}  // namespace millrace::module
