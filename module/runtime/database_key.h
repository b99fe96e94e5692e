// A key by database and name. Waiting lines and the agenda store this instead of pointers, so that nothing dangles when
// a key is deleted, renamed or replaced.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

#include "engine/base/bytes.h"

namespace millrace::module {

struct DatabaseKey {
  int database = 0;
  std::string name;

  friend auto operator<=>(const DatabaseKey&, const DatabaseKey&) = default;

  // Where its value is after SWAPDB.
  DatabaseKey after_swap(int first, int second) const {
    if (database == first) return {second, name};
    if (database == second) return {first, name};
    return *this;
  }
};

}  // namespace millrace::module

template <>
struct std::hash<millrace::module::DatabaseKey> {
  size_t operator()(const millrace::module::DatabaseKey& key) const {
    return std::hash<std::string>{}(key.name) ^ (static_cast<size_t>(key.database) << 1);
  }
};
