#include "module/lock/lock_requests.h"

#include <string>

namespace millrace::module {

namespace {

// An empty owner is an unset variable: all clients with that mistake would share the lock.
ByteView parse_owner(ArgumentReader& reader) { return reader.name("owner", kMaxOwner); }

uint64_t parse_ttl(ArgumentReader& reader) { return reader.number("lease time", 1, kMaxLeaseMs); }

Result<LockListRequest> parse_list(Words words) {
  ArgumentReader reader(words);
  LockListRequest request;
  bool count = false;
  while (!reader.at_end()) {
    if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 0, kMaxReadCount);
    } else {
      reader.unknown_word("COUNT");
    }
  }
  return reader.finish(request);
}

}  // namespace

Result<Parsed<AcquireRequest>> parse_lock_acquire(Words words) {
  ArgumentReader reader(words);
  Result<Parsed<AcquireRequest>> parsed;
  AcquireRequest& request = *parsed;
  request.owner = parse_owner(reader);
  request.ttl_ms = parse_ttl(reader);
  bool shared = false, limit = false, wait = false, alive = false, value = false;
  while (!reader.at_end()) {
    if (reader.option("SHARED", shared)) {
      request.mode = LockMode::shared();
    } else if (reader.option("LIMIT", limit)) {
      const uint64_t permits = reader.number("LIMIT", 1, kMaxPermits);
      if (!reader.failed()) request.mode = LockMode::limit(permits);
    } else if (reader.option("WAIT", wait)) {
      const uint64_t wait_ms = reader.number("WAIT time", 0, kMaxLeaseMs);
      if (wait_ms != 0) request.block_ms = wait_ms;
    } else if (reader.option("ALIVE", alive)) {
      request.alive_ms = reader.number("ALIVE time", 1, kMaxLeaseMs);
    } else if (reader.option("VALUE", value)) {
      request.value = reader.word("VALUE");
      if (request.value->size() > kMaxLockValue) {
        reader.fail(ErrorCode::Range, "VALUE has " + std::to_string(kMaxLockValue) + " bytes at most");
      }
    } else {
      reader.unknown_word("SHARED, LIMIT, VALUE, WAIT or ALIVE");
    }
  }
  if (alive && !wait) reader.fail(ErrorCode::Syntax, "ALIVE is for a grant that was waited for: it needs WAIT");
  if (shared && limit) reader.fail(ErrorCode::Syntax, "SHARED and LIMIT exclude each other");
  reader.finish_in_place(parsed);
  return parsed;
}

Result<ByteView> parse_lock_release(Words words) {
  ArgumentReader reader(words);
  return reader.finish(parse_owner(reader));
}

Result<RenewRequest> parse_lock_renew(Words words) {
  ArgumentReader reader(words);
  RenewRequest request;
  request.owner = parse_owner(reader);
  request.ttl_ms = parse_ttl(reader);
  if (reader.keyword("TOKEN")) {
    request.token = Token(reader.number("TOKEN", 1, kMaxToken.value()));
  } else if (!reader.at_end()) {
    reader.unknown_word("TOKEN");
  }
  return reader.finish(request);
}

Result<WatchRequest> parse_lock_watch(Words words) {
  ArgumentReader reader(words);
  WatchRequest request;
  bool token = false, block = false;
  while (!reader.at_end()) {
    if (reader.option("TOKEN", token)) {
      request.token = Token(reader.number("TOKEN", 0, kMaxToken.value()));
    } else if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK time", 0, kMaxLeaseMs);
    } else {
      reader.unknown_word("TOKEN or BLOCK");
    }
  }
  return reader.finish(request);
}

Result<LockListRequest> parse_lock_info(Words words) { return parse_list(words); }
Result<LockListRequest> parse_lock_waits(Words words) { return parse_list(words); }

Result<ByteView> parse_lock_apply(Words words) {
  ArgumentReader reader(words);
  return reader.finish(reader.word("changes"));
}

}  // namespace millrace::module
