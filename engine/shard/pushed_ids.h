// The ids of pushes that were carried out last: one that is sent again is not queued again. When there are too many, or
// they take too much memory, the oldest are forgotten.
#pragma once

#include <cstddef>
#include <list>
#include <set>
#include <string>

#include "engine/base/bytes.h"

namespace millrace {

class PushedIds {
 public:
  static constexpr size_t kMost = 100'000;
  static constexpr size_t kMostBytes = 16 << 20;

  size_t size() const { return order_.size(); }
  bool contains(ByteView id) const { return ids_.contains(id); }

  // REQUIRES: !contains(id)
  void add(ByteView id) {
    order_.push_back(&*ids_.emplace(id).first);
    bytes_ += size_of(id);
    while (order_.size() > kMost || (bytes_ > kMostBytes && order_.size() > 1)) drop_oldest();
  }

  // Calls visit(id) for each, the oldest first.
  template <class Visit>
  void each(Visit visit) const {
    for (const std::string* id : order_) visit(ByteView(*id));
  }

  size_t memory() const { return bytes_; }
  // Proves the invariants. Returns what is broken, or nullptr.
  const char* check() const {
    if (ids_.size() != order_.size()) return "an id without a place in the order";
    size_t bytes = 0;
    for (const std::string& id : ids_) bytes += size_of(id);
    return bytes == bytes_ ? nullptr : "the ids are counted wrong";
  }

 private:
  // With the nodes that hold it.
  static size_t size_of(ByteView id) { return 32 + sizeof(std::string) + 3 * sizeof(void*) + id.size(); }

  void drop_oldest() {
    bytes_ -= size_of(*order_.front());
    ids_.erase(*order_.front());
    order_.pop_front();
  }

  std::set<std::string, std::less<>> ids_;
  std::list<const std::string*> order_;  // takes no memory while it is empty, as most are
  size_t bytes_ = 0;
};

}  // namespace millrace
