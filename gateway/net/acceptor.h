// A listening socket in an event loop.
#pragma once

#include <functional>
#include <string>

#include "client/endpoint.h"
#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

class Acceptor final : IoHandler {
 public:
  // A new non-blocking socket, and the address of the client. The callback owns the socket.
  using Accept = std::function<void(int descriptor, std::string peer)>;

  // Several loops listen at the same address, and the kernel distributes connections among them. BadInput: the address
  // cannot be used; for the first loop also: another program listens there.
  static client::Result<std::unique_ptr<Acceptor>> open(EventLoop& loop, const client::Endpoint& at, bool is_first,
                                                        Accept accept);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // The address, with the port that the system chose if the port was 0.
  const client::Endpoint& endpoint() const { return endpoint_; }

 private:
  Acceptor(EventLoop& loop, int descriptor, client::Endpoint at, Accept accept);
  void on_ready(uint32_t events) override;

  EventLoop& loop_;
  int descriptor_;
  client::Endpoint endpoint_;
  Accept accept_;
  EventLoop::Timer pause_;
};

}  // namespace millrace::gateway
