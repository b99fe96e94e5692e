// A channel as bytes, for RDB, DUMP, AOF rewrite and replication; docs/formats/channel.md
// draws them. Its messages travel as engine/blocks/blocks_codec.h says, subscribers some hundred a
// string.
//
//   head         := version secret(16 bytes) birth expire active        (varints but the secret)
//   subscribers  := { size name position active }*
//
// `birth` counts from the smallest clock. To put a channel together again: see channel.h.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/channel/channel.h"

namespace millrace {

std::string encode_channel_head(const ChannelHead& head);
// All that live, the longest inactive first.
std::vector<std::string> encode_subscribers(const Channel& channel);

// The same from bytes that nobody has vouched for.
Result<ChannelHead> decode_channel_head(ByteView bytes);
// Adds those of one string, all of them or none.
Result<void> restore_subscribers(Channel& channel, ByteView bytes);

}  // namespace millrace
