#include "module/log/log_requests.h"

#include <algorithm>
#include <string>

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
    if (request.pairs.size() % 2 != 0) {
      return fail(ErrorCode::Syntax, "ENTRIES needs an entry for every tag: the last tag has none");
    }
  }
  if (std::ranges::any_of(request.pairs, [](ByteView part) { return part.size() > kMaxPart; })) {
    return fail(ErrorCode::Range, "a tag or entry is larger than 512 MiB");
  }
  return request;
}

namespace {

constexpr char kOffsetForms[] = "offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one";

struct ParsedStart {
  StartOffset start = StartOffset::before_next(0);
  bool is_zero = false;
};

ParsedStart parse_start(ArgumentReader& reader) {
  if (reader.keyword("$")) return {};
  const int64_t number = reader.signed_number("offset", -INT64_MAX, INT64_MAX, kOffsetForms);
  if (number < 0) return {StartOffset::before_next(static_cast<uint64_t>(-number)), false};
  return {StartOffset::at(Offset(static_cast<uint64_t>(number))), number == 0};
}

// The options of TREAD that only go with a group.
class GroupOptions {
 public:
  // `read` is given what they say. Borrowed.
  explicit GroupOptions(std::optional<GroupRead>& read) : read_(read) {}

  // Takes the next option if it is one of these.
  bool take(ArgumentReader& reader) {
    if (reader.option("GROUP", group_) || reader.option("TAILGROUP", tail_group_)) {
      if (group_ && tail_group_) reader.fail(ErrorCode::Syntax, "GROUP and TAILGROUP exclude each other");
      read().at_tail = tail_group_;
      read().name = reader.word("group name");
    } else if (reader.option("CONSUMER", consumer_)) {
      read().consumer = reader.word("consumer name");
    } else if (reader.option("RETRY", retry_)) {
      const auto retry_ms = static_cast<uint32_t>(reader.number("RETRY time", 1, kMaxRetryMs));
      read().retry = Retry{retry_ms, reader.number("RETRY expiry", 0, kMaxPendingMs)};
    } else if (reader.option("WITHATTEMPTS", with_attempts_)) {
      read().with_attempts = true;
    } else {
      return false;
    }
    return true;
  }

  void finish(ArgumentReader& reader) const {
    if (!read_ || group_ || tail_group_) return;
    const char* alone = consumer_ ? "CONSUMER" : retry_ ? "RETRY" : "WITHATTEMPTS";
    reader.fail(ErrorCode::Syntax, std::string(alone) + " needs GROUP or TAILGROUP");
  }

 private:
  GroupRead& read() { return read_ ? *read_ : read_.emplace(); }

  std::optional<GroupRead>& read_;
  bool group_ = false, tail_group_ = false, consumer_ = false, retry_ = false, with_attempts_ = false;
};

}  // namespace

