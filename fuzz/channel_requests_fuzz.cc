// The words of every command of a channel, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"
#include "engine/channel/channel_parts.h"
#include "fuzz/command_lines.h"
#include "module/channel/channel_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check_name(ByteView name, Words words) {
  REQUIRE(is_one_of(name, words));
  REQUIRE(!name.empty() && name.size() <= kMaxNameBytes);
}

void check_expire(std::optional<uint64_t> expire_ms) {
  REQUIRE(!expire_ms || (*expire_ms >= 1 && *expire_ms <= kMaxDurationMs));
}

void check(const SubscribeRequest& request, Words words) {
  check_name(request.subscriber, words);
  check_expire(request.expire_ms);
  REQUIRE(words.size() == (request.expire_ms ? 3 : 1));
}

void check(ByteView subscriber, Words words) {
  check_name(subscriber, words);
  REQUIRE(words.size() == 1);
}

void check(const PublishRequest& request, Words words) {
  REQUIRE(request.pairs.data() == words.data() && request.pairs.size() == words.size());
  REQUIRE(words.size() >= 2 && words.size() % 2 == 0);
  for (size_t i = 0; i < words.size(); i += 2) check_name(words[i], words);
}

void check(const FetchRequest& request, Words words) {
  check_name(request.subscriber, words);
  REQUIRE(request.max >= 1 && request.max <= kMaxReadCount);
  REQUIRE(!request.max_bytes || (*request.max_bytes >= 1 && *request.max_bytes <= INT64_MAX));
  REQUIRE(!request.block_ms || *request.block_ms <= kMaxMs);
}

void check(const ChannelReadRequest& request, Words words) {
  REQUIRE(request.max >= 1 && request.max <= kMaxReadCount);
  REQUIRE(!request.max_bytes || (*request.max_bytes >= 1 && *request.max_bytes <= INT64_MAX));
  // Each position has exactly one spelling.
  if (request.start.kind == ChannelStart::Kind::After) REQUIRE(to_text(request.start.position) == words[0]);
}

void check(const ChannelAckRequest& request, Words words) {
  check_name(request.subscriber, words);
  REQUIRE(words.size() == 2 && is_one_of(request.receipt, words));
}

void check(const SeenRequest& request, Words words) {
  check_name(request.subscriber, words);
  REQUIRE(!request.ids.empty() && request.ids.data() == words.data() + 1 && request.ids.size() == words.size() - 1);
  for (ByteView id : request.ids) check_name(id, words);
}

void check(const CreateRequest& request, Words words) {
  check_expire(request.expire_ms);
  REQUIRE(request.clock.value() >= Clock::kMin && request.clock.value() <= Clock::kMax);
  REQUIRE(words.size() <= 4);
}

void check(const ChannelInfoRequest& request, Words words) {
  REQUIRE((request.full != request.subscribers) == !words.empty());
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
}

void check(const ChannelEffect& effect, Words words) {
  using Kind = ChannelEffect::Kind;
  REQUIRE(effect.clock.value() <= INT64_MAX);
  if (effect.kind == Kind::Touch) check_name(effect.bytes, words);
  if (effect.kind != Kind::Part) return;
  REQUIRE(is_one_of(effect.part.bytes, words));
  REQUIRE(!kChannelParts[effect.part.kind].has_block || is_one_of(effect.part.block, words));
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"CHAN.SUBSCRIBE", parse_and_check<parse_chan_subscribe>},
    {"CHAN.UNSUBSCRIBE", parse_and_check<parse_chan_unsubscribe>},
    {"CHAN.PUBLISH", parse_and_check<parse_chan_publish>},
    {"CHAN.MPUBLISH", parse_and_check<parse_chan_mpublish>},
    {"CHAN.FETCH", parse_and_check<parse_chan_fetch>},
    {"CHAN.READ", parse_and_check<parse_chan_read>},
    {"CHAN.ACK", parse_and_check<parse_chan_ack>},
    {"CHAN.SEEN", parse_and_check<parse_chan_seen>},
    {"CHAN.CREATE", parse_and_check<parse_chan_create>},
    {"CHAN.INFO", parse_and_check<parse_chan_info>},
    {"CHAN.APPLY", parse_and_check<parse_chan_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
