// One server. It has one connection for commands, which is reopened with growing pauses whenever it breaks, and
// separate, reusable connections for commands that wait.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "gateway/loop/background.h"
#include "gateway/upstream/link.h"

namespace millrace::gateway {

class Node {
 public:
  using Taken = std::function<void(client::Result<std::unique_ptr<Link>>)>;

  // `opened` is called whenever the connection for commands is open again, before anything is sent over it.
  Node(EventLoop& loop, Background& background, client::ConnectionOptions server, std::function<void(Node&)> opened,
       std::function<void()> lost);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Sends a command. Before the first connection is open, the command waits for it; while the server is unreachable, it
  // fails at once.
  void send(const Words& words, Link::Done done);
  // Sends two commands, of which the first prepares the second (ASKING); the answer of the first is dropped.
  void send_after(const Words& first, const Words& words, Link::Done done);

  // A connection for exclusive use, until give_back() or until it is destroyed. It need not be given back.
  void take_link(Taken taken);
  void give_back(std::unique_ptr<Link> link);

  bool is_open() const { return link_ != nullptr; }
  // Held by an object that has taken a link or waits for one: meanwhile, the node is in use.
  using Use = std::shared_ptr<const bool>;
  Use use() const { return used_; }
  // True if no command waits for an answer, so that the node may be destroyed; but not inside one of its callbacks.
  bool is_unused() const { return used_.use_count() == 1 && early_.empty() && (!link_ || link_->in_flight() == 0); }
  // The last known address of the server: sentinels may name another one each time.
  const client::Endpoint& endpoint() const { return link_ ? link_->endpoint() : server_.to; }
  // Closes connections that have not answered for this long.
  void close_silent(Milliseconds patience);
  // Closes the connection to open it again: by now, the sentinels know the new master.
  void reopen();

 private:
  void open();
  void take_opened(client::Result<client::Connection> opened);
  void connect(std::function<void(client::Result<client::Connection>)> done);
  void lose(const client::Error& why);

  struct Early {
    Words words;
    Link::Done done;
  };

  EventLoop& loop_;
  Background& background_;
  // Connections that could not be opened; counted by the threads of background_.
  std::shared_ptr<std::atomic<unsigned>> failures_ = std::make_shared<std::atomic<unsigned>>(0);
  client::ConnectionOptions server_;
  std::function<void(Node&)> opened_;
  std::function<void()> lost_;
  std::unique_ptr<Link> link_;
  std::vector<Early> early_;  // sent before the first connection is open
  bool was_tried_ = false;
  std::string why_not_;
  Milliseconds pause_{0};
  EventLoop::Timer retry_;
  std::vector<std::unique_ptr<Link>> idle_;
  Use used_ = std::make_shared<const bool>(true);
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace millrace::gateway