Result<ReadRequest> parse_tread(Words words) {
  Result<ReadRequest> parsed;
  ReadRequest& request = *parsed;
  ArgumentReader reader(words);
  const ParsedStart start = parse_start(reader);
  request.start = start.start;
  request.count = reader.number("count", 0, kMaxReadCount);
  bool block = false, tags = false;
  GroupOptions options(request.group);
  while (!reader.at_end()) {
    if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK timeout", 0, kMaxMs);
    } else if (options.take(reader) || reader.option("WITHINFO", request.with_info) ||
               reader.option("SKIP", request.skip)) {
      // Taken, with its values if it has any.
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
  options.finish(reader);
  if (start.is_zero && !request.group) {
    reader.fail(ErrorCode::Range, std::string("invalid offset '0': ") + kOffsetForms);
  }
  if (request.group && tags) reader.fail(ErrorCode::Syntax, "TAGS does not go with a group");
  if (request.group && request.skip) {
    reader.fail(ErrorCode::Syntax, "SKIP does not go with a group, which never delivers evicted messages");
  }
  if (!reader.failed() && block && request.count == 0) {
    reader.fail(ErrorCode::Syntax, "BLOCK needs a count of at least 1: with 0 there is nothing to wait for");
  }
  if (reader.failed()) parsed = reader.error();
  return parsed;
}

Result<EvictRequest> parse_tevict(Words words) {
  ArgumentReader reader(words);
  const int64_t number = reader.signed_number("offset", -INT64_MAX, INT64_MAX);
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  if (number < 0) return EvictRequest{.up_to = {}, .keep = static_cast<uint64_t>(-number)};
  return EvictRequest{.up_to = Offset(static_cast<uint64_t>(number)), .keep = std::nullopt};
}

Result<RetainRequest> parse_tretain(Words words) {
  ArgumentReader reader(words);
  RetainRequest request;
  bool count = false, age = false, bytes = false, latest = false, acked = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 0, INT64_MAX);
    } else if (reader.option("AGE", age)) {
      request.age_ms = reader.number("AGE", 0, kMaxMs);
    } else if (reader.option("BYTES", bytes)) {
      request.bytes = reader.number("BYTES", 0, INT64_MAX);
    } else if (reader.option("LATEST", latest)) {
      request.latest = reader.yes_or_no("LATEST");
    } else if (reader.option("ACKED", acked)) {
      request.acked = reader.yes_or_no("ACKED");
    } else {
      reader.unknown_word("COUNT, AGE, BYTES, LATEST or ACKED");
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

namespace {

// offset|start-end [offset|start-end ...] up to the end.
std::vector<OffsetRange> parse_ranges(ArgumentReader& reader) {
  std::vector<OffsetRange> ranges;
  do {
    const ByteView word = reader.word("offset or start-end");
    if (reader.failed()) break;
    const size_t dash = word.find('-');
    const ByteView ends[] = {word.substr(0, dash), dash == word.npos ? word : word.substr(dash + 1)};
    ArgumentReader parts(ends);
    const Offset from(parts.number("offset", 1, INT64_MAX));
    const Offset to(parts.number("offset", 1, INT64_MAX));
    if (parts.failed() || from > to) {
      reader.fail(ErrorCode::Range, "invalid offsets " + quoted(word) +
                                        ": expected an offset or start-end, from 1 to " + std::to_string(INT64_MAX) +
                                        ", start not above end");
    }
    ranges.push_back({from, to});
  } while (!reader.at_end());
  return ranges;
}

// The same messages, in their order, each in one range.
std::vector<OffsetRange> without_repetition(std::vector<OffsetRange> ranges) {
  std::ranges::sort(ranges, {}, &OffsetRange::from);
  std::vector<OffsetRange> distinct;
  for (const OffsetRange& range : ranges) {
    if (distinct.empty() || distinct.back().to < range.from) {
      distinct.push_back(range);
    } else {
      distinct.back().to = std::max(distinct.back().to, range.to);
    }
  }
  return distinct;
}

}  // namespace

Result<AckRequest> parse_tack(Words words) {
  ArgumentReader reader(words);
  AckRequest request;
  request.group = reader.word("group name");
  request.ranges = parse_ranges(reader);
  if (reader.failed()) return reader.error();
  return request;
}

Result<NackRequest> parse_tnack(Words words) {
  ArgumentReader reader(words);
  NackRequest request;
  request.group = reader.word("group name");
  if (reader.keyword("DELAY")) request.delay_ms = reader.number("DELAY", 0, kMaxPendingMs);
  request.ranges = without_repetition(parse_ranges(reader));
  if (reader.failed()) return reader.error();
  return request;
}

Result<SeekGroupRequest> parse_tgroup_seek(Words words) {
  ArgumentReader reader(words);
  SeekGroupRequest request{};
  request.group = reader.word("group name");
  if (reader.keyword("FIRST")) {
    request.where = SeekGroupRequest::Where::First;
  } else if (reader.keyword("NEXT")) {
    request.where = SeekGroupRequest::Where::Next;
  } else {
    request.where = SeekGroupRequest::Where::AtOffset;
    request.offset = Offset(reader.number("offset", 1, INT64_MAX));
  }
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  return request;
}

Result<ByteView> parse_tgroup_drop(Words words) {
  ArgumentReader reader(words);
  return reader.finish(reader.word("group name"));
}

Result<PendingRequest> parse_tgroup_pending(Words words) {
  ArgumentReader reader(words);
  PendingRequest request;
  request.group = reader.word("group name");
  bool consumer = false, from = false, count = false;
  while (!reader.at_end()) {
    if (reader.option("CONSUMER", consumer)) {
      request.consumer = reader.word("consumer name");
    } else if (reader.option("FROM", from)) {
      request.from = Offset(reader.number("FROM offset", 1, INT64_MAX));
    } else if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxReadCount);
    } else {
      reader.unknown_word("CONSUMER, FROM or COUNT");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<SetGroupRequest> parse_tgroup_set(Words words) {
  ArgumentReader reader(words);
  SetGroupRequest request;
  request.group = reader.word("group name");
  bool pending_max = false, max_attempts = false, dead_letter = false;
  do {
    if (reader.option("PENDINGMAX", pending_max)) {
      request.pending_max = reader.number("PENDINGMAX", 0, INT64_MAX);
    } else if (reader.option("MAXATTEMPTS", max_attempts)) {
      request.max_attempts = static_cast<uint32_t>(reader.number("MAXATTEMPTS", 0, kMaxAttempts));
    } else if (reader.option("DEADLETTER", dead_letter)) {
      if (reader.keyword("NONE")) {
        request.dead_letter = ByteView();
      } else {
        request.dead_letter = reader.word("DEADLETTER key");
        if (request.dead_letter->empty()) {
          reader.fail(ErrorCode::Range, "DEADLETTER needs a key that is not empty, or NONE");
        }
      }
    } else {
      reader.unknown_word("PENDINGMAX, MAXATTEMPTS or DEADLETTER");
    }
  } while (!reader.at_end());
  if (reader.failed()) return reader.error();
  return request;
}

namespace {

void parse_single_effect(ArgumentReader& reader, LogEffect& told) {
  using Kind = LogEffect::Kind;
  constexpr struct {
    const char* word;
    Kind kind;
  } kEffects[] = {{"HEAD", Kind::Head},           {"GROUP", Kind::Group},     {"PENDING", Kind::Pending},
                  {"DELIVERED", Kind::Delivered}, {"GIVENUP", Kind::GivenUp}, {"GIVENBACK", Kind::GivenBack},
                  {"COMPACTED", Kind::Compacted}};
  for (const auto& effect : kEffects) {
    if (!reader.keyword(effect.word)) continue;
    told.kind = effect.kind;
    told.bytes = reader.word("effect");
    return;
  }
  reader.unknown_word("CLOCK, BLOCK, HEAD, GROUP, PENDING, DELIVERED, GIVENUP, GIVENBACK or COMPACTED");
}

}  // namespace

Result<LogEffect> parse_tapply(Words words) {
  ArgumentReader reader(words);
  LogEffect effect{};
  if (reader.keyword("CLOCK")) {
    effect.kind = LogEffect::Kind::Clock;
    effect.clock = UnixMs(reader.number("clock", 0, INT64_MAX));
  } else if (reader.keyword("BLOCK")) {
    effect.kind = LogEffect::Kind::Block;
    effect.header = reader.word("block header");
    effect.bytes = reader.word("block");
    if (effect.bytes.size() > kMaxBlock) reader.fail(ErrorCode::Range, "a block is larger than 4 GiB");
  } else {
    parse_single_effect(reader, effect);
  }
  if (!reader.at_end()) reader.unknown_word("the end");
  if (reader.failed()) return reader.error();
  return effect;
}

}  // namespace millrace::module
