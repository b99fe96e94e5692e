// The words of every command of the index, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "engine/base/limits.h"
#include "engine/index/index_operations.h"
#include "engine/index/index_parts.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/command_lines.h"
#include "module/index/index_requests.h"

namespace millrace::module {
namespace {

using fuzz::allocated_bytes;
using fuzz::is_one_of;

constexpr HashKey kNoHash{};

void check(const IndexField& field) {
  REQUIRE(!field.name.empty() && field.name.size() <= kMaxNameBytes && field.separator.size() <= kMaxNameBytes);
}

// Every index that is asked for can be made, or is refused with a reason.
void check(const CreateIndexRequest& request, Words) {
  REQUIRE(request.prefix.size() <= kMaxNameBytes && !request.fields.empty());
  for (const IndexField& field : request.fields) check(field);
  IndexOperations operations(kNoHash);
  OwnPlace<Index> place("index");
  const auto created = operations.create(place, request, {});
  REQUIRE(created.answer || !created.answer.error().text.empty());
  REQUIRE((place.get() != nullptr) == created.answer.has_value());
}

void check(const AlterIndexRequest& request, Words words) {
  using Kind = AlterIndexRequest::Kind;
  if (request.kind == Kind::AddField) check(request.field);
  if (request.kind == Kind::DropField || request.kind == Kind::DropOrder) REQUIRE(is_one_of(request.name, words));
}

void check_where(const std::vector<FieldCondition>& where, Words words) {
  REQUIRE(where.size() <= kMostConditions);
  for (const FieldCondition& condition : where) {
    REQUIRE(is_one_of(condition.field, words) && !condition.operands.empty());
    for (const ByteView operand : condition.operands) REQUIRE(is_one_of(operand, words));
  }
}

void check(const FindRequest& request, Words words) {
  check_where(request.where, words);
  REQUIRE(request.limit >= 1 && request.limit <= kMostLookedAt);
  if (request.after) {
    const auto cursor = IndexCursor::parse(*request.after);
    if (cursor) REQUIRE(IndexCursor::parse(cursor->text())->entry == cursor->entry);
  }
}

void check(const CountRequest& request, Words words) { check_where(request.where, words); }

void check(const SampleRequest& request, Words words) {
  check_where(request.where, words);
  REQUIRE(request.count >= 1 && request.count <= kMostLookedAt);
}

void check(const CompleteRequest& request, Words words) {
  REQUIRE(is_one_of(request.field, words) && is_one_of(request.prefix, words));
}

void check(const PutDocumentRequest& request, Words words) {
  REQUIRE(is_one_of(request.key, words) && !request.pairs.empty() && request.pairs.size() % 2 == 0);
}

void check(const uint64_t& count, Words) { REQUIRE(count >= 1 && count <= kMaxReadCount); }
void check(const CheckIndexRequest&, Words words) { REQUIRE(words.size() <= 1); }
void check(const Part& request, Words words) {
  REQUIRE(is_one_of(request.bytes, words) && request.kind < std::size(kIndexParts));
}

// Fields and conditions own their texts, so they take more than a view for each word.
template <auto parser>
void parse_and_check(Words words) {
  const uint64_t before = allocated_bytes();
  const auto request = parser(words);
  REQUIRE(allocated_bytes() - before <= 4096 + 512 * words.size());
  request ? check(*request, words) : fuzz::check_error(request.error());
}

constexpr fuzz::Command kCommands[] = {
    {"IDX.CREATE", parse_and_check<parse_idx_create>},       {"IDX.ALTER", parse_and_check<parse_idx_alter>},
    {"IDX.FIND", parse_and_check<parse_idx_find>},           {"IDX.COUNT", parse_and_check<parse_idx_count>},
    {"IDX.SAMPLE", parse_and_check<parse_idx_sample>},       {"IDX.RECENT", parse_and_check<parse_idx_recent>},
    {"IDX.COMPLETE", parse_and_check<parse_idx_complete>},   {"IDX.PUT", parse_and_check<parse_idx_put>},
    {"IDX.CONFLICTS", parse_and_check<parse_idx_conflicts>}, {"IDX.SKIPPED", parse_and_check<parse_idx_skipped>},
    {"IDX.CHECK", parse_and_check<parse_idx_check>},         {"IDX.APPLY", parse_and_check<parse_idx_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
