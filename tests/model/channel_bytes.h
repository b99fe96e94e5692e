// A whole channel as one string and back, for tests and fuzzers (object_strings.h).
#pragma once

#include <string>

#include "engine/channel/channel_codec.h"
#include "engine/channel/channel_parts.h"
#include "tests/model/object_strings.h"

namespace millrace::testing {

inline std::string channel_to_bytes(const Channel& channel) {
  return strings_of(kChannelParts, [&](const PartVisit& visit) { each_part(channel, visit); });
}

// `each_step` is called with the channel after each part.
template <class EachStep>
Result<Channel> channel_from_bytes(ByteView bytes, EachStep each_step) {
  ChannelRestorer restorer;
  const auto added = add_strings(restorer, kChannelParts, bytes, [&] {
    if (restorer.so_far()) each_step(*restorer.so_far());
  });
  if (!added) return std::unexpected(added.error());
  return restorer.finish();
}

inline Result<Channel> channel_from_bytes(ByteView bytes) {
  return channel_from_bytes(bytes, [](const Channel&) {});
}

// Compares everything that a channel's digest contains; the division into blocks may differ.
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
