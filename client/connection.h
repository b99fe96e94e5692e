// One connection to one server. Commands may contain any bytes; hiredis parses the answers, which are returned as plain
// values. The connection opens when it is first used, and reopens after it broke.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/endpoint.h"
#include "client/error.h"
#include "client/login.h"
#include "client/reply.h"
#include "client/reply_stream.h"
#include "client/sentinel.h"
#include "client/socket.h"
#include "client/tls.h"

namespace millrace::client {

struct ConnectionOptions {
  Endpoint to;
  Login login;
  TlsOptions tls = {};
  std::optional<SentinelGroup> sentinels = {};  // if set, the sentinels are asked for the address whenever the
                                                // connection opens
  Milliseconds connect_timeout{5000};
  Milliseconds answer_timeout{5000};  // how long one answer may take; 0: for ever
};

using Words = std::span<const std::string_view>;

class Connection {
 public:
  // Opens nothing yet.
  explicit Connection(ConnectionOptions options);
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  // Opens the connection and logs in, unless it is open already. Unreachable: no server listens there, the name is
  // unknown, the sentinels know no master, or the login was refused.
  Result<void> open();

  // The same, repeated with growing pauses until it succeeds or the time is over. A signal that the program handles
  // also ends it.
  Result<void> open_within(Milliseconds time);

  // Sends a command and waits for its answer; opens the connection first if necessary. After an error the connection is
  // closed, and the next call opens a new one. A command is never sent twice: after TimedOut and Closed it is unknown
  // whether the command was carried out. An error reply is a Reply.
  // REQUIRES: all answers to earlier send() calls have been received.
  Result<Reply> call(Words words);
  Result<Reply> call(std::initializer_list<std::string_view> words) { return call(Words(words.begin(), words.size())); }

  // The two halves of call(), for a caller that sends to several servers before it waits, or that
  // waits for other events, too (see descriptor). Each send() needs one receive(), in the same
  // order.
  Result<void> send(Words words);
  Result<Reply> receive();
  // Like receive(), but does not wait: nullopt if the answer has not arrived completely. This can
  // happen although the descriptor is readable, since TLS sends messages of its own.
  Result<std::optional<Reply>> receive_some();

  // How long one answer may take from now on; 0: for ever. For commands that wait.
  void set_answer_timeout(Milliseconds timeout);
  // Opening, sending and receiving end at this time at the latest, even if the timeouts allow more; nullopt: only the
  // timeouts apply.
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) { deadline_ = deadline; }

  // Closes the connection; the next one goes to this server, with the same login.
  void redirect(Endpoint to);

  void close();
  bool is_open() const { return socket_.has_value(); }
  const Endpoint& endpoint() const { return options_.to; }

  // Reads and writes raw bytes of the protocol without waiting, for a caller that pipelines many
  // commands. A failure does not close the connection. REQUIRES: is_open(); no call() is used meanwhile.
  Transfer read_some(char* to, size_t room) { return socket_->read(to, room); }
  Transfer write_some(std::string_view bytes) { return socket_->write(bytes); }
  // Whether read_some() returns bytes even if the descriptor is not readable.
  bool has_buffered() const { return socket_->has_buffered(); }

  // The socket, for waiting until an answer begins to arrive. REQUIRES: is_open().
  int descriptor() const;

 private:
  Result<void> find_endpoint();
  Result<void> connect();
  Result<void> log_in();
  Result<void> require_master();
  Result<void> require_ok(std::initializer_list<std::string_view> words);
  Result<std::optional<Reply>> read_reply(Transfer& why_not);
  std::unexpected<Error> broken(const Transfer& transfer);
  bool wait_for(Transfer::Kind kind) const;
  // This timeout (0: none), or the time until the deadline, if that is shorter. Negative: for ever.
  Milliseconds within_deadline(Milliseconds timeout) const;

  ConnectionOptions options_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::optional<Socket> socket_;
  std::optional<ReplyStream> replies_;
  std::string unsent_;
};

}  // namespace millrace::client
