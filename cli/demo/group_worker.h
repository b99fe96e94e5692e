// Reads a log for a group, as real workers do: it acknowledges most messages, gives some back, forgets some, which are
// then delivered again, and sometimes takes a break.
#pragma once

#include <string>

#include "cli/demo/actor.h"

namespace millrace::cli::demo {

struct GroupWorkerHabits {
  std::string log;
  std::string group;
  std::string name;
  int fails_once_in = 50;
  int forgets_once_in = 400;
  // A message that contains this fails whenever it comes; empty: there is none.
  std::string hopeless = {};
  // It works for `works`, then rests for `rests`, in turn. 0: without a break.
  Milliseconds works{0};
  Milliseconds rests{0};
};

class GroupWorker : public Actor {
 public:
  explicit GroupWorker(GroupWorkerHabits habits) : habits_(std::move(habits)) {}

  void prepare(Line&) override {}
  Milliseconds act(Line& line) override;

 private:
  bool has_break(const Stage& stage) const;
  bool fails(Line& line, const Reply& message) const;

  GroupWorkerHabits habits_;
};

}  // namespace millrace::cli::demo
