#include "client/connection.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "client/protocol.h"

namespace millrace::client {
namespace {

bool must_wait(Transfer::Kind kind) { return kind == Transfer::Kind::MustRead || kind == Transfer::Kind::MustWrite; }

}  // namespace

Connection::Connection(ConnectionOptions options) : options_(std::move(options)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Result<void> Connection::open() {
  if (is_open()) return {};
  auto opened = find_endpoint();
  if (opened) opened = connect();
  if (opened) opened = log_in();
  if (opened) opened = require_master();
  if (!opened) close();
  return opened;
}

Result<void> Connection::open_within(Milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (Milliseconds pause(50);; pause = std::min(pause * 2, Milliseconds(2000))) {
    auto opened = open();
    if (opened || opened.error().code == ErrorCode::BadInput) return opened;
    const auto left = std::chrono::ceil<Milliseconds>(end - std::chrono::steady_clock::now());
    if (left <= Milliseconds(0)) return opened;
    // It is over early only if a signal came.
    if (poll(nullptr, 0, static_cast<int>(std::min(pause, left).count())) < 0) return opened;
  }
}

Result<void> Connection::find_endpoint() {
  if (!options_.sentinels) return {};
  ConnectionOptions limited = options_;
  limited.connect_timeout = within_deadline(options_.connect_timeout);
  limited.answer_timeout = std::max(within_deadline(options_.answer_timeout), Milliseconds(0));
  const auto master = find_master(*options_.sentinels, limited);
  if (!master) return std::unexpected(master.error());
  options_.to = *master;
  return {};
}

Result<void> Connection::connect() {
  auto socket = Socket::connect(options_.to, options_.tls, within_deadline(options_.connect_timeout));
  if (!socket) return std::unexpected(socket.error());
  socket_ = std::move(*socket);
  replies_.emplace();
  return {};
}

Result<void> Connection::log_in() {
  const Login& login = options_.login;
  if (!login.user.empty() || !login.password.empty()) {
    auto done =
        login.user.empty() ? require_ok({"AUTH", login.password}) : require_ok({"AUTH", login.user, login.password});
    if (!done) return done;
  }
  if (login.database != 0) return require_ok({"SELECT", std::to_string(login.database)});
  return {};
}

// During a failover the sentinels may still name the old master, which is a replica by then. If the user has no right
// to check that, the server is accepted.
Result<void> Connection::require_master() {
  if (!options_.sentinels) return {};
  const auto role = call({"ROLE"});
  if (!role) return std::unexpected(role.error());
  if (!role->is_array() || role->items.empty() || role->items[0].text == "master") return {};
  return fail(ErrorCode::Unreachable,
              options_.to.text() + " is no longer the master of " + options_.sentinels->service);
}

Result<void> Connection::require_ok(std::initializer_list<std::string_view> words) {
  auto reply = call(words);
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error()) {
    return fail(ErrorCode::Unreachable, options_.to.text() + " does not let us in: " + reply->text);
  }
  return {};
}

Result<Reply> Connection::call(Words words) {
  if (auto sent = send(words); !sent) return std::unexpected(sent.error());
  return receive();
}

Result<void> Connection::send(Words words) {
  if (auto opened = open(); !opened) return opened;
  unsent_.resize(most_protocol_bytes(words));
  std::string_view left(unsent_.data(), static_cast<size_t>(write_protocol(unsent_.data(), words) - unsent_.data()));
  while (!left.empty()) {
    const Transfer sent = socket_->write(left);
    if (sent.kind == Transfer::Kind::Done) {
      left.remove_prefix(sent.bytes);
    } else if (!wait_for(sent.kind)) {
      return broken(sent);
    }
  }
  return {};
}

Result<Reply> Connection::receive() {
  for (;;) {
    Transfer why_not{Transfer::Kind::Done};
    auto reply = read_reply(why_not);
    if (!reply) return std::unexpected(reply.error());
    if (*reply) return std::move(**reply);
    if (!wait_for(why_not.kind)) return broken(why_not);
  }
}

Result<std::optional<Reply>> Connection::receive_some() {
  Transfer why_not{Transfer::Kind::Done};
  auto reply = read_reply(why_not);
  if (!reply || *reply || must_wait(why_not.kind)) return reply;
  return broken(why_not);
}

// The next reply, if it is complete; otherwise nullopt, and in `why_not` why no more can be read now.
Result<std::optional<Reply>> Connection::read_reply(Transfer& why_not) {
  if (!is_open()) return fail(ErrorCode::Closed, "the connection to " + options_.to.text() + " is closed");
  for (;;) {
    auto reply = replies_->next();
    if (!reply) {
      close();
      return fail(ErrorCode::Protocol, options_.to.text() + " does not speak the protocol: " + reply.error().text);
    }
    if (*reply) return std::move(*reply);
    char bytes[64 << 10];  // a frame of messages is some hundred thousand bytes
    why_not = socket_->read(bytes, sizeof bytes);
    if (why_not.kind != Transfer::Kind::Done) return std::nullopt;
    replies_->feed({bytes, why_not.bytes});
  }
}

// False if there is nothing to wait for, or the time is over.
bool Connection::wait_for(Transfer::Kind kind) const {
  return must_wait(kind) && socket_->wait_for(kind, within_deadline(options_.answer_timeout));
}

Milliseconds Connection::within_deadline(Milliseconds timeout) const {
  if (!deadline_) return timeout > Milliseconds(0) ? timeout : Milliseconds(-1);
  const auto left = std::chrono::ceil<Milliseconds>(*deadline_ - std::chrono::steady_clock::now());
  const Milliseconds rest = std::max(left, Milliseconds(0));
  return timeout > Milliseconds(0) ? std::min(rest, timeout) : rest;
}

void Connection::set_answer_timeout(Milliseconds timeout) { options_.answer_timeout = timeout; }

void Connection::redirect(Endpoint to) {
  close();
  options_.to = std::move(to);
  options_.sentinels.reset();
}

void Connection::close() {
  socket_.reset();
  replies_.reset();
}

int Connection::descriptor() const { return socket_->descriptor(); }

std::unexpected<Error> Connection::broken(const Transfer& transfer) {
  close();
  const std::string name = options_.to.text();
  switch (transfer.kind) {
    case Transfer::Kind::Closed:
      return fail(ErrorCode::Closed, "the connection to " + name + " broke: the server closed it");
    case Transfer::Kind::Failed:
      return fail(ErrorCode::Closed, "the connection to " + name + " broke: " + transfer.why);
    default:
      return fail(ErrorCode::TimedOut, name + " did not answer in time");
  }
}

}  // namespace millrace::client
