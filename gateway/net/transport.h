// An accepted socket, plain or with TLS. Reading and writing never block.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "client/tls.h"

namespace millrace::gateway {

class Transport {
 public:
  // Owns the socket from now on.
  explicit Transport(int descriptor) : descriptor_(descriptor) {}
  Transport(int descriptor, client::TlsSession session) : descriptor_(descriptor), session_(std::move(session)) {}
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  client::Transfer read(char* to, size_t room);
  client::Transfer write(std::string_view bytes);
  // Nothing more will be written: the other side gets an end of file.
  void finish();
  // Whether read() returns bytes although the socket is not readable.
  bool has_buffered() const { return session_ && session_->has_buffered(); }
  bool is_tls() const { return session_.has_value(); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::optional<client::TlsSession> session_;
};

}  // namespace millrace::gateway
