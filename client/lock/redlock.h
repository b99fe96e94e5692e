// A lock over several independent servers (Redlock): held by the client that has it at a majority of
// them. A minority may be dead, frozen or wrong about the time.
//
//   Redlock lock(servers, "report", {.ttl = Milliseconds(30'000)});
//   const auto held = lock.acquire(Milliseconds(10'000));
//   if (held && *held) …
//
// examples/redlock.cc is a whole program. What it promises, and what only the token promises,
// is in docs/guides/locks.md.
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
  Moment valid_until;             // it must be taken for lost then, unless it is renewed
  std::optional<uint64_t> token;  // greater than every earlier holder's; nothing where a server has no module
  size_t servers = 0;             // that granted it, of those that had answered when it was had
};

struct RedlockOptions {
  Milliseconds ttl{30'000};  // how long it is held without being renewed; 10 ms at least
  // How long a round of questions may take: a server that has not answered by then, new
  // connections and redirections included, has not answered. Nothing: a tenth of the lease, and a
  // second at most.
  std::optional<Milliseconds> patience = {};
  LockMode mode = {};
};

// Not for several threads at a time. Each server is asked by a thread of its own. Its end gives
// nothing back: call release(), or the lease runs out by itself.
class Redlock {
 public:
  // One server is enough for a lock on one server. REQUIRES: at least one server
  Redlock(std::vector<ConnectionOptions> servers, std::string key, RedlockOptions options);

  // Waits until it has the lock or `wait` is over; nothing then. One server with the module
  // keeps a line, in which it stands; several servers, and one without the module, it asks
  // again and again, at random. It gives up once the descriptor `stop` is readable (-1: none).
  // Failure: too few of the servers can be reached, and why; or two names lead to one server
  // (BadInput).
  Result<std::optional<HeldLock>> acquire(Milliseconds wait, int stop = -1);

  // Renews the lease at every server. Nothing: it is lost, because too many say so.
  // Failure: too few answered; it is held until valid_until of the last success.
  Result<std::optional<HeldLock>> renew();

  // Gives it back wherever it may be held, as far as servers answer.
  void release();

  // How long one renewal can take, whatever the servers and the network do: who must be certain
  // begins it so long before valid_until.
  Milliseconds longest_round() const { return patience_; }

  const std::string& key() const { return name_.key; }
  const std::string& owner() const { return name_.owner; }

 private:
  using Answer = LockServer::Answer;
  using Servers = std::vector<ServerThread*>;

  // Failure: too few answered, or two names lead to one server.
  Result<std::optional<HeldLock>> try_once();
  // Stands in line at the only server; tries once if that has none. Nothing: it was refused.
  Result<std::optional<HeldLock>> wait_in_line(Moment deadline, int stop);
  // Tells those who granted it of token_. True if enough heard and agree; false if the
  // lock is lost already. Failure: too few could be told, and why.
  Result<bool> agree_on_token(const Servers& granted);
  // What these answers are worth. A server that is there twice counts once.
  Quorum count(const Answers<Answer>& answers, Moment started) const;
  // Asks all servers until the answers decide, and those that are late have had `grace`.
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
