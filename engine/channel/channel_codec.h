// A channel as bytes, for RDB, DUMP, AOF rewrite and replication; docs/formats/channel.md draws them. Its messages are
// encoded as in engine/blocks/blocks_codec.h, its subscribers in strings of some hundred each.
//
//   head         := version secret(16 bytes) birth expire active        (varints but the secret)
//   subscribers  := { size name position active }*
//
// `birth` counts from the smallest clock. To restore a channel: see channel.h.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/channel/channel.h"

namespace millrace {

std::string encode_channel_head(const ChannelHead& head);
// All subscribers that have not expired, the longest inactive first.
std::vector<std::string> encode_subscribers(const Channel& channel);

// The same from untrusted bytes.
Result<ChannelHead> decode_channel_head(ByteView bytes);
// Adds the subscribers of one string: all of them or none.
Result<void> restore_subscribers(Channel& channel, ByteView bytes);

}  // namespace millrace
