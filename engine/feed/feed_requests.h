// The requests that a feed takes, as plain values. The views in a request must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/bytes.h"
#include "engine/feed/feed_position.h"

namespace millrace {

struct FeedAddRequest {
  ByteView feed;
  ByteView key;
  bool is_notice = false;
  FeedStart start;
};

struct FeedDelRequest {
  ByteView feed;
  std::span<const ByteView> keys;  // at least one
};

struct FeedReadRequest {
  ByteView feed;
  uint64_t max = 1000;
  std::optional<uint64_t> bytes;
  std::optional<uint64_t> block_ms;
};

}  // namespace millrace
