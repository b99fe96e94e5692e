// The channels with the most changes. The list is updated with each change, so that no scan of all channels is needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/route/route_ids.h"

namespace millrace {

class TopChannels {
 public:
  struct Entry {
    ChannelSlot channel;
    uint64_t changes;
  };
  static constexpr size_t kMost = 10;

  // Records that the channel has had this many changes so far. O(kMost)
  void count(ChannelSlot channel, uint64_t changes) {
    auto found = std::ranges::find(entries_, channel, &Entry::channel);
    if (found == entries_.end()) {
      if (entries_.size() < kMost) {
        found = entries_.insert(entries_.end(), {channel, changes});
      } else if (entries_.back().changes < changes) {
        found = entries_.end() - 1;
        *found = {channel, changes};
      } else {
        return;
      }
    }
    found->changes = changes;
    for (; found != entries_.begin() && (found - 1)->changes < found->changes; --found) std::swap(*found, *(found - 1));
  }

  void forget(ChannelSlot channel) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.channel == channel; });
  }

  // The channel with the most changes first.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace millrace
