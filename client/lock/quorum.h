// The arithmetic of Redlock: when a lock over N independent servers is held, and for how
// long. It uses no sockets and no clock: times are arguments.
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

// How many of this many servers are a majority: two owners cannot both have that many.
constexpr size_t majority_of(size_t servers) { return servers / 2 + 1; }

// The same for a semaphore with this many permits: permits + 1 owners cannot each have that many servers, because a
// server grants no more than its permits. With one permit it is the majority.
//
// Example: of 5 servers with 3 permits each, 15 grants in all, an owner needs 4: a fourth owner
// would make it 16.
constexpr size_t quorum_of(size_t servers, uint64_t permits) {
  // servers * permits / (permits + 1) + 1, written so that it does not overflow.
  return servers - (servers + permits) / (permits + 1) + 1;
}

// Subtracted from a lease because clocks may differ in speed: a hundredth of it, plus two milliseconds for short
// leases.
constexpr Milliseconds drift_of(Milliseconds ttl) { return ttl / 100 + Milliseconds(2); }

// One round through all servers: to acquire, or to renew.
class Quorum {
 public:
  // `needed` of the servers must grant it.
  Quorum(size_t servers, size_t needed, Milliseconds ttl, Moment started)
      : servers_(servers), needed_(needed), ttl_(ttl), started_(started) {}

  // A server granted the lock. `token` is the grant's token, if there is one.
  void granted(std::optional<uint64_t> token);
  // A server refused because another owner has the lock. Do not call either for a server that did not answer.
  void refused() { ++refused_; }

  size_t grants() const { return granted_; }
  bool is_reached() const { return granted_ >= needed_; }
  // True if too many refused: then the others need not be asked.
  bool is_hopeless() const { return servers_ - refused_ < needed_; }

  // When the lock must be considered lost, unless it is renewed.
  Moment valid_until() const { return started_ + ttl_ - drift_of(ttl_); }
  // How long the lock is held from `now` on; 0 or less: it is not held.
  Milliseconds validity(Moment now) const {
    if (!is_reached()) return Milliseconds(0);
    return std::chrono::floor<Milliseconds>(valid_until() - now);
  }
  bool is_held(Moment now) const { return validity(now) > Milliseconds(0); }

  // A token greater than that of every earlier holder; nullopt while too few servers granted it, or if a server gave no
  // token, because then there is no order.
  //
  // Every majority includes a server that knows the last holder's token and gave a greater one. That is also true for
  // the majority with the smallest tokens, so the greatest token of that majority is enough. A minority whose clocks
  // are years ahead has no influence: for 5, 7, 8, 90 and 95 the token is 8.
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
