// A lock over several independent servers (Redlock): held by who has it at a majority of
// them. A minority may be dead, frozen or wrong about the time.
//
//   Redlock lock(servers, "report", Milliseconds(30000));
//   const auto held = lock.acquire(Milliseconds(10000));
//   if (held && *held) …
//
// examples/redlock.cc is a whole program. What it promises, and what only the token promises,
// is in docs/guides/locks.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/lock/lock_server.h"
#include "client/lock/quorum.h"

namespace millrace::client {

// A lock that was acquired.
struct HeldLock {
  Moment valid_until;             // it must be taken for lost then, unless it is renewed
  std::optional<uint64_t> token;  // greater than every earlier holder's; nothing where a server has no module
  size_t servers = 0;             // that granted it
};

// Not for several threads at a time. Its end gives nothing back: call release(), or the lease
// runs out by itself.
class Redlock {
 public:
  // One server is enough for a lock on one server. `ttl` is how long it is held without
  // being renewed. REQUIRES: at least one server; ttl >= 10 ms
  Redlock(std::vector<ConnectionOptions> servers, std::string key, Milliseconds ttl);

  // Waits until it has the lock or `wait` is over; nothing then. One server with the module
  // keeps a line, in which it stands; several servers, and one without the module, it asks
  // again and again, at random. It gives up once the descriptor `stop` is readable (-1: none).
  // Failure: no majority of the servers can be reached, and why.
  Result<std::optional<HeldLock>> acquire(Milliseconds wait, int stop = -1);

  // Renews the lease at every server. Nothing: it is lost, because a majority says so.
  // Failure: no majority answered; it is held until valid_until of the last success.
  Result<std::optional<HeldLock>> renew();

  // Gives it back wherever it may be held, as far as servers answer.
  void release();

  // How long one renewal can take if no server answers: who must be certain begins it so long
  // before valid_until.
  Milliseconds longest_round() const { return 2 * patience_ * static_cast<int64_t>(servers_.size()); }

  const std::string& key() const { return name_.key; }
  const std::string& owner() const { return name_.owner; }

 private:
  // Failure: a majority did not answer.
  Result<std::optional<HeldLock>> try_once();
  // Stands in line at the only server; tries once if that has none. Nothing: it was refused.
  Result<std::optional<HeldLock>> wait_in_line(Moment deadline, int stop);
  // Tells those who granted it of token_. True if a majority heard and agrees; false if the
  // lock is lost already. Failure: too few could be told, and why.
  Result<bool> agree_on_token(const std::vector<LockServer*>& granted);
  std::optional<HeldLock> held_by(const Quorum& quorum) const;

  LockName name_;
  Milliseconds ttl_;
  Milliseconds patience_;  // with a connection, and with an answer
  std::vector<LockServer> servers_;
  std::optional<uint64_t> token_;
};

}  // namespace millrace::client
