#include "cli/guarded_run.h"

#include <algorithm>
#include <cstdio>

#include "cli/exit_status.h"

namespace millrace::cli {
namespace {

using Clock = std::chrono::steady_clock;
using client::Milliseconds;

// The command can pass the token to the store it writes to, which refuses smaller ones.
ChildProcess::Environment variables_of(const client::Redlock& lock, const client::HeldLock& held) {
  std::optional<std::string> token;
  if (held.token) token = std::to_string(*held.token);
  // Without a token, the variable is removed, so that the token of an outer lock is not used by mistake.
  return {{"MILLRACE_LOCK", lock.key()}, {"MILLRACE_LOCK_OWNER", lock.owner()}, {"MILLRACE_LOCK_TOKEN", token}};
}

}  // namespace

bool GuardedRun::renew() {
  // A renewal that might come back too late is not begun: the command must end in time.
  if (Clock::now() + lock_.longest_round() >= held_.valid_until) {
    next_renewal_ = held_.valid_until;
    return Clock::now() < held_.valid_until;
  }
  const auto renewed = lock_.renew();
  if (renewed && *renewed) {
    held_ = **renewed;
    next_renewal_ = Clock::now() + ttl_ / 3;
    return true;
  }
  if (renewed) return false;
  // The result is unknown: the lock is ours until its last known end, and there is time to try again.
  next_renewal_ = Clock::now() + std::max(ttl_ / 20, Milliseconds(5));
  return Clock::now() < held_.valid_until;
}

int GuardedRun::end_without_lock(ChildProcess& child) {
  std::fprintf(stderr, "millrace lock: the lock %s is lost: ending the command\n", lock_.key().c_str());
  child.end(grace_);
  return kLockLost;
}

int GuardedRun::run(const std::vector<std::string>& words) {
  ChildProcess child(words, variables_of(lock_, held_));
  next_renewal_ = Clock::now() + ttl_ / 3;
  bool was_told_to_stop = false;
  while (true) {
    const auto next = std::min(next_renewal_, held_.valid_until);
    const auto time = std::max(std::chrono::ceil<Milliseconds>(next - Clock::now()), Milliseconds(1));
    if (const auto status = child.wait(time, was_told_to_stop ? -1 : stop_.descriptor())) {
      lock_.release();
      return *status;
    }
    if (stop_.came() && !was_told_to_stop) {
      was_told_to_stop = true;
      child.signal(stop_.number());
    }
    if (Clock::now() < next) continue;
    if (!renew()) {
      const int status = end_without_lock(child);
      lock_.release();
      return status;
    }
  }
}

}  // namespace millrace::cli
