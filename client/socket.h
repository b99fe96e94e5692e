// A connected stream to a server: TCP or a Unix socket, plain or with TLS. Reading and writing never block.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "client/endpoint.h"
#include "client/error.h"
#include "client/tls.h"

namespace millrace::client {

using Milliseconds = std::chrono::milliseconds;

class Socket {
 public:
  // Connects, including the TLS handshake, within `timeout`. Unreachable: no server listens there, the name is unknown,
  // or the server's certificate is not accepted. BadInput: see TlsSession.
  static Result<Socket> connect(const Endpoint& to, const TlsOptions& tls, Milliseconds timeout);

  Socket(Socket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), session_(std::move(other.session_)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(session_, other.session_);
    return *this;
  }
  ~Socket();

  Transfer read(char* to, size_t room);
  Transfer write(std::string_view bytes);

  // Whether read() returns bytes although the descriptor is not readable.
  bool has_buffered() const { return session_ && session_->has_buffered(); }
  int descriptor() const { return descriptor_; }

  // Waits until the transfer can be tried again. False: the time is over.
  bool wait_for(Transfer::Kind kind, Milliseconds timeout) const;

 private:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Result<void> begin_tls(const TlsOptions& tls, const Endpoint& to, Milliseconds timeout);

  int descriptor_;
  std::optional<TlsSession> session_;
};

}  // namespace millrace::client
