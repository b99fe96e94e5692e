// A command that waits at the server, on a separate connection.
#pragma once

#include <functional>
#include <memory>

#include "gateway/upstream/node.h"

namespace millrace::gateway {

class WaitingCall : public std::enable_shared_from_this<WaitingCall> {
 public:
  // `over` is called once, with an answer or an error.
  WaitingCall(EventLoop& loop, std::function<void(Answer)> over) : loop_(loop), over_(std::move(over)) {}

  // Sends it; the node is in use until it is over. After `patience` without an answer, the connection is treated as
  // broken. With `asking`, sends ASKING first, so that the cluster node serves a key of a slot that has not fully
  // moved.
  void start(Node& node, const Words& words, Milliseconds patience, bool asking);

  // Gives up the command and closes its connection. Until the server notices that, it may still serve the command.
  void cancel();
  // Gives up the command. It is over when the server has ended it: either with what the server had taken for it by
  // then, or with an empty answer.
  void give_up();

 private:
  void take_link(Node& node, const Words& words, client::Result<std::unique_ptr<Link>> link, bool asking);
  void wait_at_most(Milliseconds patience);
  void unblock();
  void unblock_later();
  void end(Answer answer);

  EventLoop& loop_;
  std::function<void(Answer)> over_;
  std::unique_ptr<Link> link_;
  Node* node_ = nullptr;  // as long as it is in use
  Node::Use use_;
  EventLoop::Timer patience_;
  bool is_given_up_ = false;
  bool is_over_ = false;
};

}  // namespace millrace::gateway
