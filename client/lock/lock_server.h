// One server that stores locks. It uses LOCK.… if the module is loaded, and SET NX PX and two small scripts if not; it
// finds out which by trying. In a cluster, it follows redirects to the node that has the lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/lock/quorum.h"

namespace millrace::client {

// How many clients may hold a lock at the same time.
struct LockMode {
  bool is_shared = false;  // held by many shared clients, or by one exclusive one
  uint64_t permits = 1;    // of a semaphore; 1: a single holder

  bool is_plain() const { return !is_shared && permits == 1; }
};

// The key and the owner. An owner's name is used only once, so that two grants cannot be confused.
struct LockName {
  std::string key;
  std::string owner;
  LockMode mode = {};
};

class LockServer {
 public:
  // `patience` is how long one question may take, including a new connection. `is_one_of_several`: the server must
  // identify itself at each connection.
  LockServer(ConnectionOptions options, Milliseconds patience, bool is_one_of_several);

  struct Answer {
    bool granted = false;           // granted, renewed or released
    std::optional<uint64_t> token;  // token of a grant by the module
    std::string server = {};        // identity of the server, equal for one server with two names; empty if unknown
  };

  // Each sends its command once; only release() tries again on a new connection if the old one broke. After an error,
  // it is unknown whether the command was carried out.
  Result<Answer> acquire(const LockName& name, Milliseconds ttl);
  // Waits in line for the lock on this connection, until it is granted, the time is over, or the descriptor `stop` is
  // readable (-1: none). The last two are refusals; after `stop`, the connection is closed, so that the server ends the
  // wait.
  // nullopt: the server has no module and so no line; no request was made.
  Result<std::optional<Answer>> acquire_in_line(const LockName& name, Milliseconds ttl, Moment until, int stop);
  // Granted if it was still held. With a token, the server issues only greater ones from now on.
  Result<Answer> renew(const LockName& name, Milliseconds ttl, std::optional<uint64_t> token);
  // Granted if it was held.
  Result<Answer> release(const LockName& name);

  // Whether the server has lines; nullopt while unknown.
  std::optional<bool> has_line() const {
    if (kind_ == Kind::Unknown || !connection_.is_open()) return std::nullopt;
    return kind_ == Kind::Module;
  }

  const Endpoint& endpoint() const { return connection_.endpoint(); }

  // How long after the end of a wait in line its answer may arrive.
  static constexpr Milliseconds kPatienceBehindWait{1000};

 private:
  enum class Kind { Unknown, Module, Plain };
  using Texts = std::vector<std::string>;

  // Uses the module's command, or the plain one if the server is known to have no module. After a reconnect, it may be
  // another server.
  Result<Reply> ask(const Texts& module_words, const Texts& plain_words);
  // Sends one command to the node that has the lock, and receives the answer with `receive`.
  template <class MakeWords, class Receive>
  Result<Reply> ask_keeper(MakeWords make_words, Receive receive);
  // Opens the connection if necessary, and asks the server for its identity.
  Result<void> open();
  Result<void> send(const Texts& words);
  // Returns to the original server, because the node of a redirect may no longer exist.
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
