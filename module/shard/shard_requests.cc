#include "module/shard/shard_requests.h"

#include <algorithm>
#include <iterator>
#include <string>

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

uint64_t block_time(ArgumentReader& reader) { return reader.number("BLOCK time", 0, kMaxMs); }

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

Result<RouteRequest> parse_shard_route(Words words) {
  ArgumentReader reader(words);
  RouteRequest request;
  request.recipient = named(reader, "recipient");
  if (!reader.at_end()) {
    if (!reader.keyword("BLOCK")) reader.unknown_word("BLOCK");
    request.block_ms = block_time(reader);
  }
  return reader.finish(request);
}

Result<RouteRequest> parse_shard_push(Words words) {
  ArgumentReader reader(words);
  RouteRequest request;
  request.recipient = named(reader, "recipient");
  if (reader.at_end()) {
    reader.word("payload");
    return reader.finish(request);
  }
  // Payloads are any bytes, so the option is known by its place: the last word but one,
  // if a payload comes before it.
  request.payloads = words.subspan(1);
  if (words.size() >= 4) {
    ArgumentReader end(words.last(2));
    if (end.keyword("BLOCK")) {
      request.block_ms = block_time(end);
      if (end.failed()) return end.error();
      request.payloads = words.subspan(1, words.size() - 3);
    }
  }
  if (std::ranges::any_of(request.payloads, [](ByteView payload) { return payload.size() > kMaxPart; })) {
    return fail(ErrorCode::Range, "a payload is larger than 512 MiB");
  }
  return request;
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
    } else {
      reader.unknown_word("COUNT or BLOCK");
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
  bool stale = false;
  bool policy = false;
  do {
    if (reader.option("STALE", stale)) {
      request.stale_ms = reader.number("STALE time", 1, kMaxDurationMs);
    } else if (!reader.option("POLICY", policy)) {
      reader.unknown_word("STALE or POLICY");
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
  } else if (const auto part = read_part(reader, kPoolParts)) {
    effect.kind = Kind::Part;
    effect.part = *part;
  } else {
    reader.unknown_word("CLOCK, SEEN, SETTLE, POOL, WORKER, RECIPIENTS, BLOCK or QUEUE");
  }
  return reader.finish(effect);
}

}  // namespace millrace::module
