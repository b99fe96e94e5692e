#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/base/case_folding.h"
#include "engine/base/quoted.h"
#include "engine/index/document_record.h"
#include "engine/index/index_query.h"

namespace millrace {

namespace {

// The most entries that are looked at. After some entries of one value, the rest of them are skipped; such a jump
// counts as kJump.
constexpr uint64_t kMostSteps = 30'000;
constexpr uint64_t kFewEntries = 4;
constexpr uint64_t kJump = 8;

// How many documents that have expired, and are still there, have each value of a field.
std::unordered_map<std::string, uint64_t> expired_counts(const Index& index, OrderId field, UnixMs now) {
  std::unordered_map<std::string, uint64_t> counts;
  uint64_t steps = 0;
  ByteOrder::Walk walk(index.expiries());
  for (walk.seek(""); walk.is_at_entry() && steps < kMostSteps; walk.next(), ++steps) {
    if (UnixMs(static_cast<uint64_t>(integer_of_key(walk.entry()))) >= now) break;
    const DocumentId id = id_of_entry(walk.entry());
    DocumentRecordReader reader(index.schema(), index.documents().record(id));
    while (reader.next()) {
      if (reader.field() != field || index.is_in_line(field, reader.key(), id)) continue;
      ++counts[std::string(reader.key())];
    }
  }
  return counts;
}

// Counts the values of one range, one after the other.
class ValueCounts {
 public:
  ValueCounts(const Index& index, const IndexField& field, KeyRange range, UnixMs now)
      : entries_(index.order(field.id).entries),
        range_(std::move(range)),
        expired_(expired_counts(index, field.id, now)),
        walk_(entries_),
        rank_(entries_.rank(range_.from)) {
    walk_.seek(range_.from);
  }

  // Goes to the next value; false if there is none, or too much was looked at.
  bool next() {
    if (steps_ > kMostSteps || !walk_.is_at_entry() || !range_.contains(walk_.entry())) return false;
    key_ = key_of_entry(walk_.entry());
    count_ = 0;
    for (; walk_.is_at_entry() && key_of_entry(walk_.entry()) == key_; walk_.next()) {
      ++steps_;
      ++rank_;
      if (++count_ <= kFewEntries) continue;
      jump();
      break;
    }
    if (const auto expired = expired_.find(key_); expired != expired_.end()) count_ -= expired->second;
    return true;
  }
  const std::string& key() const { return key_; }
  uint64_t count() const { return count_; }

 private:
  void jump() {
    const std::string end = after(key_);
    const uint64_t rank_of_end = entries_.rank(end);
    count_ += rank_of_end - rank_;
    rank_ = rank_of_end;
    walk_.seek(end);
    steps_ += kJump;
  }

  const ByteOrder& entries_;
  KeyRange range_;
  std::unordered_map<std::string, uint64_t> expired_;
  ByteOrder::Walk walk_;
  uint64_t rank_;  // rank of the current entry
  std::string key_;
  uint64_t count_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace

Result<std::vector<CompletedValue>> complete(const Index& index, const CompleteRequest& request, UnixMs now) {
  const IndexField* field = index.schema().find_field(request.field);
  if (field == nullptr) return fail(ErrorCode::Range, "the index has no field " + quoted(request.field));
  if (field->type != FieldType::Text) {
    return fail(ErrorCode::Range, "only TEXT is completed, and " + quoted(request.field) + " is not");
  }
  KeyRange range;
  append_text_prefix(range.from, field->ignores_case ? ByteView(fold_case(request.prefix)) : request.prefix);
  range.to = after(range.from);
  // The most frequent first; of equal ones the first in the order.
  using Counted = std::pair<uint64_t, std::string>;
  const auto is_better = [](const Counted& a, const Counted& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::vector<Counted> best;  // a heap, the worst at its front
  ValueCounts counts(index, *field, range, now);
  while (counts.next()) {
    if (counts.count() == 0) continue;
    best.emplace_back(counts.count(), counts.key());
    std::ranges::push_heap(best, is_better);
    if (best.size() <= request.limit) continue;
    std::ranges::pop_heap(best, is_better);
    best.pop_back();
  }
  std::ranges::sort(best, is_better);
  std::vector<CompletedValue> values;
  for (const auto& [count, key] : best) {
    ByteView bytes = key;
    values.push_back({take_value(*field, bytes), count});
  }
  return values;
}

}  // namespace millrace
