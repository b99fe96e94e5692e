#include "gateway/upstream/waiting_call.h"

#include <utility>

namespace millrace::gateway {
namespace {

// How long the server may take to end a command that is given up.
constexpr Milliseconds kFarewell{5000};
constexpr Milliseconds kUnblockAgain{20};

}  // namespace

using client::ErrorCode;

void WaitingCall::wait_at_most(Milliseconds patience) {
  loop_.cancel(patience_);
  patience_ = loop_.after(patience, [self = shared_from_this()] {
    self->end(client::fail(ErrorCode::TimedOut, "the server did not answer in time"));
  });
}

void WaitingCall::start(Node& node, const Words& words, Milliseconds patience, bool asking) {
  wait_at_most(patience);
  node_ = &node;
  use_ = node.use();
  node.take_link([self = shared_from_this(), &node, words, asking](client::Result<std::unique_ptr<Link>> link) {
    self->take_link(node, words, std::move(link), asking);
  });
}

void WaitingCall::take_link(Node& node, const Words& words, client::Result<std::unique_ptr<Link>> link, bool asking) {
  if (is_over_) {
    if (link) node.give_back(std::move(*link));
    return;
  }
  if (!link) {
    end(std::unexpected(link.error()));
    return;
  }
  link_ = std::move(*link);
  if (asking) link_->send({"ASKING"}, [](const Answer&) {});
  link_->send(words, [self = shared_from_this(), &node](Answer answer) {
    if (self->is_over_) return;
    const bool is_given_up = self->is_given_up_;
    // The link is calling us, so it must not be destroyed before it has returned. One that was given up is not used
    // again: a request to unblock it may be in flight.
    self->loop_.later(
        [link = std::make_shared<std::unique_ptr<Link>>(std::move(self->link_)), &node, is_given_up, use = self->use_] {
          if (!is_given_up) node.give_back(std::move(*link));
        });
    if (is_given_up && (!answer || answer->is_error())) return self->cancel();
    self->end(std::move(answer));
  });
}

void WaitingCall::cancel() { end(client::fail(ErrorCode::Closed, "the client no longer waits for the answer")); }

void WaitingCall::give_up() {
  if (is_over_ || is_given_up_) return;
  if (!link_) return cancel();
  is_given_up_ = true;
  wait_at_most(kFarewell);
  unblock();
}

// A server that sees the end of a connection in the turn in which it serves it drops the answer, and what it has taken
// would be counted as delivered. Unblocked by another connection, it answers in any case.
void WaitingCall::unblock() {
  const auto number = link_->number();
  if (!number) return unblock_later();
  // Behind sentinels, the two connections may lead to different servers.
  if (*number == 0 || node_->endpoint() != link_->endpoint()) return link_->hang_up();
  node_->send({"CLIENT", "UNBLOCK", std::to_string(*number)}, [self = shared_from_this()](const Answer& answer) {
    if (self->is_over_) return;
    if (!answer || answer->is_error()) return self->link_->hang_up();
    // It does not wait yet, or its answer is on its way.
    if (answer->integer == 0) self->unblock_later();
  });
}

void WaitingCall::unblock_later() {
  loop_.after(kUnblockAgain, [self = shared_from_this()] {
    if (!self->is_over_) self->unblock();
  });
}

void WaitingCall::end(Answer answer) {
  if (is_over_) return;
  is_over_ = true;
  loop_.cancel(patience_);
  if (link_) loop_.later([link = std::shared_ptr<Link>(std::move(link_))] {});
  const auto self = shared_from_this();
  const auto over = std::move(over_);
  over(std::move(answer));
}

}  // namespace millrace::gateway
