// The parsers of commands about groups.
#include <algorithm>
#include <string>

#include "engine/base/limits.h"
#include "module/log/log_requests.h"
#include "module/log/offset_ranges.h"

namespace millrace::module {

Result<AckRequest> parse_tack(Words words) {
  ArgumentReader reader(words);
  AckRequest request;
  request.group = reader.word("group name");
  if (reader.keyword("CONSUMER")) request.consumer = reader.word("consumer name");
  request.ranges = parse_ranges(reader);
  if (reader.failed()) return reader.error();
  return request;
}

Result<NackRequest> parse_tnack(Words words) {
  ArgumentReader reader(words);
  NackRequest request;
  request.group = reader.word("group name");
  bool consumer = false, delay = false, dead = false, is_option = true;
  while (is_option && !reader.at_end()) {
    if (reader.option("CONSUMER", consumer)) {
      request.consumer = reader.word("consumer name");
    } else if (reader.option("DELAY", delay)) {
      request.delay_ms = reader.number("DELAY", 0, kMaxPendingMs);
    } else if (reader.option("DEAD", dead)) {
      request.dead_because = reader.name("reason", kMaxNameBytes);
    } else {
      is_option = reader.option("UNCOUNTED", request.is_uncounted);
    }
  }
  if (dead && (delay || request.is_uncounted)) {
    reader.fail(ErrorCode::Syntax, "DEAD gives messages up: it excludes DELAY and UNCOUNTED");
  }
  request.ranges = without_repetition(parse_ranges(reader));
  if (reader.failed()) return reader.error();
  return request;
}

Result<ExtendRequest> parse_textend(Words words) {
  ArgumentReader reader(words);
  ExtendRequest request;
  request.group = reader.word("group name");
  if (reader.keyword("CONSUMER")) request.consumer = reader.word("consumer name");
  request.ms = reader.number("time in milliseconds", 1, kMaxPendingMs);
  request.ranges = without_repetition(parse_ranges(reader));
  if (reader.failed()) return reader.error();
  return request;
}

namespace {

// FIRST or NEXT; false if it is neither.
bool parse_where(ArgumentReader& reader, SeekGroupRequest& request) {
  if (reader.keyword("FIRST")) {
    request.where = SeekGroupRequest::Where::First;
  } else if (reader.keyword("NEXT")) {
    request.where = SeekGroupRequest::Where::Next;
  } else {
    return false;
  }
  return true;
}

// The options of TGROUP SET.
class GroupSettingOptions {
 public:
  // Takes the next option if it is one of these.
  bool take(ArgumentReader& reader, SetGroupRequest& request) {
    if (reader.option("PENDINGMAX", pending_max_)) {
      request.pending_max = reader.number("PENDINGMAX", 0, INT64_MAX);
    } else if (reader.option("MAXATTEMPTS", max_attempts_)) {
      request.max_attempts = static_cast<uint32_t>(reader.number("MAXATTEMPTS", 0, kMaxAttempts));
    } else if (reader.option("IDLE", idle_)) {
      request.idle_ms = reader.number("IDLE", 0, kMaxPendingMs);
    } else if (reader.option("DEADLETTER", dead_letter_)) {
      take_dead_letter(reader, request);
    } else {
      return false;
    }
    return true;
  }

 private:
  static void take_dead_letter(ArgumentReader& reader, SetGroupRequest& request) {
    if (reader.keyword("NONE")) {
      request.dead_letter = ByteView();
      return;
    }
    request.dead_letter = reader.word("DEADLETTER key");
    if (request.dead_letter->empty()) {
      reader.fail(ErrorCode::Range, "DEADLETTER needs a key that is not empty, or NONE");
    }
  }

  bool pending_max_ = false, max_attempts_ = false, dead_letter_ = false, idle_ = false;
};

}  // namespace

Result<SeekGroupRequest> parse_tgroup_seek(Words words) {
  ArgumentReader reader(words);
  SeekGroupRequest request{};
  request.group = reader.word("group name");
  if (!parse_where(reader, request)) {
    request.where = SeekGroupRequest::Where::AtOffset;
    request.offset = Offset(reader.number("offset", 1, INT64_MAX));
  }
  if (!reader.at_end()) reader.unknown_word("nothing more");
  if (reader.failed()) return reader.error();
  return request;
}

Result<CreateGroupRequest> parse_tgroup_create(Words words) {
  ArgumentReader reader(words);
  CreateGroupRequest request{};
  request.at.where = SeekGroupRequest::Where::First;
  request.settings.group = request.at.group = reader.word("group name");
  const bool begins_with_digit = words.size() > 1 && !words[1].empty() && words[1][0] >= '0' && words[1][0] <= '9';
  if (!parse_where(reader, request.at) && begins_with_digit) {
    request.at.where = SeekGroupRequest::Where::AtOffset;
    request.at.offset = Offset(reader.number("offset", 1, INT64_MAX));
  }
  GroupSettingOptions options;
  while (!reader.at_end()) {
    if (!options.take(reader, request.settings)) {
      reader.unknown_word("FIRST, NEXT or an offset, then PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<ByteView> parse_tgroup_drop(Words words) {
  ArgumentReader reader(words);
  return reader.finish(reader.word("group name"));
}

Result<ListGroupsRequest> parse_tgroup_list(Words words) {
  ArgumentReader reader(words);
  ListGroupsRequest request;
  bool after = false, count = false;
  while (!reader.at_end()) {
    if (reader.option("AFTER", after)) {
      request.after = reader.word("group name");
    } else if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, INT64_MAX);
    } else {
      reader.unknown_word("AFTER or COUNT");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
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
  GroupSettingOptions options;
  do {
    if (!options.take(reader, request)) reader.unknown_word("PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE");
  } while (!reader.at_end());
  if (reader.failed()) return reader.error();
  return request;
}

Result<RedriveRequest> parse_tredrive(Words words) {
  ArgumentReader reader(words);
  RedriveRequest request;
  bool count = false, to = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxRedriven);
    } else if (reader.option("TO", to)) {
      request.to = reader.word("TO key");
    } else {
      reader.unknown_word("COUNT or TO");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

}  // namespace millrace::module
