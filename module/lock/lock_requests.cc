#include "module/lock/lock_requests.h"

#include <string>

namespace millrace::module {

namespace {

// An empty owner is an unset variable: all who have it would share the lock.
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

Result<AcquireRequest> parse_lock_acquire(Words words) {
  ArgumentReader reader(words);
  AcquireRequest request;
  request.owner = parse_owner(reader);
  request.ttl_ms = parse_ttl(reader);
  bool shared = false, limit = false, wait = false;
  while (!reader.at_end()) {
    if (reader.option("SHARED", shared)) {
      request.mode = LockMode::shared();
    } else if (reader.option("LIMIT", limit)) {
      const uint64_t permits = reader.number("LIMIT", 1, kMaxPermits);
      if (!reader.failed()) request.mode = LockMode::limit(permits);
    } else if (reader.option("WAIT", wait)) {
      const uint64_t wait_ms = reader.number("WAIT time", 0, kMaxLeaseMs);
      if (wait_ms != 0) request.block_ms = wait_ms;
    } else {
      reader.unknown_word("SHARED, LIMIT or WAIT");
    }
  }
  if (shared && limit) reader.fail(ErrorCode::Syntax, "SHARED and LIMIT exclude each other");
  return reader.finish(request);
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

Result<LockListRequest> parse_lock_info(Words words) { return parse_list(words); }
Result<LockListRequest> parse_lock_waits(Words words) { return parse_list(words); }

Result<ByteView> parse_lock_apply(Words words) {
  ArgumentReader reader(words);
  return reader.finish(reader.word("changes"));
}

}  // namespace millrace::module
