// Notes once a second how far a load has come, and says, when a server comes back or another one
// takes over, from where on something that was confirmed may be missing.
#pragma once

#include <optional>
#include <string>

#include "client/load/confirmed_marks.h"
#include "client/load/pipeline.h"

namespace millrace::client {

struct Loss {
  enum class Kind { None, Possible, Certain };
  Kind kind = Kind::None;
  InputPosition from = {};  // what was confirmed before this place is there
  std::string why = {};     // half a sentence: "it was restarted and keeps no append-only file"
};

class LossWatch {
 public:
  using Clock = Pipeline::Clock;

  // `begin` is where this run began. Offsets of the server's history are asked for unless it is a
  // cluster, which has many.
  LossWatch(ConnectionOptions server, bool is_cluster, const InputPosition& begin);

  // Called often, while all connections are well. Everything before `settled` was confirmed.
  void look(const InputPosition& settled);

  // What may be missing of what was confirmed, the last of it before `confirmed`: commands may be
  // answered while one before them is not.
  Loss judge(const Pipeline::Comeback& comeback, const InputPosition& confirmed) const;
  // The same if other nodes of a cluster serve what this one did.
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
