// The words of every command of the log, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/log/log_parts.h"
#include "fuzz/command_lines.h"
#include "module/log/log_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check(const WriteRequest& request, Words words) {
  if (request.frame) {
    REQUIRE(request.pairs.empty() && is_one_of(*request.frame, words));
  } else {
    REQUIRE(request.pairs.size() >= 2 && request.pairs.size() % 2 == 0);
    REQUIRE(request.pairs.data() + request.pairs.size() == words.data() + words.size());
  }
  REQUIRE(!request.backlog || *request.backlog <= INT64_MAX);
}

void check(const ReadRequest& request, Words words) {
  REQUIRE((request.group || request.start.in(nullptr) >= Offset(1)) && request.start.in(nullptr) <= kMaxOffset);
  REQUIRE(request.count <= kMaxReadCount);
  REQUIRE(!request.block_ms || (*request.block_ms <= kMaxMs && request.count > 0));
  REQUIRE(request.tags.size() + 2 <= words.size());
  for (ByteView tag : request.tags) REQUIRE(is_one_of(tag, words));
  REQUIRE(!request.max_bytes || (*request.max_bytes >= 1 && *request.max_bytes <= INT64_MAX));
  REQUIRE(!request.backwards || (!request.block_ms && !request.group));
  REQUIRE(!request.is_framed || (request.skip && !request.group && !request.backwards && request.tags.empty()));
  if (!request.group) return;
  REQUIRE(!request.skip && request.tags.empty());
  REQUIRE(is_one_of(request.group->name, words));
  REQUIRE(!request.group->consumer || is_one_of(*request.group->consumer, words));
  REQUIRE(!request.group->is_mine || (request.group->consumer && !request.block_ms));
  REQUIRE(!request.group->retry || request.group->retry->retry_ms >= 1);
  REQUIRE(!request.group->retry || request.group->retry->expire_ms <= kMaxPendingMs);
}

void check(const Ticket& ticket) {
  REQUIRE(ticket.date.value() <= kMaxTicketPart && ticket.number >= 1 && ticket.number <= kMaxTicketPart);
}

void check(const TicketsRequest& request, Words words) {
  REQUIRE(request.tickets.size() == words.size() && !words.empty());
  for (const Ticket& ticket : request.tickets) check(ticket);
}

void check(const ListScheduleRequest& request, Words) {
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
  if (request.from != Ticket()) check(request.from);
}

void check(const DeleteRequest& request, Words words) {
  REQUIRE(request.ranges.empty() != request.tags.empty());
  REQUIRE(request.ranges.size() <= words.size());
  for (ByteView tag : request.tags) REQUIRE(is_one_of(tag, words));
  for (const OffsetRange& range : request.ranges) {
    REQUIRE(range.from >= Offset(1) && range.from <= range.to && range.to <= kMaxOffset);
  }
}

void check(const ListGroupsRequest& request, Words words) {
  REQUIRE(request.count >= 1);
  REQUIRE(!request.after || is_one_of(*request.after, words));
}

void check(const EvictRequest& request, Words) {
  REQUIRE(request.up_to <= kMaxOffset);
  REQUIRE(!request.keep || (*request.keep >= 1 && *request.keep <= INT64_MAX));
}

void check(const RetainRequest& request, Words words) {
  REQUIRE(request.only_shows() == words.empty());
  const Retention keep = request.applied_to({});
  REQUIRE(keep.count <= INT64_MAX && keep.age_ms <= kMaxMs && keep.bytes <= INT64_MAX);
}

void check(UnixMs time, Words words) { REQUIRE(time.value() <= INT64_MAX && words.size() == 1); }

void check(const std::vector<OffsetRange>& ranges, Words words) {
  REQUIRE(!ranges.empty() && ranges.size() < words.size());
  for (const OffsetRange& range : ranges) {
    REQUIRE(range.from >= Offset(1) && range.from <= range.to && range.to <= kMaxOffset);
  }
}

void check(const AckRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words));
  REQUIRE(!request.consumer || is_one_of(*request.consumer, words));
  check(request.ranges, words);
}

