// Which commands of a load are settled: answered, or never to be sent. They are entered in
// the order of the input and settled in any; everything before settled_up_to() is.
//
//   entered  1 2 3 4 5 6      settled  1 2 4 5      settled_up_to() is behind 2
#pragma once

#include <cstdint>
#include <deque>

#include "client/load/command_source.h"

namespace millrace::client {

class Ledger {
 public:
  // `settled`: where the input begins.
  explicit Ledger(const InputPosition& settled) : settled_up_to_(settled) {}

  // Enters the next command of the input. The result is its number.
  uint64_t enter(const InputPosition& begin, const InputPosition& end) {
    open_.push_back({begin.line, begin.file, end, false});
    return first_ + open_.size() - 1;
  }

  // REQUIRES: the number was entered and is not settled yet.
  void settle(uint64_t number) {
    open_[number - first_].is_settled = true;
    while (!open_.empty() && open_.front().is_settled) {
      settled_up_to_ = open_.front().end;
      open_.pop_front();
      ++first_;
    }
  }

  const InputPosition& settled_up_to() const { return settled_up_to_; }
  bool is_all_settled() const { return open_.empty(); }
  // How many are between the oldest that is not settled and the newest.
  size_t span() const { return open_.size(); }

  // REQUIRES: the number is not settled.
  uint64_t line(uint64_t number) const { return open_[number - first_].line; }
  uint64_t file(uint64_t number) const { return open_[number - first_].file; }

 private:
  struct Entry {
    uint64_t line;
    uint64_t file;
    InputPosition end;
    bool is_settled;
  };

  std::deque<Entry> open_;
  uint64_t first_ = 0;
  InputPosition settled_up_to_;
};

}  // namespace millrace::client
