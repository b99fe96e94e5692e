// Reads a log for a group, and does what workers do: most messages are acknowledged, some are given back, some are
// forgotten until they come again, and now and then it takes a break.
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
  // It works for this long, then rests for that long. 0: without a break.
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
