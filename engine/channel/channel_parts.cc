#include "engine/channel/channel_parts.h"

#include <string>
#include <utility>

#include "engine/blocks/blocks_codec.h"
#include "engine/channel/channel_codec.h"

namespace millrace {

void each_part(const Channel& channel, const PartVisit& visit) {
  const auto tell = [&](ChannelPart kind, ByteView bytes, ByteView block = {}) {
    visit({number_of(kind), bytes, block});
  };
  tell(ChannelPart::Created, encode_channel_head(channel.head()));
  channel.messages().each_block(
      [&](const Block& block) { tell(ChannelPart::Block, encode_block_header(block), block.bytes()); });
  tell(ChannelPart::LogHead, encode_head(saved_head(channel.messages())));
  for (const std::string& bytes : encode_subscribers(channel)) tell(ChannelPart::Subscribers, bytes);
}

Result<void> restore_part(Channel& channel, ChannelPart part, ByteView bytes, Buffer block) {
  switch (part) {
    case ChannelPart::Created:
      return fail(ErrorCode::Exists, "the channel exists already");
    case ChannelPart::Block: {
      const auto header = decode_block_header(bytes);
      if (!header) return std::unexpected(header.error());
      return channel.append_block(*header, std::move(block));
    }
    case ChannelPart::LogHead: {
      const auto head = decode_head(bytes);
      if (!head) return std::unexpected(head.error());
      return channel.restore_log_head(*head);
    }
    case ChannelPart::Subscribers:
      return restore_subscribers(channel, bytes);
  }
  return corrupt("an unknown part of a channel");
}

Result<void> ChannelRestorer::add(uint8_t kind, ByteView bytes, Buffer block) {
  const auto part = static_cast<ChannelPart>(kind);
  if (part == ChannelPart::Created) {
    if (channel_) return corrupt("a channel with two heads");
    const auto head = decode_channel_head(bytes);
    if (!head) return std::unexpected(head.error());
    channel_.emplace(*head);
    return {};
  }
  if (!channel_) return corrupt("a channel that does not begin with its head");
  has_log_head_ |= part == ChannelPart::LogHead;
  return restore_part(*channel_, part, bytes, std::move(block));
}

Result<void> ChannelRestorer::add_older(const NextString& next) {
  if (auto added = add_next(*this, kChannelParts, ChannelPart::Created, 1, next); !added) {
    return added;
  }
  const auto head_bytes = next();
  if (!head_bytes) return std::unexpected(head_bytes.error());
  const auto head = decode_head(head_bytes->view());
  if (!head) return std::unexpected(head.error());
  const auto blocks = add_next(*this, kChannelParts, ChannelPart::Block, head->blocks, next);
  if (!blocks) return blocks;
  if (auto added = add(number_of(ChannelPart::LogHead), head_bytes->view(), {}); !added) return added;
  return add_counted(*this, kChannelParts, ChannelPart::Subscribers, next);
}

Result<Channel> ChannelRestorer::finish() {
  if (!has_log_head_) return corrupt("a channel without the head of its messages");
  return std::move(*channel_);
}

}  // namespace millrace
