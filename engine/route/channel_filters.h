// The filters of one channel and the subscriptions of each: an index in which each filter is stored and evaluated once,
// and the targets that share it.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/filter/filter.h"
#include "engine/filter/filter_ids.h"
#include "engine/filter/filter_index.h"
#include "engine/route/route_ids.h"

namespace millrace {

// The id of a filter without a name, for clients: 32 hexadecimal digits, equal for equal filters.
std::string filter_id(const FilterDigest& digest);
inline std::string filter_id(ByteView normal_json) { return filter_id(filter_digest(normal_json)); }
bool looks_like_filter_id(ByteView name);

class ChannelFilters {
 public:
  explicit ChannelFilters(const HashKey& key) : index_(key) {}
  std::unique_ptr<ChannelFilters> clone() const;

  const FilterIndex& index() const { return index_; }
  FilterIndex& index() { return index_; }

  // The filter with this normal form; none() if it does not exist.
  FilterSlot find(ByteView normal_json) const { return find(filter_digest(normal_json)); }
  FilterSlot find(const FilterDigest& digest) const;
  FilterSlot find_by_id(ByteView id) const;
  // Hints that these will be looked up soon: call the first function, then the second. Inlined like those of HashIndex.
  [[gnu::always_inline]] void prefetch(const FilterDigest& digest) const {
    by_digest_.prefetch_bucket(head_of(digest));
  }
  [[gnu::always_inline]] void prefetch_found(const FilterDigest& digest) const {
    by_digest_.prefetch_entries(head_of(digest));
  }
  // `digest` is that of its normal form. REQUIRES: there is no equal filter.
  FilterSlot add(const Filter& filter, const FilterDigest& digest);
  // The same for a saved filter; `saved` was read from `bytes`, and `digest` is that of its JSON.
  FilterSlot add_saved(const SavedFilter& saved, ByteView bytes, const FilterDigest& digest);
  void remove(FilterSlot slot);
  std::string json(FilterSlot slot) const { return index_.json(slot); }
  std::string saved(FilterSlot slot) const { return index_.saved(slot); }
  std::string id(FilterSlot slot) const;
  const FilterDigest& digest(FilterSlot slot) const { return digests_[slot.value()]; }

  // Slots are below this.
  uint32_t limit() const { return static_cast<uint32_t>(first_targets_.size()); }

  // The first target of a filter: RouteTarget::next_of_filter has the others. none() if nothing is attached.
  TargetSlot& first_target(FilterSlot slot) { return first_targets_[slot.value()]; }
  TargetSlot first_target(FilterSlot slot) const { return first_targets_[slot.value()]; }

  // Targets by the names that SETFILTER gave them.
  std::map<std::string, TargetSlot, std::less<>>& named() { return named_; }
  const std::map<std::string, TargetSlot, std::less<>>& named() const { return named_; }

  bool empty() const { return index_.size() == 0 && named_.empty(); }
  uint64_t memory() const;
  const char* check() const;

 private:
  // What it is looked up by.
  static uint32_t head_of(const FilterDigest& digest) {
    uint32_t head;
    std::memcpy(&head, digest.data(), sizeof(head));
    return head;
  }
  void note(FilterSlot slot, const FilterDigest& digest);

  FilterIndex index_;
  // It has a filter because most digests that are looked up are new: for a subscription with another filter, or while a
  // table is loaded.
  HashIndex<FilterSlot, BucketFilter> by_digest_;
  std::vector<TargetSlot> first_targets_;  // by filter
  std::vector<FilterDigest> digests_;      // by filter
  std::map<std::string, TargetSlot, std::less<>> named_;
};

}  // namespace millrace