void check(const NackRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words));
  REQUIRE(request.delay_ms <= kMaxPendingMs);
  REQUIRE(!request.consumer || is_one_of(*request.consumer, words));
  REQUIRE(!request.dead_because || (!request.is_uncounted && request.delay_ms == 0));
  REQUIRE(!request.dead_because || (is_one_of(*request.dead_because, words) && request.dead_because->size() <= 512));
  check(request.ranges, words);
}

void check(const ExtendRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words));
  REQUIRE(!request.consumer || is_one_of(*request.consumer, words));
  REQUIRE(request.ms >= 1 && request.ms <= kMaxPendingMs);
  check(request.ranges, words);
}

void check(const SeekGroupRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words) && words.size() == 2);
  const bool has_offset = request.offset >= Offset(1) && request.offset <= kMaxOffset;
  REQUIRE(has_offset == (request.where == SeekGroupRequest::Where::AtOffset));
}

void check(const PendingRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words));
  REQUIRE(!request.consumer || is_one_of(*request.consumer, words));
  REQUIRE(request.from >= Offset(1) && request.from <= kMaxOffset);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
}

void check(const SetGroupRequest& request, Words words) {
  REQUIRE(is_one_of(request.group, words));
  REQUIRE(request.pending_max || request.max_attempts || request.dead_letter || request.idle_ms || words.size() < 3);
  REQUIRE(request.idle_ms.value_or(0) <= kMaxPendingMs);
  REQUIRE(request.pending_max.value_or(0) <= INT64_MAX && request.max_attempts.value_or(0) <= kMaxAttempts);
  REQUIRE(!request.dead_letter || request.dead_letter->empty() || is_one_of(*request.dead_letter, words));
}

void check(const CreateGroupRequest& request, Words words) {
  check(request.settings, words);
  REQUIRE(request.at.group == request.settings.group);
  const bool has_offset = request.at.offset >= Offset(1) && request.at.offset <= kMaxOffset;
  REQUIRE(has_offset == (request.at.where == SeekGroupRequest::Where::AtOffset));
}

void check(const RedriveRequest& request, Words words) {
  REQUIRE(request.count >= 1 && request.count <= kMaxRedriven);
  REQUIRE(!request.to || is_one_of(*request.to, words));
}

void check(const LogEffect& request, Words words) {
  REQUIRE(request.clock.value() <= INT64_MAX);
  using Kind = LogEffect::Kind;
  const bool is_part = request.kind == Kind::Part;
  REQUIRE(is_part || request.kind == Kind::Clock || is_one_of(request.bytes, words));
  REQUIRE(!is_part || is_one_of(request.part.bytes, words));
  REQUIRE(!is_part || !kLogParts[request.part.kind].has_block || is_one_of(request.part.block, words));
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"TWRITE", parse_and_check<parse_twrite>},
    {"TREAD", parse_and_check<parse_tread>},
    {"TEVICT", parse_and_check<parse_tevict>},
    {"TRETAIN", parse_and_check<parse_tretain>},
    {"TSEEK", parse_and_check<parse_tseek>},
    {"TACK", parse_and_check<parse_tack>},
    {"TNACK", parse_and_check<parse_tnack>},
    {"TEXTEND", parse_and_check<parse_textend>},
    {"TGROUP SEEK", parse_and_check<parse_tgroup_seek>},
    {"TGROUP CREATE", parse_and_check<parse_tgroup_create>},
    {"TREDRIVE", parse_and_check<parse_tredrive>},
    {"TSCHED LIST", parse_and_check<parse_tsched_list>},
    {"TSCHED CANCEL", parse_and_check<parse_tsched_cancel>},
    {"TSCHED NOW", parse_and_check<parse_tsched_now>},
    {"TDEL", parse_and_check<parse_tdel>},
    {"TGROUP PENDING", parse_and_check<parse_tgroup_pending>},
    {"TGROUP SET", parse_and_check<parse_tgroup_set>},
    {"TAPPLY", parse_and_check<parse_tapply>},
    {"TREADGROUP", parse_and_check<parse_treadgroup>},
    {"TGROUP LIST", parse_and_check<parse_tgroup_list>},
    {"TREAD_RO", parse_and_check<parse_tread_ro>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
