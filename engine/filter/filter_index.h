// An index of all filters of a channel: finds those that a document matches without running the others. A filter that
// requires an equality is found by that value, the others by their bounds (range_index.h). Every candidate is run. So
// the condition it is found by must be necessary for a match, but need not be sufficient.
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
#include "engine/filter/saved_filter.h"

namespace millrace {

// The result of matching a document with the filters of a channel.
struct FilterMatches {
  struct Failed {
    FilterSlot filter;
    Trouble trouble;
  };
  std::vector<FilterSlot> matched;  // each once
  std::vector<Failed> failed;       // those that could not be evaluated

  void clear() {
    matched.clear();
    failed.clear();
  }
};

class FilterIndex {
 public:
  // The most work that the regular expressions of one filter may do for one document (program.cc). Some milliseconds at
  // worst.
  static constexpr uint64_t kMostRegexWorkOfFilter = 500'000;

  // Clients choose values: the secret key prevents them from choosing values that collide.
  explicit FilterIndex(const HashKey& key) : key_(key) {}
  FilterIndex clone() const;

  // O(1) for a filter with an equality; else up to a millisecond, when the range index of a field is rebuilt. Regular
  // expressions are compiled now if the same documents lead to many other filters, or all documents do.
  FilterSlot add(const Filter& filter);
  // The same for a saved filter, without parsing it. `saved` was read from `bytes`.
  FilterSlot add_saved(const SavedFilter& saved, ByteView bytes);
  void remove(FilterSlot slot);
  size_t size() const { return filters_.size(); }
  // The normal form.
  std::string json(FilterSlot slot) const;
  // In the format of saved_filter.h.
  std::string saved(FilterSlot slot) const;

  // Adds the filters that the document matches, and those that could not be evaluated. A saved filter is compiled when
  // a document first leads to it. Regular expressions subtract their work from `regex_work`; the cheapest are run
  // first, and filters fail when none is left. `values` is working memory; afterwards it has the document's values of
  // the fields.
  void match(const simdjson::dom::object& document, FieldValues& values, uint64_t& regex_work, FilterMatches& found);

  // Compiles up to `most` saved filters, so that a document does not have to wait until many are compiled. False once
  // none is left.
  bool compile_some(size_t most);

  const Fields& fields() const { return fields_; }
  // Frees one filter; false once none is left. REQUIRES: afterwards only free_last() and the destructor are called
  bool free_last() { return filters_.free_last(); }
  // How many filters are compiled.
  size_t count_compiled() const;
  // How many of their regular expressions are compiled.
  size_t count_regexes() const;
  uint64_t memory() const;
  const char* check() const;

 private:
  struct Entry {
    Program program;
    uint32_t last_seen = 0;  // number of the match that last looked at it
    bool is_used = false;
    bool is_unreadable = false;  // a saved filter that is invalid: no document leads to it

    bool is_to_compile() const { return is_used && !is_unreadable && !program.is_compiled(); }
  };

  // An entry of the equality index, stored under the hash of a value: a filter that requires this value.
  struct EqualityEntry {
    FilterSlot filter;
    Prefilter prefilter;
    friend bool operator==(const EqualityEntry& a, const EqualityEntry& b) { return a.filter == b.filter; }
  };

  // A filter whose regular expressions are yet to be run.
  struct Deferred {
    uint64_t work;
    FilterSlot filter;
  };

  uint32_t hash(FieldId field, const ScalarView& value) const;
  // The condition that is tested before the filter is fetched, if it is found by one of these equalities.
  Prefilter prefilter_of(const Filter& filter, const std::vector<Equality>& access) const;
  // The key of an equality in the index.
  struct Key {
    FieldId field;
    uint32_t hash;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // Every equality anywhere in the filter.
  std::vector<Key> all_keys(const Filter& filter) const;
  // The same for a filter in the index; if it is not compiled, only the equalities by which it is found.
  std::vector<Key> all_keys(const Entry& entry) const;
  // Notes of its fields that values in them lead to a filter.
  void count_equalities(const Program& program);
  // Those equalities of the filter by which it is found, each once.
  std::vector<Equality> found_by(FilterSlot slot, const Filter& filter) const;
  void add_found_by(FilterSlot slot, const Filter& filter, std::vector<Equality>& found) const;
  // Compiles a saved filter.
  void compile(FilterSlot slot);
  // Whether many other filters are found by the same equality.
  bool is_one_of_many(FilterSlot slot) const;
  bool has_many(uint32_t hash) const { return by_equality_.count(hash, kMany) == kMany; }
  void release_saved(const SavedFilter& saved);
  // Stores the document's hashes and short values.
  void look_at(const FieldValues& document);
  void forget(const FieldValues& document);
  void find_by_equality(auto consider);
  void add_to_range_index(FilterSlot slot, std::vector<Bound> bounds);
  // Runs the candidates that have not been run for this document, and forgets them.
  void run_candidates(const FieldValues& document, FilterMatches& found);
  void run(FilterSlot slot, const FieldValues& document, FilterMatches& found);
  void run_deferred(const FieldValues& document, uint64_t& regex_work, FilterMatches& found);

  // Candidates that are run together: enough to prefetch their memory. A document can lead to the same filter by each
  // of its values.
  static constexpr size_t kBatch = 256;
  // A document that leads to this many filters should not have to wait until their regular expressions are compiled.
  static constexpr size_t kMany = 64;
  // Above this number of filters that share an equality, the exact number does not matter.
  static constexpr size_t kMostCounted = 256;

  HashKey key_;
  Fields fields_;
  Slots<Entry, FilterSlot> filters_;
  HashIndex<EqualityEntry> by_equality_;
  std::vector<uint32_t> equalities_;  // by field: how many filters are found by it; other fields need no lookup
  std::vector<std::unique_ptr<RangeIndex>> range_indexes_;
  size_t to_compile_later_ = 0;   // filters that were saved and are not compiled
  uint32_t compiled_before_ = 0;  // compile_some() goes on with this slot
  uint32_t match_number_ = 0;
  // For the current document; empty between two matches.
  std::vector<FilterSlot> candidates_;
  std::vector<FilterSlot> to_compile_;
  std::vector<Deferred> deferred_;
  std::vector<uint32_t> hashes_;           // of values in fields that lead to filters
  std::vector<ShortValues> short_values_;  // by field
};

}  // namespace millrace
