// All filters of a channel, and how a document finds those it matches without looking at
// the others: by an equality that each demands, or else by its bounds (residue.h). What it
// finds is run, so what leads to a filter only has to be true, not to be enough.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/slots.h"
#include "engine/filter/access.h"
#include "engine/filter/fields.h"
#include "engine/filter/filter.h"
#include "engine/filter/glance.h"
#include "engine/filter/program.h"
#include "engine/filter/residue.h"

namespace millrace {

class FilterIndex {
 public:
  // Strangers choose values: the key keeps them from choosing those that collide.
  explicit FilterIndex(const HashKey& key) : key_(key) {}

  // O(1) for what has an equality; else up to a millisecond, when a line is cut anew.
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

  // From an equality to a filter that demands it.
  struct Way {
    FilterSlot filter;
    Glance glance;
    friend bool operator==(const Way& a, const Way& b) { return a.filter == b.filter; }
  };

  uint32_t hash(FieldId field, const ScalarView& value) const;
  // What to look at before a filter is fetched that these lead to.
  Glance glance_at(const Filter& filter, const std::vector<Equality>& access) const;
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
  void add_to_residue(FilterSlot slot, const Filter& filter);
  // Runs the candidates that have not been run for this document, and forgets them.
  void run_candidates(const FieldValues& document, std::vector<FilterSlot>& matched) const;

  // Candidates that wait to be run: enough to have their memory fetched ahead. A document
  // can lead to a filter in as many ways as it has values.
  static constexpr size_t kBatch = 256;
  // Beyond so many filters that share an equality it does not matter how many.
  static constexpr size_t kMostCounted = 256;

  HashKey key_;
  Fields fields_;
  Slots<Entry> filters_;
  HashIndex<Way> by_equality_;
  std::vector<uint32_t> equalities_;  // by field: how many filters have them; no other field leads to a filter
  std::vector<std::unique_ptr<Residue>> residues_;
  mutable uint32_t match_number_ = 0;
  mutable std::vector<FilterSlot> candidates_;
  // Of the document that is looked at; nothing between two matches.
  mutable std::vector<uint32_t> hashes_;           // of values in fields that lead to filters
  mutable std::vector<ShortValues> short_values_;  // by field
};

}  // namespace millrace
