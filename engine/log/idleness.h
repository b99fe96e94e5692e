// How long nobody has used a group. Replicas and the AOF are told of its use, but not each time: sixteen times in an
// idle time at most. So a use may be a sixteenth older than it is known to be, and a group goes that much later.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/strong.h"

namespace millrace {

class Idleness {
 public:
  UnixMs used() const { return used_; }
  void set_used(UnixMs date) {
    used_ = date;
    asked_.reset();
  }

  // It is used now. True if that is to be told: used() has moved.
  bool use(UnixMs now, uint64_t idle_ms) {
    if (idle_ms == 0 || (used_ <= now && now - used_ < slack(idle_ms))) return false;
    set_used(now);
    return true;
  }

  // Whether the idle time is over. When it seems to be, readers that wait are asked first: is_over() says so only if a
  // sixteenth later there was no use() still. That is also the time that readers have to come back after a restart.
  bool is_over(UnixMs now, uint64_t idle_ms) {
    if (idle_ms == 0 || now < used_ + idle_ms) return false;
    if (!asked_) asked_ = now;
    return now >= *asked_ + slack(idle_ms);
  }
  // When is_over() is to be asked next; nothing if never.
  std::optional<UnixMs> next_look(uint64_t idle_ms) const {
    if (idle_ms == 0) return std::nullopt;
    return asked_ ? *asked_ + slack(idle_ms) : used_ + idle_ms;
  }

 private:
  static uint64_t slack(uint64_t idle_ms) { return idle_ms / 16 + 1; }

  UnixMs used_;
  std::optional<UnixMs> asked_;  // this process has asked its readers
};

}  // namespace millrace
