#include "module/feed/feed_requests.h"

#include "engine/base/limits.h"

namespace millrace::module {

namespace {

ByteView feed_name(ArgumentReader& reader) { return reader.name("feed", kMaxNameBytes); }

}  // namespace

Result<FeedAddRequest> parse_feed_add(Words words) {
  ArgumentReader reader(words);
  FeedAddRequest request;
  request.feed = feed_name(reader);
  request.key = reader.word("key");
  if (reader.keyword("NOTICE")) {
    request.is_notice = true;
    request.start.kind = FeedStart::Kind::End;
    return reader.finish(request);
  }
  const ByteView text = reader.word("position");
  if (const auto start = read_feed_start(text)) {
    request.start = *start;
  } else {
    reader.fail(ErrorCode::BadPosition,
                quoted(text) + " is no position: expected an offset, epoch.offset, clock.mark, $, - or NOTICE");
  }
  return reader.finish(request);
}

Result<FeedDelRequest> parse_feed_del(Words words) {
  ArgumentReader reader(words);
  FeedDelRequest request;
  request.feed = feed_name(reader);
  do {
    reader.word("key");
  } while (!reader.at_end());
  if (!reader.failed()) request.keys = words.subspan(1);
  return reader.finish(request);
}

Result<FeedReadRequest> parse_feed_read(Words words) {
  ArgumentReader reader(words);
  FeedReadRequest request;
  request.feed = feed_name(reader);
  bool max = false;
  bool bytes = false;
  bool block = false;
  while (!reader.at_end()) {
    if (reader.option("MAX", max)) {
      request.max = reader.number("MAX count", 1, kMaxReadCount);
    } else if (reader.option("BYTES", bytes)) {
      request.bytes = reader.number("BYTES", 1, INT64_MAX);
    } else if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK time", 0, kMaxMs);
    } else {
      reader.unknown_word("MAX, BYTES or BLOCK");
    }
  }
  return reader.finish(request);
}

Result<ByteView> parse_feed_info(Words words) {
  ArgumentReader reader(words);
  return reader.finish(feed_name(reader));
}

}  // namespace millrace::module
