// A whole channel as parts (engine/base/parts.h); docs/formats/channel.md draws their bytes.
#pragma once

#include <optional>

#include "engine/base/parts.h"
#include "engine/channel/channel.h"
#include "engine/channel/channel_effects.h"

namespace millrace {

// Do not change: persisted.
enum class ChannelPart : uint8_t { Created, Block, LogHead, Subscribers };
inline constexpr PartKind kChannelParts[] = {{kChannelCreated}, {"BLOCK", true}, {"LOGHEAD"}, {"SUBSCRIBERS"}};

// The order is: the channel's head, the blocks and the head of its messages, and its subscribers. After each part the
// restored channel is valid.
void each_part(const Channel& channel, const PartVisit& visit);

// Adds a part from an untrusted source to a channel that was created. Failure: Corrupt, and the channel is unchanged;
// Exists, if the part creates one.
Result<void> restore_part(Channel& channel, ChannelPart part, ByteView bytes, Buffer block);

class ChannelRestorer {
 public:
  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  // Version 1: both heads come first, and the second says how many blocks there are.
  Result<void> add_older(const NextString& next);
  Result<Channel> finish();
  // The channel made of the parts so far; nullopt before the first one.
  const std::optional<Channel>& so_far() const { return channel_; }

 private:
  std::optional<Channel> channel_;
  bool has_log_head_ = false;
};

}  // namespace millrace
