#include "engine/channel/channel_codec.h"

#include <algorithm>

#include "engine/base/decoder.h"
#include "engine/base/limits.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kHeadVersion = 1;
// A string of subscribers is closed when it is longer.
constexpr size_t kStringBytes = 16 * 1024;

}  // namespace

std::string encode_channel_head(const ChannelHead& head) {
  std::string bytes;
  append_varint(bytes, kHeadVersion);
  bytes.append(reinterpret_cast<const char*>(head.secret.data()), head.secret.size());
  append_varint(bytes, static_cast<uint64_t>(head.birth.value() - Clock::kMin));
  append_varint(bytes, head.expire_ms);
  append_varint(bytes, head.active.value());
  return bytes;
}

std::vector<std::string> encode_subscribers(const Channel& channel) {
  std::vector<std::string> strings;
  for (const Subscriber& subscriber : channel.living(channel.now())) {
    if (strings.empty() || strings.back().size() > kStringBytes) strings.emplace_back();
    std::string& bytes = strings.back();
    append_varint(bytes, subscriber.name.size());
    bytes += subscriber.name;
    append_varint(bytes, subscriber.position.value());
    append_varint(bytes, subscriber.active.value());
  }
  return strings;
}

Result<ChannelHead> decode_channel_head(ByteView bytes) {
  Decoder in(bytes);
  if (in.number() != kHeadVersion) return corrupt("a channel of a version this module does not know");
  ChannelHead head;
  const ByteView secret = in.bytes(head.secret.size());
  const uint64_t birth = in.number();
  head.expire_ms = in.number();
  head.active = UnixMs(in.number());
  if (!in.finished()) return corrupt("a channel head of the wrong length");
  if (birth >= Clock::kCount) return corrupt("a channel head with an impossible clock");
  if (head.expire_ms == 0 || head.expire_ms > kMaxDurationMs) {
    return corrupt("a channel head with an impossible expiry");
  }
  if (head.active.value() > INT64_MAX) return corrupt("a channel head beyond the end of time");
  std::ranges::copy(secret, head.secret.begin());
  head.birth = Clock(Clock::kMin).after(birth);
  return head;
}

Result<void> restore_subscribers(Channel& channel, ByteView bytes) {
  Decoder in(bytes);
  std::vector<ByteView> restored_names;
  // All of them or none: an effect that is refused changes nothing.
  const auto refuse = [&](Result<void> reason) {
    for (ByteView name : restored_names) channel.forget(name);
    return reason;
  };
  do {
    const uint64_t size = in.number();
    const ByteView name = in.bytes(size);
    const Offset position(in.number());
    const UnixMs active(in.number());
    if (!in.ok()) return refuse(corrupt("subscribers of the wrong length"));
    if (name.empty() || name.size() > kMaxNameBytes) {
      return refuse(corrupt("a subscriber's name of an impossible length"));
    }
    if (auto restored = channel.restore_subscriber(name, position, active); !restored) return refuse(restored);
    restored_names.push_back(name);
  } while (!in.finished());
  return {};
}

}  // namespace millrace
