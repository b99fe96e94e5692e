#include "gateway/net/acceptor.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace millrace::gateway {
namespace {

constexpr int kAcceptedAtOnce = 64;
// Without free descriptors, trying again at once would only use processor time.
constexpr Milliseconds kPause{100};

std::string address_text(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text, sizeof text);
  }
  return text;
}

uint16_t port_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

int listening(const addrinfo& at, bool shares) {
  const int descriptor = ::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (shares) setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (at.ai_family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(descriptor, at.ai_addr, at.ai_addrlen) == 0 && ::listen(descriptor, 4096) == 0) return descriptor;
  const int problem = errno;
  ::close(descriptor);
  return -problem;
}

}  // namespace

client::Result<std::unique_ptr<Acceptor>> Acceptor::open(EventLoop& loop, const client::Endpoint& at, bool is_first,
                                                         Accept accept) {
  const auto refuse = [&](const char* why) {
    return client::fail(client::ErrorCode::BadInput, "cannot listen at " + at.text() + ": " + why);
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(at.host.c_str(), std::to_string(at.port).c_str(), &hints, &found); problem != 0) {
    return refuse(gai_strerror(problem));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  // Sockets that share an address would silently share it with another gateway, too.
  if (is_first) {
    const int alone = listening(*found, false);
    if (alone < 0) return refuse(std::strerror(-alone));
    ::close(alone);
  }
  const int descriptor = listening(*found, true);
  if (descriptor < 0) return refuse(std::strerror(-descriptor));
  client::Endpoint endpoint = at;
  endpoint.port = port_of(descriptor);
  return std::unique_ptr<Acceptor>(new Acceptor(loop, descriptor, std::move(endpoint), std::move(accept)));
}

Acceptor::Acceptor(EventLoop& loop, int descriptor, client::Endpoint at, Accept accept)
    : loop_(loop), descriptor_(descriptor), endpoint_(std::move(at)), accept_(std::move(accept)) {
  loop_.watch(descriptor_, EPOLLIN, *this);
}

Acceptor::~Acceptor() {
  loop_.cancel(pause_);
  loop_.forget(descriptor_, *this);
  ::close(descriptor_);
}

void Acceptor::on_ready(uint32_t) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int accepted =
        ::accept4(descriptor_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      const int on = 1;
      setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      accept_(accepted, address_text(address));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      loop_.change(descriptor_, 0, *this);
      pause_ = loop_.after(kPause, [this] { loop_.change(descriptor_, EPOLLIN, *this); });
    }
    return;
  }
}

}  // namespace millrace::gateway
