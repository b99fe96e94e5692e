#include "client/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace millrace::client {
namespace {

using SocketClock = std::chrono::steady_clock;

std::unexpected<Error> cannot_connect(const Endpoint& to, const std::string& why) {
  return fail(ErrorCode::Unreachable, "cannot connect to " + to.text() + ": " + why);
}

// A negative time means for ever.
bool poll_for(int descriptor, short events, Milliseconds timeout) {
  const auto end = SocketClock::now() + timeout;
  Milliseconds left = timeout;
  for (;;) {
    pollfd waited{descriptor, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<int64_t>(left.count(), -1, 86'400'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (timeout < Milliseconds(0)) continue;
    left = std::chrono::ceil<Milliseconds>(end - SocketClock::now());
    if (left <= Milliseconds(0)) return false;
  }
}

// 0, or the errno.
int finish_connecting(int descriptor, Milliseconds timeout) {
  if (!poll_for(descriptor, POLLOUT, timeout)) return ETIMEDOUT;
  int problem = 0;
  socklen_t size = sizeof problem;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size);
  return problem;
}

// A connected descriptor, or minus the errno. It is non-blocking, and programs that we start do not inherit it.
int connected(const sockaddr* address, socklen_t size, Milliseconds timeout) {
  const int descriptor = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  int problem = 0;
  if (::connect(descriptor, address, size) != 0) {
    problem = errno == EINPROGRESS ? finish_connecting(descriptor, timeout) : errno;
  }
  if (problem == 0) return descriptor;
  ::close(descriptor);
  return -problem;
}

Result<int> connect_unix_socket(const Endpoint& to, Milliseconds timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (to.socket.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::BadInput, "the path of a Unix socket has " + std::to_string(sizeof address.sun_path - 1) +
                                         " bytes at most: " + to.socket);
  }
  std::memcpy(address.sun_path, to.socket.data(), to.socket.size());
  const int descriptor = connected(reinterpret_cast<const sockaddr*>(&address), sizeof address, timeout);
  if (descriptor < 0) return cannot_connect(to, std::strerror(-descriptor));
  return descriptor;
}

// Commands are sent at once, and a client that waits long for an answer notices that the other machine
// is gone.
void set_tcp_options(int descriptor) {
  const auto set = [&](int level, int name, int value) { setsockopt(descriptor, level, name, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

Result<int> connect_tcp(const Endpoint& to, Milliseconds timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found); problem != 0) {
    return cannot_connect(to, gai_strerror(problem));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  const auto end = SocketClock::now() + timeout;
  int problem = ETIMEDOUT;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const auto left = std::max(std::chrono::ceil<Milliseconds>(end - SocketClock::now()), Milliseconds(0));
    const int descriptor = connected(one->ai_addr, one->ai_addrlen, left);
    if (descriptor >= 0) {
      set_tcp_options(descriptor);
      return descriptor;
    }
    problem = -descriptor;
  }
  return cannot_connect(to, std::strerror(problem));
}

}  // namespace

Result<Socket> Socket::connect(const Endpoint& to, const TlsOptions& tls, Milliseconds timeout) {
  const auto begin = SocketClock::now();
  const auto descriptor = to.is_unix_socket() ? connect_unix_socket(to, timeout) : connect_tcp(to, timeout);
  if (!descriptor) return std::unexpected(descriptor.error());
  Socket socket(*descriptor);
  if (tls.is_on) {
    const auto spent = std::chrono::floor<Milliseconds>(SocketClock::now() - begin);
    if (auto begun = socket.begin_tls(tls, to, timeout - spent); !begun) return std::unexpected(begun.error());
  }
  return socket;
}

Result<void> Socket::begin_tls(const TlsOptions& tls, const Endpoint& to, Milliseconds timeout) {
  auto session = TlsSession::begin(tls, to.host, descriptor_);
  if (!session) return std::unexpected(session.error());
  const auto end = SocketClock::now() + timeout;
  for (;;) {
    const Transfer step = session->shake_hands();
    if (step.kind == Transfer::Kind::Done) break;
    if (step.kind == Transfer::Kind::Failed) {
      return fail(ErrorCode::Unreachable, "no TLS with " + to.text() + ": " + step.why);
    }
    const auto left = std::chrono::ceil<Milliseconds>(end - SocketClock::now());
    if (left <= Milliseconds(0) || !wait_for(step.kind, left)) {
      return fail(ErrorCode::Unreachable,
                  "no TLS with " + to.text() + ": it did not answer in time; perhaps it does not speak TLS");
    }
  }
  session_.emplace(std::move(*session));
  return {};
}

Socket::~Socket() {
  session_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

Transfer Socket::read(char* to, size_t room) {
  if (session_) return session_->read(to, room);
  const ssize_t got = ::recv(descriptor_, to, room, 0);
  if (got > 0) return {Transfer::Kind::Done, static_cast<size_t>(got)};
  if (got == 0) return {Transfer::Kind::Closed};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Transfer::Kind::MustRead};
  return {Transfer::Kind::Failed, 0, std::strerror(errno)};
}

Transfer Socket::write(std::string_view bytes) {
  if (session_) return session_->write(bytes);
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {Transfer::Kind::Done, static_cast<size_t>(sent)};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Transfer::Kind::MustWrite};
  return {Transfer::Kind::Failed, 0, std::strerror(errno)};
}

bool Socket::wait_for(Transfer::Kind kind, Milliseconds timeout) const {
  return poll_for(descriptor_, kind == Transfer::Kind::MustWrite ? POLLOUT : POLLIN, timeout);
}

}  // namespace millrace::client
