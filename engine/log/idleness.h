// How long a group has not been used. Its uses go to replicas and the AOF, but at most sixteen times in one idle time.
// So the last use may be up to a sixteenth of the idle time later than used() says; a group is dropped that much later.
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

  // The group is used now. True if replicas must be told, because used() has changed.
  bool use(UnixMs now, uint64_t idle_ms) {
    if (idle_ms == 0 || (used_ <= now && now - used_ < slack(idle_ms))) return false;
    set_used(now);
    return true;
  }

  // Whether the idle time is over. When it seems to be, waiting readers get a chance to report their use first:
  // is_over() is true only if a sixteenth of the idle time later there is still no use(). Readers have the same time to
  // come back after a restart.
  bool is_over(UnixMs now, uint64_t idle_ms) {
    if (idle_ms == 0 || now < used_ + idle_ms) return false;
    if (!asked_) asked_ = now;
    return now >= *asked_ + slack(idle_ms);
  }
  // When is_over() must be called next; nullopt if never.
  std::optional<UnixMs> next_look(uint64_t idle_ms) const {
    if (idle_ms == 0) return std::nullopt;
    return asked_ ? *asked_ + slack(idle_ms) : used_ + idle_ms;
  }

 private:
  static uint64_t slack(uint64_t idle_ms) { return idle_ms / 16 + 1; }

  UnixMs used_;
  std::optional<UnixMs> asked_;  // when this process asked its readers
};

}  // namespace millrace
