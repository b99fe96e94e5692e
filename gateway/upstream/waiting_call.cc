#include "gateway/upstream/waiting_call.h"

#include <utility>

namespace millrace::gateway {
namespace {

// How long a server may take to hear that a command is given up.
constexpr Milliseconds kFarewell{2000};

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
    const bool is_given_up = self->link_->is_hung_up();
    // The link calls us: it must not be destroyed before it has returned.
    self->loop_.later([link = std::make_shared<std::unique_ptr<Link>>(std::move(self->link_)), &node,
                       use = self->use_] { node.give_back(std::move(*link)); });
    if (!answer && is_given_up) return self->cancel();
    self->end(std::move(answer));
  });
}

void WaitingCall::cancel() { end(client::fail(ErrorCode::Closed, "the client no longer waits for the answer")); }

void WaitingCall::hang_up() {
  if (is_over_) return;
  if (!link_) return cancel();
  link_->hang_up();
  wait_at_most(kFarewell);
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
