// The words of every command of the worker pool, as a client may send them: see
// command_lines.h.
#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"
#include "engine/shard/pool_parts.h"
#include "fuzz/command_lines.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check_name(ByteView name, Words words) {
  REQUIRE(is_one_of(name, words));
  REQUIRE(!name.empty() && name.size() <= kMaxNameBytes);
}

void check(ByteView name, Words words) {
  check_name(name, words);
  REQUIRE(words.size() == 1);
}

void check(const LeaveRequest& request, Words words) {
  check_name(request.worker, words);
  REQUIRE(words.size() == (request.lets_go ? 2 : 1));
}

void check(const RouteRequest& request, Words words) {
  check_name(request.recipient, words);
  for (ByteView payload : request.payloads) REQUIRE(is_one_of(payload, words));
  const size_t others = words.size() - 1 - request.payloads.size();
  const size_t options = (request.block_ms ? 2 : 0) + (request.id ? 2 : 0);
  // With PAYLOADS, or without.
  REQUIRE(others == options || others == options + 1);
  if (request.id) check_name(*request.id, words);
  if (request.block_ms) REQUIRE(*request.block_ms <= kMaxMs);
}

void check(const DoneRequest& request, Words words) {
  check_name(request.worker, words);
  check_name(request.recipient, words);
  REQUIRE(request.count >= 1 && request.count <= UINT32_MAX);
}

void check(const RecipientsRequest& request, Words words) {
  check_name(request.worker, words);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
}

void check(const PullRequest& request, Words words) {
  check_name(request.worker, words);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
}

void check(const PoolAckRequest& request, Words words) {
  check_name(request.worker, words);
  check_name(request.recipient, words);
  REQUIRE(request.sequence >= Offset(1) && request.sequence < kMaxOffset);
}

void check(const PoolNackRequest& request, Words words) {
  check_name(request.worker, words);
  check_name(request.recipient, words);
  REQUIRE(request.sequence >= Offset(1) && request.sequence < kMaxOffset && request.delay_ms <= kMaxDurationMs);
  if (request.dead) check_name(*request.dead, words);
  REQUIRE(!request.dead || request.delay_ms == 0);
}

void check(const Words& recipients, Words words) {
  REQUIRE(recipients.size() == words.size());
  for (ByteView recipient : recipients) check_name(recipient, words);
}

void check(const PoolInfoRequest& request, Words) { REQUIRE(request.count <= kMaxReadCount); }

void check(const PoolCheckRequest& request, Words words) {
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
  REQUIRE(request.cursor || words.empty());
}

void check(const uint64_t& max_moves, Words words) {
  REQUIRE(max_moves >= 1 && max_moves <= kMaxReadCount && (words.empty() || words.size() == 2));
}

void check(const PoolSetRequest& request, Words) {
  REQUIRE(request.stale_ms || request.policy || request.max_attempts || request.dead_log || request.forget_ms ||
          request.recipient_max);
  if (request.max_attempts) REQUIRE(*request.max_attempts <= kMostAttempts);
  if (request.forget_ms) REQUIRE(*request.forget_ms <= kMaxDurationMs);
  if (request.recipient_max) REQUIRE(*request.recipient_max <= kMostRecipientMax);
  if (request.stale_ms) REQUIRE(*request.stale_ms >= 1 && *request.stale_ms <= kMaxDurationMs);
}

void check(const PoolEffect& effect, Words words) {
  if (effect.kind == PoolEffect::Kind::Seen) check_name(effect.bytes, words);
  if (effect.kind != PoolEffect::Kind::Part) return;
  const Part& part = effect.part;
  REQUIRE(is_one_of(part.bytes, words));
  REQUIRE(kPoolParts[part.kind].has_block ? is_one_of(part.block, words) : part.block.empty());
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"SHARD.JOIN", parse_and_check<parse_shard_join>},
    {"SHARD.HEARTBEAT", parse_and_check<parse_shard_heartbeat>},
    {"SHARD.LEAVE", parse_and_check<parse_shard_leave>},
    {"SHARD.ROUTE", parse_and_check<parse_shard_route>},
    {"SHARD.PUSH", parse_and_check<parse_shard_push>},
    {"SHARD.DONE", parse_and_check<parse_shard_done>},
    {"SHARD.OWNER", parse_and_check<parse_shard_owner>},
    {"SHARD.RECIPIENTS", parse_and_check<parse_shard_recipients>},
    {"SHARD.PULL", parse_and_check<parse_shard_pull>},
    {"SHARD.ACK", parse_and_check<parse_shard_ack>},
    {"SHARD.NACK", parse_and_check<parse_shard_nack>},
    {"SHARD.FORGET", parse_and_check<parse_shard_forget>},
    {"SHARD.INFO", parse_and_check<parse_shard_info>},
    {"SHARD.CHECK", parse_and_check<parse_shard_check>},
    {"SHARD.REBALANCE", parse_and_check<parse_shard_rebalance>},
    {"SHARD.SET", parse_and_check<parse_shard_set>},
    {"SHARD.APPLY", parse_and_check<parse_shard_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
