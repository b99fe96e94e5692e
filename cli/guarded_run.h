// Runs a command while holding a lock. The lock is renewed meanwhile; when it is lost, the command is ended, first with
// SIGTERM.
#pragma once

#include <string>
#include <vector>

#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "client/lock/redlock.h"

namespace millrace::cli {

class GuardedRun {
 public:
  // `ttl` is the lease of the lock, `grace` the time between SIGTERM and SIGKILL.
  GuardedRun(client::Redlock& lock, client::HeldLock held, client::Milliseconds ttl, client::Milliseconds grace,
             const StopSignal& stop)
      : lock_(lock), held_(held), ttl_(ttl), grace_(grace), stop_(stop) {}

  // Returns the exit status of the command, or kLockLost. Releases the lock.
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
