// The requests that a channel takes, as plain values. The views in a request must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/bytes.h"
#include "engine/base/parts.h"
#include "engine/base/strong.h"
#include "engine/channel/channel_position.h"
#include "engine/channel/clock.h"

namespace millrace {

struct SubscribeRequest {
  ByteView subscriber;
  std::optional<uint64_t> expire_ms;  // new expiry of the channel
};

struct PublishRequest {
  std::span<const ByteView> pairs;  // id, content, id, content, …: an even number, at least two
};

struct FetchRequest {
  ByteView subscriber;
  uint64_t max = 64;
  // Limit on ids and contents; at least one message is returned. nullopt: ChannelLimits::read_bytes.
  std::optional<uint64_t> max_bytes = std::nullopt;
  std::optional<uint64_t> block_ms;

  // The request was tried, found no messages, and waits. Not for the caller to set.
  bool has_waited = false;
};

struct ChannelReadRequest {
  ChannelStart start;
  uint64_t max = 64;
  std::optional<uint64_t> max_bytes = std::nullopt;  // as above
};

struct ChannelAckRequest {
  ByteView subscriber;
  ByteView receipt;
};

struct SeenRequest {
  ByteView subscriber;
  std::span<const ByteView> ids;
};

struct CreateRequest {
  std::optional<uint64_t> expire_ms;
  Clock clock;
};

struct ChannelInfoRequest {
  bool full = false;         // lists subscribers, messages and ids
  bool subscribers = false;  // lists subscribers alone
  uint64_t count = 1000;     // of each list
};

// An effect from another engine, for apply().
struct ChannelEffect {
  enum class Kind { Clock, Touch, Part };
  Kind kind = Kind::Clock;
  UnixMs clock;    // of Clock
  ByteView bytes;  // of Touch
  Part part;       // of Part
};

}  // namespace millrace
