// Finds documents that meet conditions. It walks the order that has the fewest entries in the requested ranges, and
// checks the other conditions with the document's record. The work of one call is bounded: a cursor says where to
// continue.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/index/document_set.h"
#include "engine/index/index.h"
#include "engine/index/index_cursor.h"
#include "engine/index/index_keys.h"
#include "engine/index/index_requests.h"

namespace millrace {

// The most entries that one find() or sample() looks at. A document with many values counts as several.
inline constexpr uint64_t kMostLookedAt = 10'000;
// The most that one count() looks at.
inline constexpr uint64_t kMostCounted = 1'000'000;
// If an order is requested, up to this many documents are found by other conditions and then sorted.
inline constexpr uint64_t kMostSorted = 1'000;

struct FoundDocument {
  DocumentId id;
  std::string key;  // key in the order that was walked; empty if there was none
};

struct FoundDocuments {
  std::vector<FoundDocument> documents;
  std::optional<OrderId> order;       // nullopt: in the order of their ids
  std::optional<IndexCursor> cursor;  // nullopt: there are no more
};

class IndexQuery {
 public:
  // Borrows the index for its own lifetime; it must not change. Failure: Range, for a field that the index does not
  // have or an operand that does not fit it.
  static Result<IndexQuery> make(const Index& index, std::span<const FieldCondition> where, UnixMs now);

  // Failure: Range, for an order that the index does not have or a cursor of another request.
  Result<FoundDocuments> find(const FindRequest& request) const;
  // Failure: Full, if more than kMostCounted entries would have to be looked at.
  Result<uint64_t> count() const;
  // Up to `count` different documents, each with the same probability. `seed` is random.
  std::vector<DocumentId> sample(uint64_t count, uint64_t seed) const;

  // True if the document meets all conditions, and has not expired.
  bool matches(DocumentId id) const;

 private:
  struct Resolved {
    const IndexField* field;
    KeyRanges ranges;
  };
  // A way to all documents that may match.
  struct Plan {
    std::optional<OrderId> order;  // nullopt: all documents
    KeyRanges ranges;
    uint64_t entries = 0;   // number of entries in the ranges
    bool is_exact = false;  // every entry is a document that meets all conditions, except that it may have expired
  };
  // How to walk a plan.
  struct Walk {
    bool is_reversed = false;
    const std::string* after = nullptr;  // an entry; null: from the beginning
    uint64_t most = UINT64_MAX;          // the most entries to look at
  };
  using Visit = std::function<bool(DocumentId, ByteView)>;

  IndexQuery(const Index& index, UnixMs now) : index_(index), now_(now) {}

  size_t conditions_on(OrderId field) const;
  bool has_condition(OrderId field) const { return conditions_on(field) > 0; }
  // A plan for each field that has conditions.
  std::vector<Plan> field_plans() const;
  bool is_expired(ByteView record) const;
  // For a document that may have expired.
  bool meets_conditions(DocumentId id, ByteView record) const;
  // The ranges of a field's keys that the conditions allow.
  KeyRanges ranges_of(OrderId field) const;
  KeyRanges composite_ranges(const CompositeOrder& order, bool& covers_all) const;
  uint64_t entries_in(OrderId order, const KeyRanges& ranges) const;
  Plan best_plan() const;
  Plan plan_by(OrderId order) const;
  Plan field_plan(const IndexField& field) const;
  Plan composite_plan(const CompositeOrder& order) const;
  // The document's first or last key in the plan's ranges; nullopt if it has none.
  std::optional<std::string> key_in(const Plan& plan, DocumentId id, bool last) const;
  // How many entries a look at the document counts for.
  uint64_t cost_of(DocumentId id) const;
  // Calls visit(id, entry) for each matching document in the plan's order, until it returns false or the limit is
  // reached. Returns the last entry that was looked at; nullopt at the end.
  std::optional<std::string> walk(const Plan& plan, const Walk& how, const Visit& visit) const;
  std::optional<std::string> walk_documents(const Walk& how, const Visit& visit) const;
  // Moves to where the walk begins in this range; false if the walk is already past the range.
  static bool seek(ByteOrder::Walk& walk, const KeyRange& range, const Walk& how);
  // The documents that meet a condition that is not part of the plan, if collecting them is worth its cost; otherwise
  // all documents. `most` is how many entries of the plan will be looked at.
  DocumentSet candidates(const Plan& plan, uint64_t most) const;
  // The documents that have an entry in the plan's ranges. REQUIRES: it has an order
  DocumentSet documents_of(const Plan& plan) const;
  // Plans whose intersection is the set of documents that meet all conditions; the plan with the fewest entries first.
  std::vector<Plan> narrow_plans() const;
  // How many documents meet all conditions, expired ones too. REQUIRES: plans of narrow_plans(), at least one
  uint64_t count_common(std::span<const Plan> plans) const;
  FoundDocuments walk_and_find(const Plan& plan, const FindRequest& request, const std::string* after) const;
  FoundDocuments find_and_sort(const Plan& plan, const Plan& best, const FindRequest& request,
                               const std::string* after) const;
  // Documents that have expired and are still there; and how many of them meet the conditions.
  uint64_t overdue() const;
  uint64_t overdue_matches(uint64_t overdue) const;
  // Draws random places until enough of them have matching documents. For plans with too many entries to look at all.
  std::vector<DocumentId> draw_places(const Plan& plan, uint64_t places, uint64_t count,
                                      const std::function<uint64_t()>& draw) const;

  const Index& index_;
  UnixMs now_;
  std::vector<Resolved> where_;
};

// The values in a key of an order, as text: one, or one for each field of a composite order.
std::vector<std::string> values_of_key(const IndexSchema& schema, OrderId order, ByteView key);

struct CompletedValue {
  std::string value;
  uint64_t count = 0;
};
// Values of a text field that begin with a prefix, the most frequent first. If there are very many values, only those
// at the front of the order are looked at. Failure: Range, if the index has no such field or it is not a text field.
Result<std::vector<CompletedValue>> complete(const Index& index, const CompleteRequest& request, UnixMs now);

}  // namespace millrace
