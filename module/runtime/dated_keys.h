// Keys in the order of a date. An entry is a hint: when its date has come, the key is looked at, and it may have
// changed since.
//
// Every database has its own entries, so the cost of SWAPDB does not depend on their number. The caller that adds an
// entry must remove it when its key is deleted or moved (key_date.h does both).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/base/dated_names.h"
#include "module/abi/registration.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

template <class Time>
class DatedKeys {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // The same entry may be added several times. O(log n).
  void add(int database, ByteView name, Time date) {
    const auto index = static_cast<size_t>(database);
    if (index >= databases_.size()) databases_.resize(index + 1);
    databases_[index].add(date.value(), name);
    ++size_;
  }

  // Removes one entry with this name and date, if there is one. O(log n).
  void remove(int database, ByteView name, Time date) {
    const auto index = static_cast<size_t>(database);
    if (index < databases_.size() && databases_[index].remove(date.value(), name)) --size_;
  }

  // The earliest date of all databases. O(databases). REQUIRES: !empty()
  Time first() const { return Time(databases_[earliest()].first()); }

  // Removes the entry with the first date, and returns it. REQUIRES: !empty()
  DatabaseKey take_first() {
    const size_t index = earliest();
    --size_;
    return {static_cast<int>(index), databases_[index].take_first()};
  }

  // --- events that concern all keys of a database at once ---
  void swap(int first, int second) {
    databases_.resize(std::max(databases_.size(), static_cast<size_t>(std::max(first, second)) + 1));
    std::swap(databases_[static_cast<size_t>(first)], databases_[static_cast<size_t>(second)]);
  }

  // -1: of all databases.
  void forget(int database) {
    const auto index = static_cast<size_t>(database);
    if (database == -1) {
      databases_.clear();
      size_ = 0;
    } else if (index < databases_.size()) {
      size_ -= databases_[index].size();
      databases_[index] = {};
    }
  }

  // Loading a data set adds the entries of its keys, which replace the present keys. If loading fails, the present ones
  // stay.
  void follow_loading(abi::Loading moment) {
    if (moment == abi::Loading::Begins) {
      before_loading_ = std::exchange(databases_, {});
    } else if (moment == abi::Loading::Fails) {
      databases_ = std::move(before_loading_);
    }
    if (moment != abi::Loading::Begins) before_loading_.clear();
    size_ = 0;
    for (const DatedNames& entries : databases_) size_ += entries.size();
  }

 private:
  size_t earliest() const {
    size_t best = databases_.size();
    for (size_t i = 0; i < databases_.size(); ++i) {
      if (databases_[i].empty()) continue;
      if (best == databases_.size() || databases_[i].first() < databases_[best].first()) best = i;
    }
    return best;
  }

  std::vector<DatedNames> databases_;
  std::vector<DatedNames> before_loading_;
  size_t size_ = 0;
};

}  // namespace millrace::module
