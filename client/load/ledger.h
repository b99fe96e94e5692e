// Which commands of a load are settled: answered, or not to be sent at all. Commands are entered in the order of the
// input and settled in any order; everything before settled_up_to() is settled. The result of a command is reported
// only when everything before it is settled too, so that the reports and settled_up_to() always agree.
//
// entered  1 2 3 4 5 6      settled  1 2 4 5      settled_up_to() is after 2; reported: 1 2
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "client/load/command_source.h"

namespace millrace::client {

class Ledger {
 public:
  enum class Outcome : uint8_t { Open, Succeeded, Failed, Bad };

  struct Entry {
    uint64_t line;
    uint64_t file;
    InputPosition end;
    bool ends_record = true;  // a record may become several commands, which are settled together
    Outcome outcome = Outcome::Open;
    std::unique_ptr<const std::string> why = nullptr;  // for a command that failed or is bad
  };

  // `settled`: where the input begins.
  explicit Ledger(const InputPosition& settled) : settled_up_to_(settled) {}

  // Enters the next command of the input, and returns its number.
  // `ends_record`: it is the last one of its record.
  uint64_t enter(const InputPosition& begin, const InputPosition& end, bool ends_record = true) {
    open_.push_back({begin.line, begin.file, end, ends_record});
    return first_ + open_.size() - 1;
  }

  // Calls tell(const Entry&) for this command and later settled ones, up to the first that is still open. REQUIRES: the
  // number was entered and is not settled yet; `why` says what is wrong unless it succeeded.
  template <class Tell>
  void settle(uint64_t number, Outcome outcome, std::string_view why, const Tell& tell) {
    Entry& settled = open_[number - first_];
    settled.outcome = outcome;
    if (outcome != Outcome::Succeeded) settled.why = std::make_unique<const std::string>(why);
    for (size_t size = settled_record(); size > 0; size = settled_record()) {
      settled_up_to_ = open_.front().end;
      for (; size > 0; --size, ++first_) {
        tell(std::as_const(open_.front()));
        open_.pop_front();
      }
    }
  }

  const InputPosition& settled_up_to() const { return settled_up_to_; }
  // The place after the last command that succeeded, even if earlier ones are open.
  const InputPosition& succeeded_up_to() const {
    for (auto entry = open_.rbegin(); entry != open_.rend(); ++entry) {
      if (entry->outcome == Outcome::Succeeded) return entry->end;
    }
    return settled_up_to_;
  }
  bool is_all_settled() const { return open_.empty(); }
  // How many commands there are from the oldest open one to the newest.
  size_t span() const { return open_.size(); }

  // Reports commands that are settled although earlier ones are open and will stay open.
  template <class Tell>
  void tell_the_rest(const Tell& tell) const {
    for (const Entry& entry : open_) {
      if (entry.outcome != Outcome::Open) tell(entry);
    }
  }

 private:
  // How many commands the first record has, if all of them are settled; else 0.
  size_t settled_record() const {
    for (size_t i = 0; i < open_.size() && open_[i].outcome != Outcome::Open; ++i) {
      if (open_[i].ends_record) return i + 1;
    }
    return 0;
  }

  std::deque<Entry> open_;
  uint64_t first_ = 0;
  InputPosition settled_up_to_;
};

}  // namespace millrace::client
