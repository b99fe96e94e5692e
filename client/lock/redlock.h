// A lock over several independent servers (Redlock): held by the client that has it at a majority of
// them. A minority may be dead, frozen or wrong about the time.
//
//   Redlock lock(servers, "report", {.ttl = Milliseconds(30'000)});
//   const auto held = lock.acquire(Milliseconds(10'000));
//   if (held && *held) …
//
// examples/redlock.cc is a whole program. docs/guides/locks.md says what it guarantees, and what only the token
// guarantees.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/lock/lock_server.h"
#include "client/lock/quorum.h"
#include "client/lock/round.h"
#include "client/lock/server_thread.h"

namespace millrace::client {

// A lock that was acquired.
struct HeldLock {
  Moment valid_until;             // then the lock must be considered lost, unless it is renewed
  std::optional<uint64_t> token;  // greater than every earlier holder's; nullopt if a server has no module
  size_t servers = 0;             // how many servers had granted it when it was acquired
};

struct RedlockOptions {
  Milliseconds ttl{30'000};  // how long it is held without renewal; at least 10 ms
  // How long one round of requests to all servers may take, including new connections and redirects. Later answers are
  // ignored. nullopt: a tenth of the lease, at most a second.
  std::optional<Milliseconds> patience = {};
  LockMode mode = {};
};

// Not thread-safe. Each server is asked in a separate thread. The destructor does not release the lock: call release(),
// or the lease runs out by itself.
class Redlock {
 public:
  // One server is enough for a lock on one server. REQUIRES: at least one server
  Redlock(std::vector<ConnectionOptions> servers, std::string key, RedlockOptions options);

  // Waits until it has the lock or `wait` is over; then nullopt. At a single server with the module, it waits in the
  // server's line. Several servers, or one without the module, are asked repeatedly at random intervals. It gives up
  // once the descriptor `stop` is readable (-1: none).
  // Failure: too few servers can be reached, and why; or two names are the same server (BadInput).
  Result<std::optional<HeldLock>> acquire(Milliseconds wait, int stop = -1);

  // Renews the lease at every server. nullopt: the lock is lost, because too many servers refused.
  // Failure: too few servers answered; the lock is held until valid_until of the last success.
  Result<std::optional<HeldLock>> renew();

  // Releases the lock on all servers that may have granted it, as far as they answer.
  void release();

  // The longest duration of one renewal. To be safe, begin a renewal this long before valid_until.
  Milliseconds longest_round() const { return patience_; }

  const std::string& key() const { return name_.key; }
  const std::string& owner() const { return name_.owner; }

 private:
  using Answer = LockServer::Answer;
  using Servers = std::vector<ServerThread*>;

  // Failure: too few answered, or two names are the same server.
  Result<std::optional<HeldLock>> try_once();
  // Waits in line at the only server; tries once if the server has no lines. nullopt: refused.
  Result<std::optional<HeldLock>> wait_in_line(Moment deadline, int stop);
  // Sends token_ to the servers that granted the lock. True if enough accept it; false if the lock is already lost.
  // Failure: too few could be reached, and why.
  Result<bool> agree_on_token(const Servers& granted);
  // Evaluates these answers. A server that is listed twice counts once.
  Quorum count(const Answers<Answer>& answers, Moment started) const;
  // Asks all servers, until the answers are enough for a decision and late servers have had `grace`.
  template <class Question>
  Answers<Answer> ask_all_servers(Question question, Moment started, Milliseconds grace) const;
  std::optional<HeldLock> held_by(const Quorum& quorum) const;

  LockName name_;
  Milliseconds ttl_;
  Milliseconds patience_;
  size_t needed_;  // how many servers must grant it
  bool has_line_ = false;
  std::vector<std::unique_ptr<ServerThread>> threads_;
  Servers servers_;
  std::optional<uint64_t> token_;
};

}  // namespace millrace::client
