#include "module/shard/shard_requests.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "engine/base/limits.h"
#include "engine/shard/pool_effects.h"
#include "engine/shard/pool_parts.h"
#include "module/words/part_words.h"

namespace millrace::module {

namespace {

// The next word as the name of a worker or recipient.
ByteView named(ArgumentReader& reader, const char* what) { return reader.name(what, kMaxNameBytes); }

Result<ByteView> parse_one_name(Words words, const char* what) {
  ArgumentReader reader(words);
  return reader.finish(named(reader, what));
}

uint64_t block_time(ArgumentReader& reader);

// [ID id] [BLOCK ms] PAYLOADS payload [...]. False if the words do not have this form and are payloads themselves.
Result<bool> parse_push_options(Words words, RouteRequest& request) {
  ArgumentReader options(words);
  bool id = false, block = false;
  std::optional<ByteView> found_id;
  std::optional<uint64_t> found_block_ms;
  while (!options.at_end() && !options.failed()) {
    if (options.keyword("PAYLOADS")) {
      if (options.at_end()) return fail(ErrorCode::Syntax, "missing payload behind PAYLOADS");
      request.id = found_id;
      request.block_ms = found_block_ms;
      request.payloads = words.last(options.left());
      return true;
    }
    if (options.option("ID", id)) {
      found_id = options.name("ID", kMaxNameBytes);
    } else if (options.option("BLOCK", block)) {
      found_block_ms = block_time(options);
    } else {
      return false;
    }
  }
  // If PAYLOADS follows, wrong options are reported.
  const bool has_payloads = std::ranges::any_of(words, [](ByteView word) { return is_keyword(word, "PAYLOADS"); });
  if (options.failed() && has_payloads) return options.error();
  return false;
}

uint64_t block_time(ArgumentReader& reader) { return reader.number("BLOCK time", 0, kMaxMs); }

// Parses what follows the recipient of SHARD.PUSH, if it is more than a payload. REQUIRES: there is a word
[[gnu::noinline]] Result<void> read_long_push(Words words, RouteRequest& request) {
  const auto options = parse_push_options(words, request);
  if (!options) return std::unexpected(options.error());
  // Without PAYLOADS, only the last word but one can be the option, if a payload comes before it. Other words that look
  // like an option are payloads.
  if (!*options) request.payloads = words;
  if (!*options && words.size() >= 3) {
    ArgumentReader end(words.last(2));
    if (end.keyword("BLOCK")) {
      request.block_ms = block_time(end);
      if (end.failed()) return end.error();
      request.payloads = words.first(words.size() - 2);
    }
  }
  return {};
}

}  // namespace

Result<ByteView> parse_shard_join(Words words) { return parse_one_name(words, "worker"); }
Result<ByteView> parse_shard_heartbeat(Words words) { return parse_one_name(words, "worker"); }
Result<ByteView> parse_shard_owner(Words words) { return parse_one_name(words, "recipient"); }

Result<LeaveRequest> parse_shard_leave(Words words) {
  ArgumentReader reader(words);
  LeaveRequest request{named(reader, "worker")};
  if (!reader.at_end() && !reader.option("NOW", request.lets_go)) reader.unknown_word("NOW");
  return reader.finish(request);
}

Result<Parsed<RouteRequest>> parse_shard_route(Words words) {
  ArgumentReader reader(words);
  Result<Parsed<RouteRequest>> parsed;
  parsed->recipient = named(reader, "recipient");
  if (!reader.at_end()) {
    if (!reader.keyword("BLOCK")) reader.unknown_word("BLOCK");
    parsed->block_ms = block_time(reader);
  }
  reader.finish_in_place(parsed);
  return parsed;
}

Result<Parsed<RouteRequest>> parse_shard_push(Words words) {
  ArgumentReader reader(words);
  Result<Parsed<RouteRequest>> parsed;
  parsed->recipient = named(reader, "recipient");
  if (reader.at_end()) {
    reader.word("payload");
    reader.finish_in_place(parsed);
    return parsed;
  }
  const Words behind = words.subspan(1);
  if (behind.size() == 1 && !is_keyword(behind[0], "PAYLOADS")) {
    parsed->payloads = behind;
  } else if (auto read = read_long_push(behind, *parsed); !read) {
    parsed = std::unexpected(std::move(read.error()));
  }
  if (parsed && std::ranges::any_of(parsed->payloads, [](ByteView part) { return part.size() > kMaxPart; })) {
    parsed = fail(ErrorCode::Range, "a payload is larger than 512 MiB");
  }
  return parsed;
}

Result<DoneRequest> parse_shard_done(Words words) {
  ArgumentReader reader(words);
  DoneRequest request;
  request.worker = named(reader, "worker");
  request.recipient = named(reader, "recipient");
  if (!reader.at_end()) request.count = reader.number("count", 1, UINT32_MAX);
  return reader.finish(request);
}

Result<RecipientsRequest> parse_shard_recipients(Words words) {
  ArgumentReader reader(words);
  RecipientsRequest request;
  request.worker = named(reader, "worker");
  bool count = false;
  bool cursor = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxReadCount);
    } else if (reader.option("CURSOR", cursor)) {
      request.cursor = reader.number("CURSOR", 0, UINT64_MAX);
    } else {
      reader.unknown_word("COUNT or CURSOR");
    }
  }
  return reader.finish(request);
}

