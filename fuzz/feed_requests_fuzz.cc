// The words of every command of feeds, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"
#include "fuzz/command_lines.h"
#include "module/feed/feed_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check_feed(ByteView name, Words words) {
  REQUIRE(is_one_of(name, words));
  REQUIRE(!name.empty() && name.size() <= kMaxNameBytes);
}

void check(const FeedAddRequest& request, Words words) {
  check_feed(request.feed, words);
  REQUIRE(words.size() == 3 && request.key.data() == words[1].data());
  const FeedStart& start = request.start;
  REQUIRE((start.kind == FeedStart::Kind::After) == (start.in_log || start.in_channel));
  REQUIRE(!request.is_notice || start.kind == FeedStart::Kind::End);
  // Each position has exactly one spelling.
  if (start.in_log) REQUIRE(to_text(*start.in_log) == words[2]);
  if (start.in_channel) REQUIRE(to_text(*start.in_channel) == words[2]);
}

void check(const FeedDelRequest& request, Words words) {
  check_feed(request.feed, words);
  REQUIRE(request.keys.size() == words.size() - 1 && !request.keys.empty());
}

void check(const FeedReadRequest& request, Words words) {
  check_feed(request.feed, words);
  REQUIRE(request.max >= 1 && request.max <= kMaxReadCount);
  REQUIRE(!request.bytes || (*request.bytes >= 1 && *request.bytes <= INT64_MAX));
  REQUIRE(!request.block_ms || *request.block_ms <= kMaxMs);
}

void check(ByteView feed, Words words) {
  check_feed(feed, words);
  REQUIRE(words.size() == 1);
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"FEED.ADD", parse_and_check<parse_feed_add>},
    {"FEED.DEL", parse_and_check<parse_feed_del>},
    {"FEED.READ", parse_and_check<parse_feed_read>},
    {"FEED.INFO", parse_and_check<parse_feed_info>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
