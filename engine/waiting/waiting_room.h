// All waiting requests, by the object they wait for. The caller's key identifies an object: the object may be missing,
// or be created and deleted, while requests wait for it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/waiting/waiting_lines.h"

namespace millrace {

template <class Key>
class WaitingRoom {
 public:
  bool empty() const { return lines_.empty(); }

  // Null if no request waits for it.
  WaitingLines* find(const Key& key) {
    const auto found = lines_.find(key);
    return found == lines_.end() ? nullptr : &found->second;
  }

  void add(const Key& key, Waiter& waiter, const Wait& wait, MonotonicMs deadline = kNoDeadline) {
    lines_[key].add(waiter, wait, next_arrival_++, deadline);
  }

  // REQUIRES: the request waits for this key.
  void remove(const Key& key, Waiter& waiter) {
    const auto found = lines_.find(key);
    found->second.remove(waiter);
    if (found->second.empty()) lines_.erase(found);
  }

  std::vector<Key> keys() const {
    std::vector<Key> all;
    for (const auto& [key, lines] : lines_) all.push_back(key);
    return all;
  }

 private:
  std::unordered_map<Key, WaitingLines> lines_;
  uint64_t next_arrival_ = 0;
};

}  // namespace millrace
