// One connection that is kept full: commands go out while answers come in, so that neither
// side ever waits for the other's buffers. A connection that breaks is opened again, and what
// was not answered is sent again.
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
  size_t commands = 10'000;        // not answered at a time
  size_t bytes = size_t{1} << 20;  // the same in bytes; a larger command goes alone
  Milliseconds answer_timeout{60'000};
  Milliseconds retry_for{60'000};  // how long to try to reach a server that is away
};

class Pipeline {
 public:
  using Clock = std::chrono::steady_clock;

  using Part = TransactionPart;

  // What a command is to the connection it goes through.
  struct Role {
    Part part = Part::None;
    bool is_preface = false;               // ours, not the user's: ASKING, and what abandons
    std::optional<unsigned> selects = {};  // the database it switches to
    bool ends_server = false;              // SHUTDOWN: the end of the connection is its answer
  };

  struct Answer {
    uint64_t number;
    ReplyReader::Verdict verdict;
    std::string_view command;  // its bytes
  };
  // Borrowed for the call; it may add to other pipelines.
  using OnAnswer = std::function<void(const Answer&)>;

  Pipeline(ConnectionOptions server, const PipelineLimits& limits);

  // Opens the connection, and waits until the server can serve. Unreachable: it cannot be
  // reached.
  Result<void> open();

  // Whether it should be given another command now.
  bool has_room() const { return unanswered_ < limits_.commands && buffer_.size() - held_bytes_ < limits_.bytes; }

  // Adds a command under a number of the caller's, as words or as bytes of the protocol.
  void add(Words words, uint64_t number, const Role& role);
  void add(std::string_view bytes, uint64_t number, const Role& role);

  // Receives what is there, without waiting, and opens a connection again that broke. Each
  // command is answered once, in the order they were added; those of a transaction when it
  // ends, with what EXEC says of them. Unreachable: the server has been away for longer than it
  // may, or lets us in and answers nothing for as long.
  Result<void> receive(const OnAnswer& on_answer);

  // Sends what can be sent without waiting.
  void send();

  // Forgets a transaction that was begun and not ended, since no more of it will come: closes
  // the connection, so that the server forgets it too. The result is how many of its commands
  // were taken back; none of them was answered or will be. REQUIRES: nothing is added any more.
  size_t drop_transaction();

  // Hands back, in their order and as not answered, all commands that are here: they will go
  // another way, and what it had confirmed is nobody's concern any more.
  void give_up(const OnAnswer& take_over);

  bool is_idle() const { return unanswered_ == 0; }

  // What to poll for; descriptor -1 while there is no connection. Then, or when answers are
  // due, something is to be done at due() without any event.
  int descriptor() const { return is_open_ ? connection_.descriptor() : -1; }
  bool wants_to_send() const { return is_open_ && !buffer_.unsent().empty(); }
  std::optional<Clock::time_point> due() const;

  // A server that had confirmed something was lost, and one answers again.
  struct Comeback {
    std::optional<ServerIdentity> before;
    std::optional<ServerIdentity> now;
    Clock::time_point last_heard;  // of the one before
  };
  // Since the last call; asked for before anything is sent to it.
  std::optional<Comeback> take_comeback() { return std::exchange(comeback_, std::nullopt); }
  // Whether the server has answered a command, and is expected to have what it answered.
  bool has_confirmed() const { return has_confirmed_; }
  Clock::time_point last_heard() const { return last_heard_; }

  // Why it is not connected at the moment, or nothing.
  const std::optional<Error>& trouble() const { return trouble_; }
  const Endpoint& endpoint() const { return connection_.endpoint(); }
  unsigned database() const { return server_.login.database; }

 private:
  struct Entry {
    uint64_t number;
    size_t size;
    Role role;
    bool is_error = false;
    std::string error = {};  // of one that is answered but held, within a transaction
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
  Clock::time_point last_heard_;             // the server, for what it is known to have had
  Clock::time_point answer_expected_since_;  // for how long it has been silent although it was asked
  // Since the server last answered something: when it was lost, and what was done about it.
  std::optional<Clock::time_point> lost_at_;
  Clock::time_point next_try_;
  Milliseconds pause_{0};
  int tries_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace millrace::client
