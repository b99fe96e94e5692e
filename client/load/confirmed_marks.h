// The progress of a load over time. It shows what may be missing on a server that came back, or on another one that
// took over.
//
//   12:00:01  x.csv, offset 1,000    everything before was confirmed; the server's history had 730 bytes
//   12:00:02  x.csv, offset 2,500                                                            1,810
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "client/load/command_source.h"

namespace millrace::client {

class ConfirmedMarks {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ConfirmedMarks(const InputPosition& begin) : begin_(begin) {}

  // Everything before `position` was confirmed. Marks that are too old are dropped.
  void add(Clock::time_point now, const InputPosition& position) {
    marks_.push_back({now, position, std::nullopt});
    if (marks_.size() > kMost) marks_.pop_front();
  }

  // The server's replication offset, read after the last mark was added.
  void set_offset(int64_t offset) {
    if (!marks_.empty()) marks_.back().offset = offset;
  }

  // The position up to which everything was confirmed at that time; the beginning of the load, if not known.
  InputPosition confirmed_at(Clock::time_point then) const {
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
      if (mark->time <= then) return mark->position;
    }
    return begin_;
  }

  // The position up to which everything is before this replication offset.
  InputPosition confirmed_before(int64_t end) const {
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
      if (mark->offset && *mark->offset < end) return mark->position;
    }
    return begin_;
  }

 private:
  struct Mark {
    Clock::time_point time;
    InputPosition position;
    std::optional<int64_t> offset;
  };
  // One mark per second: a replica that lags further behind is treated as if it had nothing.
  static constexpr size_t kMost = 600;

  InputPosition begin_;
  std::deque<Mark> marks_;
};

}  // namespace millrace::client