Result<PullRequest> parse_shard_pull(Words words) {
  ArgumentReader reader(words);
  PullRequest request;
  request.worker = named(reader, "worker");
  bool count = false;
  bool block = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxReadCount);
    } else if (reader.option("BLOCK", block)) {
      request.block_ms = block_time(reader);
    } else if (!reader.option("WITHATTEMPTS", request.with_attempts)) {
      reader.unknown_word("COUNT, BLOCK or WITHATTEMPTS");
    }
  }
  return reader.finish(request);
}

Result<PoolAckRequest> parse_shard_ack(Words words) {
  ArgumentReader reader(words);
  PoolAckRequest request;
  request.worker = named(reader, "worker");
  request.recipient = named(reader, "recipient");
  request.sequence = Offset(reader.number("sequence", 1, INT64_MAX - 1));
  return reader.finish(request);
}

Result<PoolNackRequest> parse_shard_nack(Words words) {
  ArgumentReader reader(words);
  PoolNackRequest request;
  request.worker = named(reader, "worker");
  request.recipient = named(reader, "recipient");
  request.sequence = Offset(reader.number("sequence", 1, INT64_MAX - 1));
  bool delay = false, dead = false;
  while (!reader.at_end()) {
    if (reader.option("DELAY", delay)) {
      request.delay_ms = reader.number("DELAY time", 0, kMaxDurationMs);
    } else if (reader.option("DEAD", dead)) {
      request.dead = reader.name("reason", kMaxNameBytes);
    } else {
      reader.unknown_word("DELAY or DEAD");
    }
  }
  if (delay && dead) reader.fail(ErrorCode::Syntax, "DELAY and DEAD exclude each other");
  return reader.finish(request);
}

Result<Words> parse_shard_forget(Words words) {
  ArgumentReader reader(words);
  do {
    named(reader, "recipient");
  } while (!reader.at_end());
  return reader.finish(words);
}

Result<PoolInfoRequest> parse_shard_info(Words words) {
  ArgumentReader reader(words);
  PoolInfoRequest request;
  bool count = false, cursor = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 0, kMaxReadCount);
    } else if (reader.option("CURSOR", cursor)) {
      request.cursor = reader.number("CURSOR", 0, UINT32_MAX);
    } else {
      reader.unknown_word("COUNT or CURSOR");
    }
  }
  return reader.finish(request);
}

