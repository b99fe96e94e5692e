// The arithmetic of Redlock: when a lock over N independent servers is held, and for how
// long. No sockets, no clock: moments are arguments.
//
//   started                      now        lease ends at the first server, at the earliest
//      |--------- elapsed --------|                  |
//      |------------------------ ttl ----------------|
//                                 |--- validity ---| |
//                                                  drift: what clocks may differ in speed
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace millrace::client {

using Milliseconds = std::chrono::milliseconds;
using Moment = std::chrono::steady_clock::time_point;

// How many of this many servers two owners cannot have at the same time.
constexpr size_t majority_of(size_t servers) { return servers / 2 + 1; }

// The same for a semaphore of so many permits: permits + 1 owners cannot have so many servers
// each, because a server grants no more than its permits. One permit: the majority.
//
// Example: of 5 servers with 3 permits each, 15 grants in all, an owner needs 4: a fourth owner
// would make it 16.
constexpr size_t quorum_of(size_t servers, uint64_t permits) {
  // servers * permits / (permits + 1) + 1, written so that it does not overflow.
  return servers - (servers + permits) / (permits + 1) + 1;
}

// What is taken off a lease because clocks do not run equally fast: a hundredth of it, and
// two milliseconds for short ones.
constexpr Milliseconds drift_of(Milliseconds ttl) { return ttl / 100 + Milliseconds(2); }

// One round through all servers: to acquire, or to renew.
class Quorum {
 public:
  // `needed` of the servers must grant it.
  Quorum(size_t servers, size_t needed, Milliseconds ttl, Moment started)
      : servers_(servers), needed_(needed), ttl_(ttl), started_(started) {}

  // A server granted it. `token`, if it gave one, is that grant's.
  void granted(std::optional<uint64_t> token);
  // A server said that somebody else has it. One that did not answer is neither.
  void refused() { ++refused_; }

  size_t grants() const { return granted_; }
  bool is_reached() const { return granted_ >= needed_; }
  // True if too many refused: there is no need to ask the others.
  bool is_hopeless() const { return servers_ - refused_ < needed_; }

  // When it must be taken for lost, if nothing is renewed.
  Moment valid_until() const { return started_ + ttl_ - drift_of(ttl_); }
  // How long it is held from `now` on; 0 or less: it is not.
  Milliseconds validity(Moment now) const {
    if (!is_reached()) return Milliseconds(0);
    return std::chrono::floor<Milliseconds>(valid_until() - now);
  }
  bool is_held(Moment now) const { return validity(now) > Milliseconds(0); }

  // Greater than every earlier holder's; nothing while too few granted it, or if a server gave
  // none, for then no order is promised.
  //
  // Every majority has a server that heard of the last holder's token and gave a greater one.
  // The majority with the smallest tokens has one too, so the greatest of theirs will do, and
  // a minority whose clocks are years ahead has no say: of 5, 7, 8, 90 and 95 it is 8.
  std::optional<uint64_t> token() const;

 private:
  size_t servers_;
  size_t needed_;
  Milliseconds ttl_;
  Moment started_;
  size_t granted_ = 0;
  size_t refused_ = 0;
  std::vector<uint64_t> tokens_;
};

}  // namespace millrace::client
