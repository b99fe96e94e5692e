// The filters of a table that could not be evaluated, for ROUTE.INFO: those that failed most often. If a document has
// too many values in one field, every filter on that field fails; then the field is listed, not each filter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/strong.h"
#include "engine/filter/program.h"
#include "engine/route/route_ids.h"

namespace millrace {

class FailingFilters {
 public:
  struct Entry {
    ChannelSlot channel;
    FilterSlot filter;  // none: all filters on the field
    std::string field;
    Trouble trouble = Trouble::None;
    uint64_t failures = 0;
    UnixMs last;
  };
  static constexpr size_t kMost = 10;

  void count(ChannelSlot channel, FilterSlot filter, std::string field, Trouble trouble, UnixMs now) {
    ++failures_;
    auto found = std::ranges::find_if(entries_, [&](const Entry& each) {
      return each.channel == channel && each.filter == filter && each.field == field;
    });
    if (found == entries_.end()) {
      // The last entry has the fewest failures.
      if (entries_.size() == kMost) entries_.pop_back();
      found = entries_.insert(entries_.end(), {channel, filter, std::move(field), trouble, 0, now});
    }
    ++found->failures;
    found->trouble = trouble;
    found->last = now;
    for (; found != entries_.begin() && (found - 1)->failures < found->failures; --found) {
      std::swap(*found, *(found - 1));
    }
  }

  void forget(ChannelSlot channel) {
    std::erase_if(entries_, [&](const Entry& each) { return each.channel == channel; });
  }
  void forget(ChannelSlot channel, FilterSlot filter) {
    std::erase_if(entries_, [&](const Entry& each) { return each.channel == channel && each.filter == filter; });
  }

  // Most failures first.
  const std::vector<Entry>& entries() const { return entries_; }
  // Of all filters, since the table was loaded.
  uint64_t failures() const { return failures_; }

 private:
  std::vector<Entry> entries_;
  uint64_t failures_ = 0;
};

}  // namespace millrace