Result<PoolCheckRequest> parse_shard_check(Words words) {
  ArgumentReader reader(words);
  PoolCheckRequest request;
  bool count = false, cursor = false;
  while (!reader.at_end()) {
    if (reader.option("CURSOR", cursor)) {
      request.cursor = reader.number("CURSOR", 0, UINT64_MAX);
    } else if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxReadCount);
    } else {
      reader.unknown_word("CURSOR or COUNT");
    }
  }
  if (count && !cursor) reader.fail(ErrorCode::Syntax, "COUNT is for a page: it needs CURSOR");
  return reader.finish(request);
}

Result<uint64_t> parse_shard_rebalance(Words words) {
  ArgumentReader reader(words);
  uint64_t max_moves = 1000;
  if (!reader.at_end()) {
    if (!reader.keyword("MAXMOVES")) reader.unknown_word("MAXMOVES");
    max_moves = reader.number("MAXMOVES", 1, kMaxReadCount);
  }
  return reader.finish(max_moves);
}

Result<PoolSetRequest> parse_shard_set(Words words) {
  ArgumentReader reader(words);
  PoolSetRequest request;
  bool stale = false, policy = false, attempts = false, dead = false, forget = false, most = false;
  do {
    if (reader.option("STALE", stale)) {
      request.stale_ms = reader.number("STALE time", 1, kMaxDurationMs);
    } else if (reader.option("MAXATTEMPTS", attempts)) {
      request.max_attempts = reader.number("MAXATTEMPTS", 0, kMostAttempts);
    } else if (reader.option("DEADLETTER", dead)) {
      request.dead_log = reader.keyword("NONE") ? ByteView() : reader.word("DEADLETTER");
    } else if (reader.option("FORGET", forget)) {
      request.forget_ms = reader.number("FORGET time", 0, kMaxDurationMs);
    } else if (reader.option("RECIPIENTMAX", most)) {
      request.recipient_max = reader.number("RECIPIENTMAX", 0, kMostRecipientMax);
    } else if (!reader.option("POLICY", policy)) {
      reader.unknown_word("STALE, POLICY, MAXATTEMPTS, DEADLETTER, FORGET or RECIPIENTMAX");
    } else if (reader.keyword("ROUNDROBIN")) {
      request.policy = AssignmentPolicy::RoundRobin;
    } else if (reader.keyword("LEASTPENDING")) {
      request.policy = AssignmentPolicy::LeastPending;
    } else {
      reader.unknown_word("roundrobin or leastpending behind POLICY");
    }
  } while (!reader.at_end());
  return reader.finish(request);
}

Result<PoolEffect> parse_shard_apply(Words words) {
  using Kind = PoolEffect::Kind;
  ArgumentReader reader(words);
  PoolEffect effect;
  if (reader.keyword(kPoolClock)) {
    effect.clock = PoolTime(reader.number("CLOCK", 0, INT64_MAX / 2));
  } else if (reader.keyword(kPoolSettle)) {
    effect.kind = Kind::Settle;
  } else if (reader.keyword(kPoolSeen)) {
    effect.kind = Kind::Seen;
    effect.bytes = named(reader, "worker");
  } else if (reader.keyword(kPoolForget)) {
    effect.kind = Kind::Forget;
    effect.bytes = reader.word("names");
  } else if (reader.keyword(kPoolLetters)) {
    effect.kind = Kind::Letters;
    effect.count = reader.number("LETTERS", 1, INT64_MAX);
  } else if (const auto part = read_part(reader, kPoolParts)) {
    effect.kind = Kind::Part;
    effect.part = *part;
  } else {
    reader.unknown_word(
        "CLOCK, SEEN, SETTLE, FORGET, LETTERS, POOL, WORKER, RECIPIENTS, BLOCK, QUEUE, TROUBLE, DEAD or IDS");
  }
  return reader.finish(effect);
}

}  // namespace millrace::module
