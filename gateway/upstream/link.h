// An open connection to a server within an event loop: commands are sent together at the end of a turn, answers come
// back in the same order.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/connection.h"
#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

using Answer = client::Result<client::Reply>;
using Words = std::vector<std::string>;

class Link final : IoHandler {
 public:
  using Done = std::function<void(Answer)>;
  using Lost = std::function<void(const client::Error& why)>;

  // `lost` is called when the connection breaks, after all waiting commands got an error; it may destroy the link.
  // REQUIRES: the connection is open.
  Link(EventLoop& loop, client::Connection connection, Lost lost);
  // Does not call the callbacks of commands that wait for an answer.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // `done` is called once, later, or at once if the connection is broken.
  void send(const Words& words, Done done);

  bool is_broken() const { return is_broken_; }
  size_t in_flight() const { return waiting_.size(); }
  // When the oldest command without an answer was sent. REQUIRES: in_flight() > 0.
  Moment oldest() const { return waiting_.front().since; }
  const client::Endpoint& endpoint() const { return connection_.endpoint(); }

  // Asks the server for the id by which other connections can name this one.
  void ask_number();
  // That id, once the server has answered; 0 if it refused.
  std::optional<int64_t> number() const { return number_; }

  // Sends nothing more. The server closes its side when it notices that; answers that it had sent before still arrive.
  // An answer that it made in the same turn of its event loop, but had not sent, is lost.
  void hang_up();
  bool is_hung_up() const { return is_hung_up_; }

  // Behaves as if the other side had closed the connection.
  void break_off(const client::Error& why);

 private:
  struct Waiting {
    Done done;
    Moment since;
  };

  void on_ready(uint32_t events) override;
  bool receive();
  bool take_replies();
  void flush();

  EventLoop& loop_;
  client::Connection connection_;
  client::ReplyStream replies_;
  Lost lost_;
  std::deque<Waiting> waiting_;
  std::string unsent_;
  size_t sent_ = 0;  // of unsent_
  std::optional<int64_t> number_;
  bool is_broken_ = false;
  bool is_hung_up_ = false;
  bool flushes_later_ = false;
  bool waits_to_write_ = false;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  // checked by jobs that run later
};

}  // namespace millrace::gateway
