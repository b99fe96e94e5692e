#include "client/connection.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace millrace::client {
namespace {

timeval timeval_of(Milliseconds time) {
  return {.tv_sec = time.count() / 1000, .tv_usec = (time.count() % 1000) * 1000};
}

Reply value_of(const redisReply& reply) {
  Reply value;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      value.kind = Reply::Kind::Integer;
      value.integer = reply.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      value.kind = reply.type == REDIS_REPLY_STRING   ? Reply::Kind::Text
                   : reply.type == REDIS_REPLY_STATUS ? Reply::Kind::Status
                                                      : Reply::Kind::Error;
      value.text.assign(reply.str, static_cast<size_t>(reply.len));
      break;
    case REDIS_REPLY_ARRAY:
      value.kind = Reply::Kind::Array;
      value.items.reserve(reply.elements);
      for (size_t i = 0; i < reply.elements; ++i) value.items.push_back(value_of(*reply.element[i]));
      break;
    default:
      break;  // nil
  }
  return value;
}

}  // namespace

void Connection::Close::operator()(redisContext* context) const { redisFree(context); }

Connection::Connection(ConnectionOptions options) : options_(std::move(options)) {}

Result<void> Connection::open() {
  if (is_open()) return {};
  if (auto connected = connect(); !connected) return connected;
  auto logged_in = log_in();
  if (!logged_in) close();
  return logged_in;
}

Result<void> Connection::connect() {
  const std::string name = options_.to.text();
  context_.reset(
      redisConnectWithTimeout(options_.to.host.c_str(), options_.to.port, timeval_of(options_.connect_timeout)));
  if (context_ == nullptr) return fail(ErrorCode::Unreachable, "no memory for a connection to " + name);
  if (context_->err != 0) {
    const std::string why = context_->errstr;
    close();
    return fail(ErrorCode::Unreachable, "cannot connect to " + name + ": " + why);
  }
  // A program that we start must not get a connection that is logged in.
  fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  // Who waits long for an answer must notice that the other machine is gone.
  redisEnableKeepAlive(context_.get());
  redisSetTimeout(context_.get(), timeval_of(options_.answer_timeout));
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
  std::vector<const char*> starts;
  std::vector<size_t> sizes;
  for (const std::string_view word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), starts.data(), sizes.data());
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return broken();
  }
  return {};
}

Result<Reply> Connection::receive() {
  if (!is_open()) return fail(ErrorCode::Closed, "the connection to " + options_.to.text() + " is closed");
  void* answer = nullptr;
  if (redisGetReply(context_.get(), &answer) != REDIS_OK) return broken();
  const std::unique_ptr<redisReply, void (*)(redisReply*)> reply(static_cast<redisReply*>(answer),
                                                                 [](redisReply* one) { freeReplyObject(one); });
  return value_of(*reply);
}

void Connection::set_answer_timeout(Milliseconds timeout) {
  options_.answer_timeout = timeout;
  if (is_open()) redisSetTimeout(context_.get(), timeval_of(timeout));
}

void Connection::close() { context_.reset(); }

int Connection::descriptor() const { return context_->fd; }

std::unexpected<Error> Connection::broken() {
  const int kind = context_->err;
  const bool timed_out = kind == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
  const std::string why = context_->errstr;
  close();
  const std::string name = options_.to.text();
  if (timed_out) return fail(ErrorCode::TimedOut, name + " did not answer in time");
  if (kind == REDIS_ERR_PROTOCOL) return fail(ErrorCode::Protocol, name + " does not speak the protocol: " + why);
  return fail(ErrorCode::Closed, "the connection to " + name + " broke: " + why);
}

}  // namespace millrace::client
