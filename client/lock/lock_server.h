// One server as a keeper of locks: by LOCK.… where the module is loaded, by SET NX PX and two
// small scripts where it is not. Which of them it is, it finds out by asking. A node of a cluster
// that does not keep the lock names the one that does, which is asked then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/lock/quorum.h"

namespace millrace::client {

// How many may hold a lock at a time.
struct LockMode {
  bool is_shared = false;  // held by many readers, or by one client that does not ask for this
  uint64_t permits = 1;    // of a semaphore; 1: one holder

  bool is_plain() const { return !is_shared && permits == 1; }
};

// Whose lock it is. An owner's name is used once: no two grants can be mistaken.
struct LockName {
  std::string key;
  std::string owner;
  LockMode mode = {};
};

class LockServer {
 public:
  // `patience` is how long one question may take, a new connection included. A server that is one
  // of several must identify itself whenever it is connected to.
  LockServer(ConnectionOptions options, Milliseconds patience, bool is_one_of_several);

  struct Answer {
    bool granted = false;           // or renewed, or given back
    std::optional<uint64_t> token;  // of a grant by the module
    std::string server = {};        // the same for one server under two names; empty if it does not tell
  };

  // Each asks once; only what is given back is given back on a new connection if the old one
  // broke. An error means that nobody knows whether it was done.
  Result<Answer> acquire(const LockName& name, Milliseconds ttl);
  // Stands in line for it at a server that keeps one, on this connection: until it is granted,
  // the moment has passed, or the descriptor `stop` is readable (-1: none), which is a refusal,
  // too: the connection is closed, by which the server knows that nobody waits any more.
  // Nothing: the server has no module, hence no line, and was asked for nothing.
  Result<std::optional<Answer>> acquire_in_line(const LockName& name, Milliseconds ttl, Moment until, int stop);
  // Granted if it was still held. With a token, the server gives only greater ones from now on.
  Result<Answer> renew(const LockName& name, Milliseconds ttl, std::optional<uint64_t> token);
  // Granted if it was held.
  Result<Answer> release(const LockName& name);

  // Whether it keeps a line; nothing while that is not known.
  std::optional<bool> has_line() const {
    if (kind_ == Kind::Unknown || !connection_.is_open()) return std::nullopt;
    return kind_ == Kind::Module;
  }

  const Endpoint& endpoint() const { return connection_.endpoint(); }

  // How much later than the end of a wait in line its answer may come.
  static constexpr Milliseconds kPatienceBehindWait{1000};

 private:
  enum class Kind { Unknown, Module, Plain };
  using Texts = std::vector<std::string>;

  // Asks with the module's command, or with the plain one once the server is known to have
  // no module. A connection that was opened again may lead to another server.
  Result<Reply> ask(const Texts& module_words, const Texts& plain_words);
  // Sends one command to the node that keeps the lock, and receives by `receive`.
  template <class MakeWords, class Receive>
  Result<Reply> ask_keeper(MakeWords make_words, Receive receive);
  // Opens the connection if need be, and asks the server for its identity.
  Result<void> open();
  Result<void> send(const Texts& words);
  // The server to begin with: one that was named by a node of its cluster may be gone.
  void go_home();
  Result<Answer> release_once(const LockName& name);
  // The answer of the module's LOCK.ACQUIRE.
  Result<Answer> answer_in(const Reply& reply) const;
  Answer answered(bool granted) const { return {.granted = granted, .token = std::nullopt, .server = identity_}; }
  // The answer to a command that waits until then; nil if `stop` was readable before.
  Result<Reply> wait_for_reply(Moment until, int stop);

  ConnectionOptions home_;
  Connection connection_;
  Milliseconds patience_;
  bool is_one_of_several_;
  bool is_redirected_ = false;
  std::string identity_;
  Kind kind_ = Kind::Unknown;
};

}  // namespace millrace::client
