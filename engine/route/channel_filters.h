// The filters of one channel and who listens by each: an index of what must be evaluated,
// each filter once, and the targets that share it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/filter/filter.h"
#include "engine/filter/filter_ids.h"
#include "engine/filter/filter_index.h"
#include "engine/route/route_ids.h"

namespace millrace {

// What a client calls a filter that has no name: 32 hexadecimal digits, the same for filters
// that are the same.
std::string filter_id(ByteView normal_json);
bool looks_like_filter_id(ByteView name);

class ChannelFilters {
 public:
  explicit ChannelFilters(const HashKey& key) : index_(key) {}

  const FilterIndex& index() const { return index_; }

  // The filter with this normal form; none() if it does not exist.
  FilterSlot find(ByteView normal_json) const;
  FilterSlot find_by_id(ByteView id) const;
  // REQUIRES: there is none like it.
  FilterSlot add(const Filter& filter, ByteView normal_json);
  void remove(FilterSlot slot);
  std::string json(FilterSlot slot) const { return filter_json(index_.filter(slot)); }

  // The first target of a filter: RouteTarget::next_of_filter has the others. none() if nothing is attached.
  TargetSlot& first_target(FilterSlot slot) { return first_targets_[slot.value()]; }
  TargetSlot first_target(FilterSlot slot) const { return first_targets_[slot.value()]; }

  // Calls visit(slot) for every filter.
  template <class Visit>
  void each_slot(Visit visit) const {
    for (uint32_t i = 0; i < first_targets_.size(); ++i) {
      if (first_targets_[i].is_some()) visit(FilterSlot(i));
    }
  }

  // Targets by the names that SETFILTER gave them.
  std::map<std::string, TargetSlot, std::less<>>& named() { return named_; }
  const std::map<std::string, TargetSlot, std::less<>>& named() const { return named_; }

  bool empty() const { return index_.size() == 0 && named_.empty(); }
  uint64_t memory() const;
  const char* check() const;

 private:
  FilterIndex index_;
  HashIndex<FilterSlot> by_digest_;
  std::vector<TargetSlot> first_targets_;  // by filter
  std::map<std::string, TargetSlot, std::less<>> named_;
};

}  // namespace millrace
