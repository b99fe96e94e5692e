#include "module/log/log_requests.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/log/log_effects.h"
#include "engine/log/log_parts.h"
#include "module/words/part_words.h"

namespace millrace::module {

std::vector<ByteView> parse_tags(ArgumentReader& reader) {
  std::vector<ByteView> tags;
  const uint64_t number = reader.number("number of TAGS", 1, kMaxTags);
  if (!reader.failed() && number > reader.left()) {
    reader.fail(ErrorCode::Syntax, "TAGS says " + std::to_string(number) + " tags, but only " +
                                       std::to_string(reader.left()) + " arguments follow");
  }
  for (uint64_t i = 0; i < number && !reader.failed(); ++i) tags.push_back(reader.word("tag"));
  return tags;
}

namespace {

constexpr char kOffsetForms[] =
    "offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, epoch.offset one of that epoch";

struct ParsedStart {
  StartOffset start = StartOffset::before_next(0);
  bool is_zero = false;
  std::optional<LogEpoch> epoch = std::nullopt;
};

ParsedStart parse_start(ArgumentReader& reader) {
  if (const auto number = reader.number_if_any(-INT64_MAX, INT64_MAX)) {
    if (*number < 0) return {StartOffset::before_next(static_cast<uint64_t>(-*number)), false};
    return {StartOffset::at(Offset(static_cast<uint64_t>(*number))), *number == 0};
  }
  if (reader.keyword("$")) return {};
  if (const auto position = reader.numbers_with_dot(kMaxEpoch.value(), 1, INT64_MAX)) {
    return {StartOffset::at(Offset(position->second)), false, LogEpoch(position->first)};
  }
  reader.signed_number("offset", -INT64_MAX, INT64_MAX, kOffsetForms);  // reports the error
  return {};
}

// The options of TREAD that only go with a group.
class GroupOptions {
 public:
  // The options are stored in `read`, which is borrowed.
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
    } else if (reader.option("MINE", mine_)) {
      read().is_mine = true;
    } else {
      return false;
    }
    return true;
  }

  void finish(ArgumentReader& reader) const {
    if (mine_ && !consumer_) reader.fail(ErrorCode::Syntax, "MINE needs CONSUMER: it reads what that one holds");
    if (!read_ || group_ || tail_group_) return;
    const char* alone = consumer_ ? "CONSUMER" : retry_ ? "RETRY" : "WITHATTEMPTS";
    reader.fail(ErrorCode::Syntax, std::string(alone) + " needs GROUP or TAILGROUP");
  }

 private:
  GroupRead& read() { return read_ ? *read_ : read_.emplace(); }

  std::optional<GroupRead>& read_;
  bool group_ = false, tail_group_ = false, consumer_ = false, retry_ = false, with_attempts_ = false, mine_ = false;
};

// A frame always has the dates of its messages and the information of WITHINFO, and never nulls for evicted offsets.
void finish_framed(ArgumentReader& reader, ReadRequest& request) {
  if (request.group || request.with_info || request.with_time || request.skip || request.backwards ||
      !request.tags.empty()) {
    reader.fail(ErrorCode::Syntax, "FRAMED goes with BLOCK and MAXBYTES only");
  }
  request.skip = true;
}

}  // namespace

Result<Parsed<ReadRequest>> parse_tread(Words words) {
  Result<Parsed<ReadRequest>> parsed;
  ReadRequest& request = *parsed;
  ArgumentReader reader(words);
  const ParsedStart start = parse_start(reader);
  request.start = start.start;
  request.epoch = start.epoch;
  request.count = reader.number("count", 0, kMaxReadCount);
  bool block = false, tags = false, max_bytes = false;
  GroupOptions options(request.group);
  while (!reader.at_end()) {
    if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK timeout", 0, kMaxMs);
    } else if (reader.option("WITHINFO", request.with_info)) {
      request.with_epoch = reader.keyword("EPOCH");
    } else if (options.take(reader) || reader.option("WITHTIME", request.with_time) ||
               reader.option("SKIP", request.skip) || reader.option("REV", request.backwards) ||
               reader.option("FRAMED", request.is_framed)) {
      // The option was parsed, with its values if it has any.
    } else if (reader.option("MAXBYTES", max_bytes)) {
      request.max_bytes = reader.number("MAXBYTES", 1, INT64_MAX);
    } else if (reader.option("TAGS", tags)) {
      request.tags = parse_tags(reader);
    } else {
      reader.unknown_word(
          "BLOCK, GROUP, TAILGROUP, CONSUMER, RETRY, WITHINFO, WITHATTEMPTS, WITHTIME, MAXBYTES, REV, MINE, SKIP, TAGS "
          "or FRAMED");
    }
  }
  options.finish(reader);
  if (start.is_zero && !request.group) {
    reader.fail(ErrorCode::Range, std::string("invalid offset '0': ") + kOffsetForms);
  }
  if (request.group && request.epoch) {
    reader.fail(ErrorCode::Syntax, "epoch.offset does not go with a group, which has a position of its own");
  }
  if (request.group && tags) reader.fail(ErrorCode::Syntax, "TAGS does not go with a group");
  if (request.group && request.group->is_mine && block) {
    reader.fail(ErrorCode::Syntax, "BLOCK does not go with MINE, which reads what the consumer holds already");
  }
  if (request.group && request.backwards) reader.fail(ErrorCode::Syntax, "REV does not go with a group");
  if (block && request.backwards) {
    reader.fail(ErrorCode::Syntax, "REV does not go with BLOCK: what is written later is not behind the offset");
  }
  if (request.group && request.skip) {
    reader.fail(ErrorCode::Syntax, "SKIP does not go with a group, which never delivers evicted messages");
  }
  if (!reader.failed() && block && request.count == 0) {
    reader.fail(ErrorCode::Syntax, "BLOCK needs a count of at least 1: with 0 there is nothing to wait for");
  }
  if (request.is_framed) finish_framed(reader, request);
  if (reader.failed()) parsed = reader.error();
  return parsed;
}

