// The words of every command of the lock, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>

#include "fuzz/command_lines.h"
#include "module/lock/lock_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check_owner(ByteView owner, Words words) {
  REQUIRE(is_one_of(owner, words));
  REQUIRE(!owner.empty() && owner.size() <= kMaxOwner);
}

void check(const AcquireRequest& request, Words words) {
  check_owner(request.owner, words);
  REQUIRE(request.ttl_ms >= 1 && request.ttl_ms <= kMaxLeaseMs);
  REQUIRE(!request.block_ms || (*request.block_ms >= 1 && *request.block_ms <= kMaxLeaseMs));
  REQUIRE(request.mode.permits() >= 1);
  if (request.value) REQUIRE(is_one_of(*request.value, words) && request.value->size() <= kMaxLockValue);
  if (request.alive_ms) REQUIRE(*request.alive_ms >= 1 && *request.alive_ms <= kMaxLeaseMs);
  REQUIRE(request.mode == LockMode::shared() || request.mode.permits() <= kMaxPermits);
}

void check(const RenewRequest& request, Words words) {
  check_owner(request.owner, words);
  REQUIRE(request.ttl_ms >= 1 && request.ttl_ms <= kMaxLeaseMs && request.token <= kMaxToken);
  REQUIRE(words.size() == (request.token > Token(0) ? 4 : 2));
}

void check(const WatchRequest& request, Words) {
  REQUIRE(request.token <= kMaxToken && (!request.block_ms || *request.block_ms <= kMaxLeaseMs));
}

void check(ByteView owner, Words words) {
  check_owner(owner, words);
  REQUIRE(words.size() == 1);
}

void check(const LockListRequest& request, Words words) {
  REQUIRE(request.count <= kMaxReadCount && (words.empty() || words.size() == 2));
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"LOCK.ACQUIRE", parse_and_check<parse_lock_acquire>}, {"LOCK.RELEASE", parse_and_check<parse_lock_release>},
    {"LOCK.RENEW", parse_and_check<parse_lock_renew>},     {"LOCK.INFO", parse_and_check<parse_lock_info>},
    {"LOCK.WAITS", parse_and_check<parse_lock_waits>},     {"LOCK.WATCH", parse_and_check<parse_lock_watch>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
