// A command that runs as long as a lock is held: the lock is renewed beside it, and when it
// is lost the command is ended, first politely.
#pragma once

#include <string>
#include <vector>

#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "client/lock/redlock.h"

namespace millrace::cli {

class GuardedRun {
 public:
  // `ttl` is the lock's, `grace` the time between TERM and KILL.
  GuardedRun(client::Redlock& lock, client::HeldLock held, client::Milliseconds ttl, client::Milliseconds grace,
             const StopSignal& stop)
      : lock_(lock), held_(held), ttl_(ttl), grace_(grace), stop_(stop) {}

  // What the command ended with, or kLockLost. The lock is given back.
  int run(const std::vector<std::string>& words);

 private:
  // False once the lock is lost.
  bool renew();
  int end_without_lock(ChildProcess& child);

  client::Redlock& lock_;
  client::HeldLock held_;
  client::Milliseconds ttl_;
  client::Milliseconds grace_;
  const StopSignal& stop_;
  client::Moment next_renewal_{};
};

}  // namespace millrace::cli
