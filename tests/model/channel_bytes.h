// A whole channel as one string and back, for tests and fuzzers: what an RDB file holds as
// one string for each part (engine/channel/channel_codec.h), here with a length before each.
//
//   channel := part(head) part(log-head) (part(block-header) part(block-bytes))*
//              number-of-parts part(subscribers)*
//   part    := length bytes                                   (numbers are varints)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/blocks/blocks_codec.h"
#include "engine/channel/channel_codec.h"
#include "tests/model/log_bytes.h"

namespace millrace::testing {

inline std::string channel_to_bytes(const Channel& channel) {
  std::string bytes;
  append_part(bytes, encode_channel_head(channel.head()));
  append_part(bytes, encode_head(saved_head(channel.messages())));
  channel.messages().each_block([&](const Block& block) {
    append_part(bytes, encode_block_header(block));
    append_part(bytes, block.bytes());
  });
  const std::vector<std::string> subscribers = encode_subscribers(channel);
  append_varint(bytes, subscribers.size());
  for (const std::string& part : subscribers) append_part(bytes, part);
  return bytes;
}

// Trusts nothing, as the module's loader does. `each_step` is shown the channel after each.
template <class EachStep>
Result<Channel> channel_from_bytes(ByteView bytes, EachStep each_step) {
  Decoder parts(bytes);
  const auto next_part = [&] { return parts.bytes(parts.number()); };
  const auto head = decode_channel_head(next_part());
  if (!head) return std::unexpected(head.error());
  const auto log_head = decode_head(next_part());
  if (!log_head) return std::unexpected(log_head.error());
  Channel channel(*head);
  for (uint64_t i = 0; i < log_head->blocks; ++i) {
    const auto header = decode_block_header(next_part());
    if (!header) return std::unexpected(header.error());
    const ByteView block = next_part();
    if (!parts.ok()) return fail(ErrorCode::Corrupt, "the payload ends too early");
    if (auto added = channel.append_block(*header, Buffer::copy_of(block)); !added)
      return std::unexpected(added.error());
    each_step(channel);
  }
  if (auto restored = channel.restore_log_head(*log_head); !restored) return std::unexpected(restored.error());
  each_step(channel);
  for (uint64_t left = parts.number(); left > 0; --left) {
    const auto restored = restore_subscribers(channel, next_part());
    each_step(channel);
    if (!restored) return std::unexpected(restored.error());
  }
  if (!parts.finished()) return fail(ErrorCode::Corrupt, "bytes after the end");
  return channel;
}

inline Result<Channel> channel_from_bytes(ByteView bytes) {
  return channel_from_bytes(bytes, [](const Channel&) {});
}

// Everything that the digest of a channel takes in: how its blocks are cut may differ.
inline bool same_channels(const Channel& a, const Channel& b) {
  if (encode_channel_head(a.head()) != encode_channel_head(b.head()) || a.now() != b.now()) return false;
  if (a.messages().first() != b.messages().first() || a.messages().next() != b.messages().next()) return false;
  MessageBlocks::Cursor in_a(a.messages(), a.messages().first()), in_b(b.messages(), b.messages().first());
  for (Message x, y; in_a.next(x);) {
    if (!in_b.next(y) || x.tag != y.tag || x.entry != y.entry || x.written != y.written) return false;
  }
  return encode_subscribers(a) == encode_subscribers(b);
}

}  // namespace millrace::testing
