// One connection to one server, over hiredis: commands go out binary-safe, answers come
// back as plain values. It opens itself when it is first used, and again after it broke.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "client/endpoint.h"
#include "client/error.h"
#include "client/reply.h"

struct redisContext;

namespace millrace::client {

using Milliseconds = std::chrono::milliseconds;

// Who we are to the server and which of its databases we mean. Sent whenever a connection
// opens.
struct Login {
  std::string user;      // empty: the server's default user
  std::string password;  // empty: a user who needs none, or without a user no login at all
  unsigned database = 0;
};

struct ConnectionOptions {
  Endpoint to;
  Login login;
  Milliseconds connect_timeout{5000};
  Milliseconds answer_timeout{5000};  // how long one answer may take; 0: for ever
};

using Words = std::span<const std::string_view>;

class Connection {
 public:
  // Opens nothing yet.
  explicit Connection(ConnectionOptions options);

  // Opens the connection and logs in, unless it is open already. Unreachable: nobody
  // listens, the name is unknown, or the login was refused.
  Result<void> open();

  // Sends a command and waits for its answer; opens the connection first if need be. After
  // an error the connection is closed, and the next call opens another. Nothing is ever
  // sent twice by itself: TimedOut and Closed leave it unknown whether the command was
  // carried out. An error reply is a Reply.
  // REQUIRES: no answer to an earlier send() is still to come.
  Result<Reply> call(Words words);
  Result<Reply> call(std::initializer_list<std::string_view> words) { return call(Words(words.begin(), words.size())); }

  // The two halves of call(), for who sends to several servers before it waits, or waits
  // for something else beside (see descriptor). One receive() belongs to each send(), in
  // the same order.
  Result<void> send(Words words);
  Result<Reply> receive();

  // How long one answer may take from now on; 0: for ever. For commands that wait.
  void set_answer_timeout(Milliseconds timeout);

  void close();
  bool is_open() const { return context_ != nullptr; }
  const Endpoint& endpoint() const { return options_.to; }

  // The socket, to wait until an answer begins to come. REQUIRES: is_open().
  int descriptor() const;

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };

  Result<void> connect();
  Result<void> log_in();
  Result<void> require_ok(std::initializer_list<std::string_view> words);
  std::unexpected<Error> broken();

  ConnectionOptions options_;
  std::unique_ptr<redisContext, Close> context_;
};

}  // namespace millrace::client
