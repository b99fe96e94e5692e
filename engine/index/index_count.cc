// IndexQuery: counting and sampling documents.
#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "engine/index/index_keys.h"
#include "engine/index/index_query.h"

namespace millrace {

namespace {

// Looking at a document is a cache miss; the entries of an order are adjacent in memory.
constexpr uint64_t kEntriesForADocument = 16;

}  // namespace

uint64_t IndexQuery::overdue() const {
  std::string key;
  append_integer_key(key, static_cast<int64_t>(now_.value()));
  return index_.expiries().rank(key);
}

uint64_t IndexQuery::overdue_matches(uint64_t overdue) const {
  uint64_t count = 0;
  ByteOrder::Walk walk(index_.expiries());
  for (walk.seek(""); walk.is_at_entry() && overdue > 0; walk.next(), --overdue) {
    const DocumentId id = id_of_entry(walk.entry());
    if (meets_conditions(id, index_.documents().record(id))) ++count;
  }
  return count;
}

std::vector<IndexQuery::Plan> IndexQuery::narrow_plans() const {
  std::vector<Plan> plans;
  for (const Resolved& condition : where_) {
    const OrderId field = condition.field->id;
    if (index_.order(field).may_have_many) {
      // Different values may meet each condition, so each condition has its own set of documents.
      plans.push_back({field, condition.ranges, entries_in(field, condition.ranges), false});
    } else if (std::ranges::none_of(plans, [&](const Plan& plan) { return plan.order == field; })) {
      plans.push_back(field_plan(*condition.field));
    }
  }
  std::ranges::sort(plans, {}, &Plan::entries);
  return plans;
}

uint64_t IndexQuery::count_common(std::span<const Plan> plans) const {
  DocumentSet common = documents_of(plans.front());
  uint64_t count = common.count();
  for (const Plan& plan : plans.subspan(1)) {
    if (plan.entries <= kEntriesForADocument * count) {
      common.keep(documents_of(plan));
      count = common.count();
      continue;
    }
    // The other conditions match many more documents, so these few documents are checked one by one.
    count = 0;
    common.each([&](DocumentId id) { count += meets_conditions(id, index_.documents().record(id)) ? 1 : 0; });
    return count;
  }
  return count;
}

Result<uint64_t> IndexQuery::count() const {
  const Plan plan = best_plan();
  const uint64_t expired = overdue();
  if (!plan.order && where_.empty()) return plan.entries - expired;
  // Usually few documents have expired and are still there, however many match.
  const bool are_few_expired = expired <= std::min(plan.entries, kMostCounted);
  if (are_few_expired && plan.is_exact) return plan.entries - overdue_matches(expired);
  if (are_few_expired && plan.entries <= 2 * kMostCounted) {
    const std::vector<Plan> plans = narrow_plans();
    // An order of several fields may lead to far fewer documents than any field does.
    const bool is_field = index_.schema().find_field(*plan.order) != nullptr;
    if (is_field || plans.front().entries <= kEntriesForADocument * plan.entries) {
      return count_common(plans) - overdue_matches(expired);
    }
  }
  if (plan.entries > kMostCounted) {
    return fail(ErrorCode::Full,
                "more than 1000000 documents would have to be looked at; an ORDER of these fields helps");
  }
  uint64_t counted = 0;
  walk(plan, {}, [&](DocumentId, ByteView) {
    ++counted;
    return true;
  });
  return counted;
}

namespace {

// SplitMix64: numbers that follow from a seed.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  // A number below `end`, each with the same probability. REQUIRES: end > 0
  uint64_t below(uint64_t end) {
    const uint64_t unfair = (UINT64_MAX % end + 1) % end;
    uint64_t number = next();
    while (number > UINT64_MAX - unfair) number = next();
    return number % end;
  }

 private:
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

// Where the entries of a range are among those of all ranges, and in the order.
struct PlacedRange {
  uint64_t first_place;
  uint64_t first_rank;
};

std::vector<PlacedRange> placed_ranges(const ByteOrder& entries, const KeyRanges& ranges) {
  std::vector<PlacedRange> placed;
  uint64_t places = 0;
  for (const KeyRange& range : ranges) {
    const uint64_t first = entries.rank(range.from);
    placed.push_back({places, first});
    places += (range.to.empty() ? entries.size() : entries.rank(range.to)) - first;
  }
  return placed;
}

}  // namespace

std::vector<DocumentId> IndexQuery::sample(uint64_t count, uint64_t seed) const {
  const Plan plan = best_plan();
  Draw draw(seed);
  const uint64_t places = plan.order ? plan.entries : index_.documents().limit();
  if (places > kMostLookedAt) return draw_places(plan, places, count, [&] { return draw.below(places); });
  std::vector<DocumentId> drawn;
  walk(plan, {}, [&](DocumentId id, ByteView) {
    drawn.push_back(id);
    return true;
  });
  const uint64_t wanted = std::min<uint64_t>(count, drawn.size());
  for (uint64_t i = 0; i < wanted; ++i) std::swap(drawn[i], drawn[i + draw.below(drawn.size() - i)]);
  drawn.resize(wanted);
  return drawn;
}

std::vector<DocumentId> IndexQuery::draw_places(const Plan& plan, uint64_t places, uint64_t count,
                                                const std::function<uint64_t()>& draw) const {
  std::vector<PlacedRange> ranges;
  if (plan.order) ranges = placed_ranges(index_.order(*plan.order).entries, plan.ranges);
  std::vector<DocumentId> drawn;
  std::unordered_set<DocumentId> taken;
  std::string entry;
  for (uint64_t looked = 0; looked < kMostLookedAt + count && drawn.size() < std::min(count, places); ++looked) {
    const uint64_t place = draw();
    DocumentId id(static_cast<uint32_t>(place));
    if (plan.order) {
      const Index::Order& order = index_.order(*plan.order);
      const auto range = std::prev(std::ranges::upper_bound(ranges, place, {}, &PlacedRange::first_place));
      order.entries.at_rank(range->first_rank + (place - range->first_place), entry);
      id = id_of_entry(entry);
      looked += cost_of(id) - 1;
      // One entry of each document counts.
      if (order.may_have_many && key_in(plan, id, false) != key_of_entry(entry)) continue;
    } else if (!index_.documents().is_there(id)) {
      continue;
    }
    if (matches(id) && taken.insert(id).second) drawn.push_back(id);
  }
  return drawn;
}

}  // namespace millrace
