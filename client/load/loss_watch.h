// Records the progress of a load once per second. When a server comes back or another one takes over, it says from
// which place on confirmed data may be missing.
#pragma once

#include <optional>
#include <string>

#include "client/load/confirmed_marks.h"
#include "client/load/pipeline.h"

namespace millrace::client {

struct Loss {
  enum class Kind { None, Possible, Certain };
  Kind kind = Kind::None;
  InputPosition from = {};  // confirmed data before this place is not lost
  std::string why = {};     // a phrase: "it was restarted and keeps no append-only file"
};

class LossWatch {
 public:
  using Clock = Pipeline::Clock;

  // `begin` is where this run began. The server's replication offset is used unless it is a cluster, which has many.
  LossWatch(ConnectionOptions server, bool is_cluster, const InputPosition& begin);

  // Called often, while all connections work. Everything before `settled` was confirmed.
  void look(const InputPosition& settled);

  // What may be missing of the confirmed data, which ends before `confirmed`: later commands may be answered while an
  // earlier one is not.
  Loss judge(const Pipeline::Comeback& comeback, const InputPosition& confirmed) const;
  // The same if other nodes of a cluster now serve the slots of this one.
  Loss judge_replacement(const Pipeline& lost, const InputPosition& confirmed) const;

 private:
  Connection connection_;
  bool asks_offsets_;
  bool is_asked_ = false;
  InputPosition begin_;
  Clock::time_point next_look_;
  ConfirmedMarks marks_;
};

}  // namespace millrace::client
