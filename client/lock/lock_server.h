// One server as a keeper of locks: by LOCK.… where the module is loaded, by SET NX PX and two
// small scripts where it is not. Which of them it is, it finds out by asking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/connection.h"
#include "client/lock/quorum.h"

namespace millrace::client {

// Whose lock it is. An owner's name is used once: no two grants can be mistaken.
struct LockName {
  std::string key;
  std::string owner;
};

class LockServer {
 public:
  explicit LockServer(ConnectionOptions options) : connection_(std::move(options)) {}

  struct Answer {
    bool granted = false;
    std::optional<uint64_t> token;  // of a grant by the module
  };

  // Each waits no longer than the connection's timeouts, and asks once; only what is given back is
  // given back on a new connection if the old one broke. An error means that
  // nobody knows whether it was done.
  Result<Answer> acquire(const LockName& name, Milliseconds ttl);
  // Stands in line for it at a server that keeps one, on this connection: until it is granted,
  // the moment has passed, or the descriptor `stop` is readable (-1: none), which is a refusal,
  // too: the connection is closed, by which the server knows that nobody waits any more.
  // Nothing: the server has no module, hence no line, and was asked for nothing.
  Result<std::optional<Answer>> acquire_in_line(const LockName& name, Milliseconds ttl, Moment until, int stop);
  // Whether it keeps a line, as far as it was asked.
  bool has_line() const { return kind_ == Kind::Module; }
  // True if it was still held. With a token, the server gives only greater ones from now on.
  Result<bool> renew(const LockName& name, Milliseconds ttl, std::optional<uint64_t> token);
  // True if it was held.
  Result<bool> release(const LockName& name);

  const Endpoint& endpoint() const { return connection_.endpoint(); }

 private:
  enum class Kind { Unknown, Module, Plain };

  // Asks with the module's command, or with the plain one once the server is known to have
  // no module. A connection that was opened anew may lead to another server.
  template <class Module, class Plain>
  Result<Reply> ask(Module module_words, Plain plain_words);
  Result<bool> release_once(const LockName& name);
  // The answer of the module's LOCK.ACQUIRE.
  Result<Answer> answer_in(const Reply& reply) const;
  // The answer to a command that waits until then; nil if `stop` was readable before.
  Result<Reply> wait_for_reply(Moment until, int stop);

  Connection connection_;
  Kind kind_ = Kind::Unknown;
};

}  // namespace millrace::client
