#include "gateway/upstream/link.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "client/protocol.h"

namespace millrace::gateway {
namespace {

// Sent bytes are kept up to this size; then the rest moves to the front.
constexpr size_t kMostSent = 64 << 10;

}  // namespace

using client::Error;
using client::ErrorCode;
using client::Transfer;

Link::Link(EventLoop& loop, client::Connection connection, Lost lost)
    : loop_(loop), connection_(std::move(connection)), lost_(std::move(lost)) {
  loop_.watch(connection_.descriptor(), EPOLLIN, *this);
}

Link::~Link() {
  *is_alive_ = false;
  if (!is_broken_) loop_.forget(connection_.descriptor(), *this);
}

void Link::send(const Words& words, Done done) {
  if (is_broken_) {
    done(client::fail(ErrorCode::Closed, "the connection to " + endpoint().text() + " broke"));
    return;
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  const size_t before = unsent_.size();
  unsent_.resize(before + client::most_protocol_bytes(views));
  const char* const end = client::write_protocol(unsent_.data() + before, views);
  unsent_.resize(static_cast<size_t>(end - unsent_.data()));
  waiting_.push_back({std::move(done), loop_.now()});
  if (flushes_later_ || waits_to_write_) return;
  flushes_later_ = true;
  loop_.later([this, alive = is_alive_] {
    if (*alive) flush();
  });
}

void Link::flush() {
  flushes_later_ = false;
  while (!is_broken_ && sent_ < unsent_.size()) {
    const Transfer done = connection_.write_some(std::string_view(unsent_).substr(sent_));
    if (done.kind == Transfer::Kind::Done) {
      sent_ += done.bytes;
    } else if (done.kind == Transfer::Kind::MustWrite || done.kind == Transfer::Kind::MustRead) {
      break;
    } else {
      break_off({ErrorCode::Closed, "the connection to " + endpoint().text() + " broke: " + done.why});
      return;
    }
  }
  if (sent_ == unsent_.size()) {
    unsent_.clear();
    sent_ = 0;
    if (unsent_.capacity() > (64 << 10)) std::string().swap(unsent_);
  }
  if (sent_ > kMostSent && sent_ * 2 > unsent_.size()) {
    unsent_.erase(0, sent_);
    sent_ = 0;
  }
  const bool must_wait = !unsent_.empty();
  if (must_wait == waits_to_write_) return;
  waits_to_write_ = must_wait;
  loop_.change(connection_.descriptor(), must_wait ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

void Link::on_ready(uint32_t events) {
  const auto alive = is_alive_;
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) != 0 && (!receive() || !*alive)) return;
  if (*alive && waits_to_write_) flush();
}

// False if the link broke, or is gone.
bool Link::receive() {
  const auto room = loop_.scratch();
  do {
    const Transfer got = connection_.read_some(room.data(), room.size());
    if (got.kind == Transfer::Kind::MustRead || got.kind == Transfer::Kind::MustWrite) break;
    if (got.kind != Transfer::Kind::Done) {
      const std::string why = got.kind == Transfer::Kind::Closed ? "the server closed it" : got.why;
      break_off({ErrorCode::Closed, "the connection to " + endpoint().text() + " broke: " + why});
      return false;
    }
    replies_.feed({room.data(), got.bytes});
    if (!take_replies()) return false;
  } while (connection_.has_buffered());
  return true;
}

bool Link::take_replies() {
  const auto alive = is_alive_;
  for (;;) {
    auto reply = replies_.next();
    if (!reply || (*reply && waiting_.empty())) {
      break_off({ErrorCode::Protocol, endpoint().text() + " does not speak the protocol"});
      return false;
    }
    if (!*reply) return true;
    const Done done = std::move(waiting_.front().done);
    waiting_.pop_front();
    done(std::move(**reply));
    if (!*alive || is_broken_) return false;
  }
}

void Link::ask_number() {
  // An owner that destroys the link gets no callback, so `this` exists here.
  send({"CLIENT", "ID"},
       [this](const Answer& answer) { number_ = answer && !answer->is_error() ? answer->integer : 0; });
}

void Link::hang_up() {
  if (is_broken_ || std::exchange(is_hung_up_, true)) return;
  ::shutdown(connection_.descriptor(), SHUT_WR);
}

void Link::break_off(const Error& why) {
  if (is_broken_) return;
  is_broken_ = true;
  loop_.forget(connection_.descriptor(), *this);
  const auto alive = is_alive_;
  std::deque<Waiting> waiting;
  waiting.swap(waiting_);
  for (const Waiting& one : waiting) one.done(std::unexpected(why));
  if (*alive) {
    const Lost lost = lost_;
    lost(why);
  }
}

}  // namespace millrace::gateway
