// A channel from untrusted bytes: RESTORE, a loaded RDB, CHAN.APPLY.
// Whatever decodes is a valid channel in every respect, and works like any other.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/channel_bytes.h"

namespace millrace {
namespace {

using millrace::testing::channel_from_bytes;
using millrace::testing::channel_to_bytes;
using millrace::testing::same_channels;

// What decoding may allocate: the same as a log (log_payload_fuzz.cc), an index of ids, and for each subscriber, which
// takes at least four bytes, its place in a list and in an index.
constexpr uint64_t kPerInputByte = 192;
constexpr uint64_t kPerBlock = 1024;
constexpr uint64_t kAtAll = 8192;

// Every message is found by its id, and every subscriber by its name. A subscriber is given the messages behind its
// clock.
void read_everything(const Channel& channel) {
  Message message{};
  for (MessageBlocks::Cursor cursor(channel.messages(), channel.messages().first()); cursor.next(message);) {
    const auto found = channel.find(message.tag, UnixMs(0));
    REQUIRE(found && *found >= message.offset);
  }
  for (const Subscriber& subscriber : channel.subscribers()) {
    REQUIRE(channel.subscribers().find(subscriber.name) == &subscriber);
    const Fetch fetch = channel.fetch(subscriber, 5);
    REQUIRE(fetch.count <= 5 && fetch.from > subscriber.position &&
            fetch.from + fetch.count <= channel.messages().next());
    REQUIRE(fetch.more == (fetch.from + fetch.count < channel.messages().next()));
  }
}

void publish(Channel& channel) {
  const uint64_t room = channel.room();
  for (uint64_t i = 0; i < 20 && i < room; ++i) {
    const std::string id = std::to_string(i % 10);
    const bool is_known = channel.find(id, UnixMs(0)).has_value();
    const Clock expected = channel.clock().after(1);
    const auto clock = channel.publish(id, "content", {.bytes = 256, .messages = 8});
    REQUIRE(clock ? *clock == expected : is_known);
    REQUIRE(channel.check() == nullptr);
  }
}

void subscribe_and_acknowledge(Channel& channel) {
  const bool was_there = channel.alive("fuzz", channel.now()) != nullptr;
  Subscriber& subscriber = channel.subscribe("fuzz");
  REQUIRE(was_there || subscriber.position == channel.messages().last());
  publish(channel);
  const Fetch fetch = channel.fetch(subscriber, UINT64_MAX);
  REQUIRE(!fetch.more);
  if (fetch.count > 0) {
    REQUIRE(channel.acknowledge(subscriber, channel.clock_of(fetch.last())) == Ack::Advanced);
    REQUIRE(channel.acknowledge(subscriber, channel.clock_of(fetch.last())) == Ack::Already);
  }
  REQUIRE(channel.acknowledge(subscriber, channel.clock().after(1)) == Ack::Invalid);
  REQUIRE(channel.fetch(subscriber, 1).count == 0);
  channel.touch(subscriber);
  REQUIRE(channel.check() == nullptr);
}

// Time passes until nothing is left, or until the clock's range ends.
void expire(Channel& channel) {
  for (uint64_t step : {uint64_t{1}, channel.head().expire_ms, channel.head().expire_ms + 1}) {
    if (step > uint64_t{INT64_MAX} - channel.now().value()) return;
    REQUIRE(channel.tick(channel.now() + step));
    REQUIRE(channel.check() == nullptr);
    REQUIRE(channel.messages().empty() || channel.messages().first_time() >= channel.oldest_alive(channel.now()));
  }
  REQUIRE(channel.messages().empty());
  for (const Subscriber& subscriber : channel.subscribers()) {
    REQUIRE(channel.alive(subscriber.name, channel.now()) == nullptr);
  }
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  const ByteView input(reinterpret_cast<const char*>(bytes), size);
  const uint64_t before = fuzz::allocated_bytes();
  auto channel = channel_from_bytes(input);
  const uint64_t blocks = channel ? channel->messages().block_count() : size / 8;  // a block takes at least 9 bytes
  REQUIRE(fuzz::allocated_bytes() - before <= kAtAll + kPerInputByte * size + kPerBlock * blocks);
  // Decodes again and checks the channel after every step, also after the last step before a refusal.
  const auto looked_at = channel_from_bytes(input, [](const Channel& step) { REQUIRE(step.check() == nullptr); });
  REQUIRE(looked_at.has_value() == channel.has_value());
  if (!channel) {
    REQUIRE(channel.error().code == ErrorCode::Corrupt && !channel.error().text.empty());
    return 0;
  }
  read_everything(*channel);
  const auto again = channel_from_bytes(channel_to_bytes(*channel));
  REQUIRE(again.has_value());
  REQUIRE(same_channels(*channel, *again));
  REQUIRE(same_channels(*channel, channel->clone()));
  subscribe_and_acknowledge(*channel);
  expire(*channel);
  publish(*channel);
  return 0;
}
