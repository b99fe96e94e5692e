#include <algorithm>
#include <utility>

#include "engine/base/case_folding.h"
#include "engine/base/quoted.h"
#include "engine/index/document_record.h"
#include "engine/index/index_query.h"

namespace millrace {

namespace {

// The most entries that are looked at; a jump over the entries of one value counts as kJump.
constexpr uint64_t kMostSteps = 100'000;
constexpr uint64_t kJump = 20;

// Counts the values of one range, one after the other.
class ValueCounts {
 public:
  ValueCounts(const Index& index, const IndexField& field, KeyRange range, UnixMs now)
      : index_(index), entries_(index.order(field.id).entries), range_(std::move(range)), now_(now), walk_(entries_) {
    walk_.seek(range_.from);
    std::string key;
    append_integer_key(key, static_cast<int64_t>(now.value()));
    some_are_expired_ = index.expiries().rank(key) > 0;
  }

  // Goes to the next value; false if there is none, or too much was looked at.
  bool next() {
    if (steps_ > kMostSteps || !walk_.is_at_entry() || !range_.contains(walk_.entry())) return false;
    key_ = key_of_entry(walk_.entry());
    count_ = 0;
    for (uint64_t same = 0; walk_.is_at_entry() && key_of_entry(walk_.entry()) == key_; walk_.next()) {
      ++steps_;
      if (++same > kJump && !some_are_expired_) return jump();
      const auto date = expiry_of(index_.documents().record(id_of_entry(walk_.entry())));
      if (!date || *date >= now_) ++count_;
    }
    return true;
  }
  ByteView key() const { return key_; }
  uint64_t count() const { return count_; }

 private:
  bool jump() {
    const std::string end = after(key_);
    count_ = entries_.rank(end) - entries_.rank(key_);
    walk_.seek(end);
    steps_ += kJump;
    return true;
  }

  const Index& index_;
  const ByteOrder& entries_;
  KeyRange range_;
  UnixMs now_;
  ByteOrder::Walk walk_;
  bool some_are_expired_ = false;
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