Result<Parsed<ReadRequest>> parse_treadgroup(Words words) {
  auto request = parse_tread(words);
  if (request && !request->group) request = fail(ErrorCode::Syntax, "TREADGROUP needs GROUP or TAILGROUP");
  return request;
}

Result<Parsed<ReadRequest>> parse_tread_ro(Words words) {
  auto request = parse_tread(words);
  if (request && request->group) request = fail(ErrorCode::Syntax, "TREAD_RO reads without a group");
  return request;
}

Result<EvictRequest> parse_tevict(Words words) {
  ArgumentReader reader(words);
  const int64_t number = reader.signed_number("offset", -INT64_MAX, INT64_MAX);
  if (!reader.at_end()) reader.unknown_word("nothing more");
  if (reader.failed()) return reader.error();
  if (number < 0) return EvictRequest{.up_to = {}, .keep = static_cast<uint64_t>(-number)};
  return EvictRequest{.up_to = Offset(static_cast<uint64_t>(number)), .keep = std::nullopt};
}

Result<RetainRequest> parse_tretain(Words words) {
  ArgumentReader reader(words);
  RetainRequest request;
  bool count = false, age = false, bytes = false, latest = false, acked = false, ids = false, refuse = false;
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
    } else if (reader.option("IDS", ids)) {
      request.ids_ms = static_cast<uint32_t>(reader.number("IDS", 0, UINT32_MAX));
    } else if (reader.option("REFUSE", refuse)) {
      request.refuse = reader.yes_or_no("REFUSE");
    } else {
      reader.unknown_word("COUNT, AGE, BYTES, LATEST, ACKED, IDS or REFUSE");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<UnixMs> parse_tseek(Words words) {
  ArgumentReader reader(words);
  const UnixMs time(reader.number("time in unix milliseconds", 0, INT64_MAX));
  if (!reader.at_end()) reader.unknown_word("nothing more");
  if (reader.failed()) return reader.error();
  return time;
}

Result<LogEffect> parse_tapply(Words words) {
  using Kind = LogEffect::Kind;
  constexpr struct {
    const char* word;
    Kind kind;
  } kOfGroups[] = {
      {kLogDelivered, Kind::Delivered}, {kLogFinished, Kind::Finished},   {kLogGivenUp, Kind::GivenUp},
      {kLogGivenBack, Kind::GivenBack}, {kLogRepeated, Kind::Repeated},   {kLogUsed, Kind::Used},
      {kLogDropped, Kind::Dropped},     {kLogCompacted, Kind::Compacted}, {kLogTagsDeleted, Kind::TagsDeleted}};
  ArgumentReader reader(words);
  LogEffect effect;
  if (reader.keyword(kLogClock)) {
    effect.clock = UnixMs(reader.number("CLOCK", 0, INT64_MAX));
    return reader.finish(effect);
  }
  if (reader.keyword(kLogDue)) {
    effect.kind = Kind::Due;
    effect.count = reader.number("DUE", 1, INT64_MAX);
    return reader.finish(effect);
  }
  if (const auto part = read_part(reader, kLogParts)) {
    effect.kind = Kind::Part;
    effect.part = *part;
    return reader.finish(effect);
  }
  const auto known = std::ranges::find_if(kOfGroups, [&](const auto& one) { return reader.keyword(one.word); });
  if (known == std::end(kOfGroups)) {
    reader.unknown_word(
        "CLOCK, EPOCH, BLOCK, HEAD, MORE, IDS, SCHEDULED, DELETED, DELETING, GROUP, PENDING, DELIVERED, FINISHED, "
        "GIVENUP, GIVENBACK, REPEATED, USED, DROPPED, COMPACTED, DUE or TAGSDELETED");
    return reader.error();
  }
  effect.kind = known->kind;
  effect.bytes = reader.word("effect");
  return reader.finish(effect);
}

}  // namespace millrace::module
