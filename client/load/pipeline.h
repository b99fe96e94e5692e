// One pipelined connection: commands are sent while answers arrive, so that neither side waits for the other. A
// connection that breaks is reopened, and commands without an answer are sent again.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/connection.h"
#include "client/load/reply_reader.h"
#include "client/load/send_buffer.h"
#include "client/load/server_identity.h"
#include "client/load/transaction.h"

namespace millrace::client {

struct PipelineLimits {
  size_t commands = 10'000;        // the most commands without an answer
  size_t bytes = size_t{1} << 20;  // the same in bytes; a larger command is sent alone
  Milliseconds answer_timeout{60'000};
  Milliseconds retry_for{60'000};  // how long to try to reach a server that is unreachable
};

class Pipeline {
 public:
  using Clock = std::chrono::steady_clock;

  using Part = TransactionPart;

  // The role of a command on its connection.
  struct Role {
    Part part = Part::None;
    bool is_preface = false;               // sent by us, not by the user: ASKING, and DISCARD for an abandoned
                                           // transaction
    std::optional<unsigned> selects = {};  // the database it switches to
    bool ends_server = false;              // SHUTDOWN: the end of the connection is its answer
  };

  struct Answer {
    uint64_t number;
    ReplyReader::Verdict verdict;
    std::string_view command;  // bytes of the command
  };
  // The answer is borrowed for the call. The callback may add commands to other pipelines.
  using OnAnswer = std::function<void(const Answer&)>;

  Pipeline(ConnectionOptions server, const PipelineLimits& limits);

  // Opens the connection, and waits until the server accepts commands. Unreachable: it cannot be reached.
  Result<void> open();

  // Whether it should be given another command now.
  bool has_room() const { return unanswered_ < limits_.commands && buffer_.size() - held_bytes_ < limits_.bytes; }

  // Adds a command with a number chosen by the caller, as words or as bytes of the protocol.
  void add(Words words, uint64_t number, const Role& role);
  void add(std::string_view bytes, uint64_t number, const Role& role);

  // Receives available answers without waiting, and reopens a broken connection. Each command is answered once, in the
  // order of adding; commands of a transaction are answered when it ends, with their results of EXEC. Unreachable: the
  // server was unreachable for longer than allowed, or accepted connections without answering for that time.
  Result<void> receive(const OnAnswer& on_answer);

  // Sends what can be sent without waiting.
  void send();

  // Drops a transaction that was begun and will not be ended: closes the connection, so that the server drops it too.
  // Returns how many of its commands were dropped; none of them was answered or will be. REQUIRES: no more commands are
  // added.
  size_t drop_transaction();

  // Returns all commands without an answer, in their order, so that they can be sent over other connections.
  // Afterwards, what this server had confirmed is no longer tracked.
  void give_up(const OnAnswer& take_over);

  bool is_idle() const { return unanswered_ == 0; }

  // The descriptor to poll; -1 while there is no connection. In that case, and while answers are expected, receive()
  // must be called at due() even without an event.
  int descriptor() const { return is_open_ ? connection_.descriptor() : -1; }
  bool wants_to_send() const { return is_open_ && !buffer_.unsent().empty(); }
  std::optional<Clock::time_point> due() const;

  // A server that had confirmed commands was lost, and now a server answers again.
  struct Comeback {
    std::optional<ServerIdentity> before;
    std::optional<ServerIdentity> now;
    Clock::time_point last_heard;  // last answer of the previous server
  };
  // The comeback since the last call. The caller takes it before commands are sent to the new server.
  std::optional<Comeback> take_comeback() { return std::exchange(comeback_, std::nullopt); }
  // Whether the server has confirmed commands, so that it must have their data.
  bool has_confirmed() const { return has_confirmed_; }
  Clock::time_point last_heard() const { return last_heard_; }

  // Why it is not connected at the moment; nullopt: it is connected.
  const std::optional<Error>& trouble() const { return trouble_; }
  const Endpoint& endpoint() const { return connection_.endpoint(); }
  unsigned database() const { return server_.login.database; }

 private:
  struct Entry {
    uint64_t number;
    size_t size;
    Role role;
    bool is_error = false;
    std::string error = {};  // error of a command in a transaction whose answer is held back
  };

  void enter(uint64_t number, size_t size, const Role& role);
  Result<void> send_some();
  Result<void> receive_some(const OnAnswer& on_answer);
  Result<void> take_replies(const OnAnswer& on_answer);
  void take(const ReplyReader::Verdict& verdict, const OnAnswer& on_answer);
  bool must_be_held(const Entry& entry, const ReplyReader::Verdict& verdict) const;
  void end_transaction(TransactionOutcome& outcome, const OnAnswer& on_answer);
  void release_front(const ReplyReader::Verdict& verdict, const OnAnswer& on_answer);
  void lose(Error why);
  Result<void> try_again();

  ConnectionOptions server_;
  PipelineLimits limits_;
  Connection connection_;
  bool is_open_ = false;
  std::optional<ServerIdentity> identity_;
  std::optional<Comeback> comeback_;
  bool has_confirmed_ = false;
  ReplyReader replies_;
  SendBuffer buffer_;
  std::deque<Entry> entries_;
  size_t held_ = 0;  // answered ones at the front of entries_, until their transaction ends
  size_t held_bytes_ = 0;
  size_t unanswered_ = 0;
  Clock::time_point last_heard_;             // when the server last answered
  Clock::time_point answer_expected_since_;  // since when an answer is expected
  // Since the last answer of the server: when it was lost, and the attempts to reconnect.
  std::optional<Clock::time_point> lost_at_;
  Clock::time_point next_try_;
  Milliseconds pause_{0};
  int tries_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace millrace::client
