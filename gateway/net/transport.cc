#include "gateway/net/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace millrace::gateway {

using client::Transfer;

Transport::~Transport() {
  session_.reset();
  ::close(descriptor_);
}

Transfer Transport::read(char* to, size_t room) {
  if (session_) return session_->read(to, room);
  const ssize_t got = ::recv(descriptor_, to, room, 0);
  if (got > 0) return {Transfer::Kind::Done, static_cast<size_t>(got)};
  if (got == 0) return {Transfer::Kind::Closed};
  if (errno == EAGAIN || errno == EINTR) return {Transfer::Kind::MustRead};
  return {Transfer::Kind::Failed, 0, std::strerror(errno)};
}

Transfer Transport::write(std::string_view bytes) {
  if (session_) return session_->write(bytes);
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {Transfer::Kind::Done, static_cast<size_t>(sent)};
  if (errno == EAGAIN || errno == EINTR) return {Transfer::Kind::MustWrite};
  return {Transfer::Kind::Failed, 0, std::strerror(errno)};
}

void Transport::finish() {
  if (session_) session_->say_farewell();
  ::shutdown(descriptor_, SHUT_WR);
}

}  // namespace millrace::gateway
