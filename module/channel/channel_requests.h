// The words of the channel's commands become requests of the engine, or the first error: one parser for each command.
// They do not depend on the host, so they are tested and fuzzed without one. The views in a request are borrowed from
// the words.
#pragma once

#include "engine/base/error.h"
#include "engine/channel/channel_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// CHAN.SUBSCRIBE channel subscriber [EXPIRE ms]
Result<SubscribeRequest> parse_chan_subscribe(Words words);

// CHAN.UNSUBSCRIBE channel subscriber
Result<ByteView> parse_chan_unsubscribe(Words words);

// CHAN.PUBLISH channel id content
Result<PublishRequest> parse_chan_publish(Words words);

// CHAN.MPUBLISH channel id content [id content ...]
Result<PublishRequest> parse_chan_mpublish(Words words);

// CHAN.FETCH channel subscriber [MAX n] [MAXBYTES n] [BLOCK ms]
Result<FetchRequest> parse_chan_fetch(Words words);

// CHAN.READ channel position [MAX n] [MAXBYTES n]
Result<ChannelReadRequest> parse_chan_read(Words words);

// CHAN.ACK channel subscriber receipt
Result<ChannelAckRequest> parse_chan_ack(Words words);

// CHAN.SEEN channel subscriber id [id ...]
Result<SeenRequest> parse_chan_seen(Words words);

// CHAN.CREATE channel [EXPIRE ms] [CLOCK n]
Result<CreateRequest> parse_chan_create(Words words);

// CHAN.INFO channel [FULL|SUBSCRIBERS [COUNT n]]
Result<ChannelInfoRequest> parse_chan_info(Words words);

// CHAN.APPLY channel CREATED head | CLOCK ms | TOUCH subscriber | BLOCK header bytes | LOGHEAD head |
//            SUBSCRIBERS bytes
Result<ChannelEffect> parse_chan_apply(Words words);

}  // namespace millrace::module
