// Keys in the order of a date. An entry is a hint: when its date has come, the key is looked at, and it may have
// changed since.
//
// Every database has its own entries, so the cost of SWAPDB does not depend on their number. The entries of a staged
// data set (module/abi/staging.h) are apart from those in use. The caller that adds an entry must remove it when its
// key is deleted or moved (key_date.h does both).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/base/dated_names.h"
#include "module/abi/registration.h"
#include "module/abi/staging.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

template <class Time>
class DatedKeys {
 public:
  // Entries of staged databases do not count, and are no dates, until they have taken over.
  bool empty() const { return in_use_.size == 0; }
  size_t size() const { return in_use_.size; }

  // The same entry may be added several times. O(log n).
  void add(int database, ByteView name, Time date) {
    Entries& entries = abi::is_staged(database) ? staged_ : in_use_;
    const size_t index = index_of(database);
    if (index >= entries.databases.size()) entries.databases.resize(index + 1);
    entries.databases[index].add(date.value(), name);
    ++entries.size;
  }

  // Removes one entry with this name and date, if there is one. REQUIRES: the database is not staged. O(log n).
  void remove(int database, ByteView name, Time date) {
    const size_t index = index_of(database);
    if (index < in_use_.databases.size() && in_use_.databases[index].remove(date.value(), name)) --in_use_.size;
  }

  // The earliest date of all databases. O(databases). REQUIRES: !empty()
  Time first() const { return Time(in_use_.databases[earliest()].first()); }

  // Removes the entry with the first date, and returns it. REQUIRES: !empty()
  DatabaseKey take_first() {
    const size_t index = earliest();
    --in_use_.size;
    return {static_cast<int>(index), in_use_.databases[index].take_first()};
  }

  // --- events that concern all keys of a database at once ---
  void swap(int first, int second) {
    std::vector<DatedNames>& databases = in_use_.databases;
    databases.resize(std::max(databases.size(), static_cast<size_t>(std::max(first, second)) + 1));
    std::swap(databases[static_cast<size_t>(first)], databases[static_cast<size_t>(second)]);
  }

  // -1: of all databases.
  void forget(int database) {
    const auto index = static_cast<size_t>(database);
    if (database == -1) {
      in_use_ = {};
    } else if (index < in_use_.databases.size()) {
      in_use_.size -= in_use_.databases[index].size();
      in_use_.databases[index] = {};
    }
  }

  void follow_loading(abi::Loading moment) {
    if (moment == abi::Loading::TakesOver) in_use_ = std::exchange(staged_, {});
    if (moment == abi::Loading::IsThrownAway) staged_ = {};
  }

 private:
  struct Entries {
    std::vector<DatedNames> databases;
    size_t size = 0;
  };

  static size_t index_of(int database) {
    return static_cast<size_t>(abi::is_staged(database) ? abi::after_takeover(database) : database);
  }

  size_t earliest() const {
    const std::vector<DatedNames>& databases = in_use_.databases;
    size_t best = databases.size();
    for (size_t i = 0; i < databases.size(); ++i) {
      if (databases[i].empty()) continue;
      if (best == databases.size() || databases[i].first() < databases[best].first()) best = i;
    }
    return best;
  }

  Entries in_use_;
  Entries staged_;
};

}  // namespace millrace::module
