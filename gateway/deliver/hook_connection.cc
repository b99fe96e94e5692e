#include "gateway/deliver/hook_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace millrace::gateway {

using client::Transfer;

HookConnection::HookConnection(EventLoop& loop, std::vector<SocketAddress> addresses, client::TlsOptions tls,
                               std::string host)
    : loop_(loop), addresses_(std::move(addresses)), tls_(std::move(tls)), host_(std::move(host)) {}

HookConnection::~HookConnection() { close(); }

void HookConnection::close() {
  if (watched_ != 0) loop_.forget(transport_ ? transport_->descriptor() : descriptor_, *this);
  watched_ = 0;
  session_.reset();
  transport_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void HookConnection::watch(uint32_t events) {
  const int descriptor = transport_ ? transport_->descriptor() : descriptor_;
  if (watched_ == 0) {
    loop_.watch(descriptor, events, *this);
  } else if (watched_ != events) {
    loop_.change(descriptor, events, *this);
  }
  watched_ = events;
}

void HookConnection::send(std::string request, Done done) {
  request_ = std::move(request);
  sent_ = 0;
  done_ = std::move(done);
  reader_ = std::make_unique<HookResponseReader>();
  if (step_ == Step::Open) return exchange();
  connect_next();
}

void HookConnection::connect_next() {
  close();
  while (next_address_ < addresses_.size()) {
    const SocketAddress& address = addresses_[next_address_++];
    const auto* const to = reinterpret_cast<const sockaddr*>(&address.storage);
    descriptor_ = ::socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0 || (::connect(descriptor_, to, address.size) != 0 && errno != EINPROGRESS)) {
      last_problem_ = std::strerror(errno);
      close();
      continue;
    }
    const int on = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return watch(EPOLLOUT);
  }
  fail("cannot connect: " + last_problem_);
}

void HookConnection::on_ready(uint32_t) {
  if (step_ == Step::Connecting) return finish_connecting();
  if (step_ == Step::ShakingHands) return shake_hands();
  if (reader_) return exchange();
  // Between two requests only the end of the connection is expected.
  step_ = Step::Broken;
  close();
}

void HookConnection::finish_connecting() {
  int problem = 0;
  socklen_t size = sizeof problem;
  getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem != 0) {
    last_problem_ = std::strerror(problem);
    return connect_next();
  }
  if (!tls_.is_on) {
    transport_ = std::make_unique<Transport>(std::exchange(descriptor_, -1));
    step_ = Step::Open;
    return exchange();
  }
  auto session = client::TlsSession::begin(tls_, host_, descriptor_);
  if (!session) return fail(session.error().text);
  session_.emplace(std::move(*session));
  step_ = Step::ShakingHands;
  shake_hands();
}

void HookConnection::shake_hands() {
  const Transfer done = session_->shake_hands();
  if (done.kind == Transfer::Kind::MustRead) return watch(EPOLLIN);
  if (done.kind == Transfer::Kind::MustWrite) return watch(EPOLLOUT);
  if (done.kind != Transfer::Kind::Done) return fail("no TLS: " + (done.why.empty() ? "it was closed" : done.why));
  transport_ = std::make_unique<Transport>(std::exchange(descriptor_, -1), std::move(*session_));
  session_.reset();
  step_ = Step::Open;
  exchange();
}

// Writes and reads what is possible now. A receiver may answer before it has read everything.
void HookConnection::exchange() {
  if (!write() || !read()) return;
  watch(sent_ < request_.size() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// False: the request is over.
bool HookConnection::write() {
  while (sent_ < request_.size()) {
    const Transfer done = transport_->write(std::string_view(request_).substr(sent_));
    if (done.kind == Transfer::Kind::MustRead || done.kind == Transfer::Kind::MustWrite) break;
    // What the receiver sent before it closed may still be read.
    if (done.kind != Transfer::Kind::Done) {
      sent_ = request_.size();
      break;
    }
    sent_ += done.bytes;
  }
  return true;
}

bool HookConnection::read() {
  const auto room = loop_.scratch();
  while (reader_->state() == HookResponseReader::State::Reading) {
    const Transfer got = transport_->read(room.data(), room.size());
    if (got.kind == Transfer::Kind::MustRead || got.kind == Transfer::Kind::MustWrite) return true;
    if (got.kind == Transfer::Kind::Done) {
      reader_->put({room.data(), got.bytes});
      continue;
    }
    if (!reader_->has_begun()) {
      finish({.why = got.why.empty() ? "the connection was closed without an answer" : got.why}, false, true);
      return false;
    }
    reader_->put_end();
  }
  if (reader_->state() == HookResponseReader::State::Malformed) {
    fail("the answer is not HTTP");
    return false;
  }
  const bool keeps_alive = reader_->keeps_alive() && sent_ == request_.size();
  finish({.status = reader_->status(), .retry_after = reader_->retry_after(), .why = {}}, keeps_alive, false);
  return false;
}

void HookConnection::fail(std::string why) { finish({.why = std::move(why)}, false, false); }

void HookConnection::finish(HookOutcome outcome, bool keeps_alive, bool untouched) {
  reader_.reset();
  std::string().swap(request_);
  if (keeps_alive) {
    watch(EPOLLIN);
  } else {
    step_ = Step::Broken;
    close();
  }
  const Done done = std::move(done_);
  done(std::move(outcome), keeps_alive, untouched);
}

}  // namespace millrace::gateway
