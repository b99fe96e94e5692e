// How far a load had come when, so that it can be said what a server that came back, or another
// one that took over, may lack.
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

  // Everything before `position` was confirmed. Marks that are older than anybody needs go.
  void add(Clock::time_point now, const InputPosition& position) {
    marks_.push_back({now, position, std::nullopt});
    if (marks_.size() > kMost) marks_.pop_front();
  }

  // What the server said of its history, asked after the last mark was added.
  void set_offset(int64_t offset) {
    if (!marks_.empty()) marks_.back().offset = offset;
  }

  // Before which position everything was confirmed by then; where the load began, if nobody
  // knows.
  InputPosition confirmed_at(Clock::time_point then) const {
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
      if (mark->time <= then) return mark->position;
    }
    return begin_;
  }

  // Before which position everything lies before this offset of the server's history.
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
  // One a second: a replica that lags further behind is taken for one that has nothing.
  static constexpr size_t kMost = 600;

  InputPosition begin_;
  std::deque<Mark> marks_;
};

}  // namespace millrace::client
