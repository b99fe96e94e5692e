// The channel's commands as plain values: what a client asked for, checked as far as that
// goes without looking at the channel. One parser for each command; none knows the host.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/channel/clock.h"
#include "module/commands/argument_reader.h"

namespace millrace::module {

// CHAN.SUBSCRIBE channel subscriber [EXPIRE ms]
struct SubscribeRequest {
  ByteView subscriber;
  std::optional<uint64_t> expire_ms;
};
Result<SubscribeRequest> parse_chan_subscribe(Words words);

// CHAN.UNSUBSCRIBE channel subscriber
Result<ByteView> parse_chan_unsubscribe(Words words);

// CHAN.PUBLISH channel id content
// CHAN.MPUBLISH channel id content [id content ...]
struct PublishRequest {
  Words pairs;  // id, content, id, content, …: an even number, at least two
};
Result<PublishRequest> parse_chan_publish(Words words);
Result<PublishRequest> parse_chan_mpublish(Words words);

// CHAN.FETCH channel subscriber [MAX n] [BLOCK ms]
struct FetchRequest {
  ByteView subscriber;
  uint64_t max = 64;
  std::optional<uint64_t> block_ms;
};
Result<FetchRequest> parse_chan_fetch(Words words);

// CHAN.ACK channel subscriber receipt
struct ChannelAckRequest {
  ByteView subscriber;
  ByteView receipt;
};
Result<ChannelAckRequest> parse_chan_ack(Words words);

// CHAN.SEEN channel subscriber id [id ...]
struct SeenRequest {
  ByteView subscriber;
  Words ids;
};
Result<SeenRequest> parse_chan_seen(Words words);

// CHAN.CREATE channel [EXPIRE ms] [CLOCK n]
struct CreateRequest {
  std::optional<uint64_t> expire_ms;
  Clock clock;
};
Result<CreateRequest> parse_chan_create(Words words);

// CHAN.INFO channel [FULL [COUNT n]]
struct ChannelInfoRequest {
  bool full = false;
  uint64_t count = 1000;  // of each list
};
Result<ChannelInfoRequest> parse_chan_info(Words words);

// CHAN.APPLY channel <CREATED head | CLOCK ms | TOUCH subscriber | BLOCK header bytes | LOGHEAD head | SUBSCRIBERS
// bytes>
struct ChannelEffect {
  enum class What { Created, Clock, Touch, Block, LogHead, Subscribers };
  What what = What::Clock;
  UnixMs clock;     // of Clock
  ByteView header;  // of Block
  ByteView bytes;   // of all others
};
Result<ChannelEffect> parse_chan_apply(Words words);

}  // namespace millrace::module
