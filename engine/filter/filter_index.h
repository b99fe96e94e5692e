// An index of all filters of a channel: finds those that a document matches without running the others. A filter that
// demands an equality is found by that value, the others by their bounds (range_index.h). Every candidate is run, so an
// access path must be necessary for a match; it need not be sufficient.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/slots.h"
#include "engine/filter/access.h"
#include "engine/filter/fields.h"
#include "engine/filter/filter.h"
#include "engine/filter/filter_ids.h"
#include "engine/filter/prefilter.h"
#include "engine/filter/program.h"
#include "engine/filter/range_index.h"

namespace millrace {

class FilterIndex {
 public:
  // Strangers choose values: the key keeps them from choosing those that collide.
  explicit FilterIndex(const HashKey& key) : key_(key) {}

  // O(1) for a filter with an equality; else up to a millisecond, when the range index divides a field's line anew.
  FilterSlot add(const Filter& filter);
  void remove(FilterSlot slot);
  size_t size() const { return filters_.size(); }
  Filter filter(FilterSlot slot) const { return filters_[slot].program.filter(fields_); }

  // What the document holds that filters look at, for match().
  const Fields& fields() const { return fields_; }

  // Adds the filters that the document matches, each once, to `matched`.
  void match(const FieldValues& document, std::vector<FilterSlot>& matched) const;

  uint64_t memory() const;
  const char* check() const;

 private:
  struct Entry {
    Program program;
    mutable uint32_t last_seen = 0;  // by the match of this number
    bool is_used = false;
  };

  // An entry of the equality index: a filter that demands the value under whose hash the entry is.
  struct EqualityEntry {
    FilterSlot filter;
    Prefilter prefilter;
    friend bool operator==(const EqualityEntry& a, const EqualityEntry& b) { return a.filter == b.filter; }
  };

  uint32_t hash(FieldId field, const ScalarView& value) const;
  // The condition that is tested before the filter is fetched, if it is found by one of these equalities.
  Prefilter prefilter_of(const Filter& filter, const std::vector<Equality>& access) const;
  // An equality as it is found.
  struct Key {
    FieldId field;
    uint32_t hash;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // Every equality anywhere in the filter.
  std::vector<Key> all_keys(const Filter& filter) const;
  // Notes the document's hashes and short values.
  void look_at(const FieldValues& document) const;
  void forget(const FieldValues& document) const;
  void find_by_equality(auto consider) const;
  void add_to_range_index(FilterSlot slot, const Filter& filter);
  // Runs the candidates that have not been run for this document, and forgets them.
  void run_candidates(const FieldValues& document, std::vector<FilterSlot>& matched) const;

  // Candidates that are run together: enough to prefetch their memory. A document can lead to the same filter by each
  // of its values.
  static constexpr size_t kBatch = 256;
  // Beyond so many filters that share an equality it does not matter how many.
  static constexpr size_t kMostCounted = 256;

  HashKey key_;
  Fields fields_;
  Slots<Entry, FilterSlot> filters_;
  HashIndex<EqualityEntry> by_equality_;
  std::vector<uint32_t> equalities_;  // by field: how many filters have them; no other field leads to a filter
  std::vector<std::unique_ptr<RangeIndex>> range_indexes_;
  mutable uint32_t match_number_ = 0;
  mutable std::vector<FilterSlot> candidates_;
  // Of the document that is looked at; nothing between two matches.
  mutable std::vector<uint32_t> hashes_;           // of values in fields that lead to filters
  mutable std::vector<ShortValues> short_values_;  // by field
};

}  // namespace millrace
