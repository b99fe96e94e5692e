#include "module/commands/log_requests.h"

#include <algorithm>
#include <string>

#include "module/commands/argument_reader.h"

namespace millrace::module {

Result<WriteRequest> parse_twrite(Words words) {
  WriteRequest request;
  if (words.size() == 2) {
    request.pairs = words;
  } else {
    ArgumentReader reader(words);
    bool backlog = false;
    while (!reader.keyword("ENTRIES")) {
      if (reader.option("BACKLOG", backlog)) {
        request.backlog = reader.number("BACKLOG count", 0, INT64_MAX);
      } else {
        reader.unknown_word("BACKLOG or ENTRIES");
      }
      if (reader.failed()) return reader.error();
    }
    request.pairs = words.subspan(words.size() - reader.left());
    if (request.pairs.empty()) return fail(ErrorCode::Syntax, "ENTRIES needs at least one tag and entry");
    if (request.pairs.size() % 2 != 0)
      return fail(ErrorCode::Syntax, "ENTRIES needs an entry for every tag: the last tag has none");
  }
  if (std::ranges::any_of(request.pairs, [](ByteView part) { return part.size() > kMaxPart; })) {
    return fail(ErrorCode::Range, "a tag or entry is larger than 512 MiB");
  }
  return request;
}

Offset StartOffset::in(const Log* log) const {
  if (!from_end_) return Offset(value_);
  const Offset next = log == nullptr ? Offset(1) : log->next();
  return value_ >= next.value() ? Offset(1) : next - value_;
}

namespace {

// With a group the offset is ignored, so 0 will do there.
StartOffset parse_start(ArgumentReader& reader, bool zero_will_do) {
  if (reader.keyword("$")) return StartOffset::before_next(0);
  const int64_t number = reader.signed_number("offset", -INT64_MAX, INT64_MAX);
  if (number == 0 && !zero_will_do) {
    reader.fail(ErrorCode::Range, "invalid offset '0': offsets start at 1; -n means n from the end, $ the next one");
  }
  return number < 0 ? StartOffset::before_next(static_cast<uint64_t>(-number))
                    : StartOffset::at(Offset(static_cast<uint64_t>(number)));
}

}  // namespace

Result<ReadRequest> parse_tread(Words words) {
  ArgumentReader reader(words);
  ReadRequest request;
  request.start = parse_start(reader);
  request.count = reader.number("count", 0, kMaxReadCount);
  bool block = false, tags = false;
  GroupOptions options;
  while (!reader.at_end()) {
    if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK timeout", 0, kMaxMs);
    } else if (options.take(reader)) {
      // Taken, with its values.
    } else if (reader.option("WITHINFO", request.with_info) || reader.option("SKIP", request.skip)) {
      // Taken; they have no value.
    } else if (reader.option("TAGS", tags)) {
      const uint64_t number = reader.number("number of TAGS", 1, INT64_MAX);
      if (!reader.failed() && number > reader.left()) {
        reader.fail(ErrorCode::Syntax, "TAGS says " + std::to_string(number) + " tags, but only " +
                                           std::to_string(reader.left()) + " arguments follow");
      }
      for (uint64_t i = 0; i < number && !reader.failed(); ++i) request.tags.push_back(reader.word("tag"));
    } else {
      reader.unknown_word("BLOCK, GROUP, TAILGROUP, CONSUMER, RETRY, WITHINFO, WITHATTEMPTS, SKIP or TAGS");
    }
  }
  request.group = options.finish(reader);
  if (request.group && tags) reader.fail(ErrorCode::Syntax, "TAGS does not go with a group");
  if (request.group && request.skip) reader.fail(ErrorCode::Syntax, "SKIP does not go with a group, which never delivers evicted messages");
  if (!reader.failed() && block && request.count == 0) {
    reader.fail(ErrorCode::Syntax, "BLOCK needs a count of at least 1: with 0 there is nothing to wait for");
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<EvictRequest> parse_tevict(Words words) {
  ArgumentReader reader(words);
  const int64_t number = reader.signed_number("offset", -INT64_MAX, INT64_MAX);
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  if (number < 0) return EvictRequest{.up_to = {}, .keep = static_cast<uint64_t>(-number)};
  return EvictRequest{.up_to = Offset(static_cast<uint64_t>(number)), .keep = std::nullopt};
}

Retention RetainRequest::applied_to(Retention old) const {
  return {
      .count = count.value_or(old.count), .age_ms = age_ms.value_or(old.age_ms), .bytes = bytes.value_or(old.bytes)};
}

Result<RetainRequest> parse_tretain(Words words) {
  ArgumentReader reader(words);
  RetainRequest request;
  bool count = false, age = false, bytes = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 0, INT64_MAX);
    } else if (reader.option("AGE", age)) {
      request.age_ms = reader.number("AGE", 0, kMaxMs);
    } else if (reader.option("BYTES", bytes)) {
      request.bytes = reader.number("BYTES", 0, INT64_MAX);
    } else {
      reader.unknown_word("COUNT, AGE or BYTES");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<UnixMs> parse_tseek(Words words) {
  ArgumentReader reader(words);
  const UnixMs time(reader.number("time in unix milliseconds", 0, INT64_MAX));
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  return time;
}

Result<ApplyRequest> parse_tapply(Words words) {
  ArgumentReader reader(words);
  ApplyRequest request{};
  if (reader.keyword("CLOCK")) {
    request.what = ApplyRequest::What::Clock;
    request.clock = UnixMs(reader.number("clock", 0, INT64_MAX));
  } else if (reader.keyword("BLOCK")) {
    request.what = ApplyRequest::What::Block;
    request.header = reader.word("block header");
    request.bytes = reader.word("block");
    if (request.bytes.size() > kMaxBlock) reader.fail(ErrorCode::Range, "a block is larger than 4 GiB");
  } else if (reader.keyword("HEAD")) {
    request.what = ApplyRequest::What::Head;
    request.header = reader.word("log head");
  } else {
    reader.unknown_word("CLOCK, BLOCK or HEAD");
  }
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  return request;
}

}  // namespace millrace::module
