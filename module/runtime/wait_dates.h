// When the clients that wait for a key must be looked at: one entry on the agenda for each key, at the earliest date
// that any of them needs.
#pragma once

#include <unordered_map>

#include "engine/base/strong.h"
#include "module/runtime/database_key.h"
#include "module/runtime/key_date.h"

namespace millrace::module {

class WaitDates {
 public:
  // The key is looked at at this date or earlier.
  void keep(const DatabaseKey& key, MonotonicMs date) { dates_[key].keep(key.database, key.name, date); }

  // Removes the key from the agenda.
  void forget(const DatabaseKey& key) {
    const auto kept = dates_.find(key);
    if (kept == dates_.end()) return;
    kept->second.forget(key.database, key.name);
    dates_.erase(kept);
  }

 private:
  std::unordered_map<DatabaseKey, KeyDate<MonotonicMs>> dates_;
};

}  // namespace millrace::module
