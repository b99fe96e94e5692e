// When the clients that wait for a key must be looked at: one entry on the monotonic agenda for each key, at the
// earliest date that somebody wants.
#pragma once

#include <unordered_map>

#include "engine/base/strong.h"
#include "module/runtime/database_key.h"
#include "module/runtime/monotonic_agenda.h"

namespace millrace::module {

class WaitDates {
 public:
  // The key is looked at at this date at the latest.
  void keep(const DatabaseKey& key, MonotonicMs date) {
    const auto [kept, is_new] = dates_.try_emplace(key, date);
    if (!is_new) {
      if (kept->second <= date) return;
      monotonic_agenda::remove(key, kept->second);
      kept->second = date;
    }
    monotonic_agenda::add(key, date);
  }

  // The key is being looked at: a date that has come is off the agenda.
  void arrive(const DatabaseKey& key, MonotonicMs now) {
    const auto kept = dates_.find(key);
    if (kept != dates_.end() && kept->second <= now) dates_.erase(kept);
  }

  // Takes it off the agenda.
  void forget(const DatabaseKey& key) {
    const auto kept = dates_.find(key);
    if (kept == dates_.end()) return;
    monotonic_agenda::remove(key, kept->second);
    dates_.erase(kept);
  }

 private:
  std::unordered_map<DatabaseKey, MonotonicMs> dates_;
};

}  // namespace millrace::module
