#include "client/lock/lock_server.h"

#include <poll.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "client/cluster_map.h"

namespace millrace::client {
namespace {

// The recipe of SET NX PX: only who set the value may touch it.
constexpr std::string_view kRelease =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
constexpr std::string_view kRenew =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";

constexpr int kMostHolds = 100;

// How much later than a wait's end its answer may come.
constexpr Milliseconds kPatienceBehindWait(1000);

using List = std::initializer_list<std::string_view>;

Milliseconds until_then(Moment then) {
  const auto left = std::chrono::ceil<Milliseconds>(then - std::chrono::steady_clock::now());
  return std::max(left, Milliseconds(0));
}

std::string text_of(Milliseconds time) { return std::to_string(time.count()); }

// An error reply of the server, as ours.
std::unexpected<Error> refused(const Endpoint& endpoint, const Reply& reply) {
  if (reply.is_error("MOVED")) {
    if (const auto keeper = redirection_target(reply.text, endpoint)) {
      return fail(ErrorCode::BadInput, endpoint.text() + " does not keep this lock, in its cluster " + keeper->text() +
                                           " does: name that node, redirections are not followed");
    }
  }
  return fail(ErrorCode::BadInput,
              endpoint.text() + " says: " + (reply.is_error() ? reply.text : "something unexpected"));
}

bool is_one(const Reply& reply) { return reply.kind == Reply::Kind::Integer && reply.integer == 1; }

}  // namespace

template <class Module, class Plain>
Result<Reply> LockServer::ask(Module module_words, Plain plain_words) {
  if (!connection_.is_open()) kind_ = Kind::Unknown;
  if (kind_ != Kind::Plain) {
    auto reply = module_words();
    if (!reply || !reply->is_error() || !reply->text.starts_with("ERR unknown command")) {
      kind_ = reply ? Kind::Module : Kind::Unknown;
      return reply;
    }
    kind_ = Kind::Plain;
  }
  return plain_words();
}

Result<LockServer::Answer> LockServer::acquire(const LockName& name, Milliseconds ttl) {
  const std::string time = text_of(ttl);
  const auto reply = ask(
      [&] {
        return connection_.call(List{"LOCK.ACQUIRE", name.key, name.owner, time});
      },
      [&] {
        return connection_.call(List{"SET", name.key, name.owner, "NX", "PX", time});
      });
  if (!reply) return std::unexpected(reply.error());
  if (kind_ == Kind::Plain) {
    if (reply->is_error()) return refused(endpoint(), *reply);
    return Answer{.granted = reply->kind == Reply::Kind::Status, .token = std::nullopt};
  }
  return answer_in(*reply);
}

Result<LockServer::Answer> LockServer::answer_in(const Reply& reply) const {
  if (!reply.is_array() || reply.items.size() != 4) return refused(endpoint(), reply);
  if (!is_one(reply.items[0])) return Answer{};
  return Answer{.granted = true, .token = static_cast<uint64_t>(reply.items[1].integer)};
}

Result<std::optional<LockServer::Answer>> LockServer::acquire_in_line(const LockName& name, Milliseconds ttl,
                                                                      Moment until, int stop) {
  const auto stand_there = [&]() -> Result<Reply> {
    // What opening takes is no longer there to be waited.
    if (auto opened = connection_.open(); !opened) return std::unexpected(opened.error());
    const std::string time = text_of(ttl), wait = text_of(until_then(until));
    const std::string_view words[] = {"LOCK.ACQUIRE", name.key, name.owner, time, "WAIT", wait};
    if (auto sent = connection_.send(words); !sent) return std::unexpected(sent.error());
    return wait_for_reply(until, stop);
  };
  const auto reply = ask(stand_there, [] { return Result<Reply>(Reply{}); });
  if (!reply) return std::unexpected(reply.error());
  if (kind_ == Kind::Plain) return std::nullopt;
  if (reply->kind == Reply::Kind::Nil) {
    static_cast<void>(release(name));  // the grant may have been on its way
    return Answer{};
  }
  return answer_in(*reply);
}

Result<Reply> LockServer::wait_for_reply(Moment until, int stop) {
  const Moment last = std::max(until, std::chrono::steady_clock::now()) + kPatienceBehindWait;
  while (true) {
    // A descriptor below zero is skipped by poll().
    pollfd watched[] = {{connection_.descriptor(), POLLIN, 0}, {stop, POLLIN, 0}};
    // poll() counts in an int; who waits longer looks again.
    const Milliseconds left = std::min<Milliseconds>(until_then(last), std::chrono::hours(1));
    poll(watched, std::size(watched), static_cast<int>(left.count()));
    if (watched[0].revents != 0) return connection_.receive();
    const bool is_given_up = watched[1].revents != 0;
    if (!is_given_up && left > Milliseconds(0)) continue;
    connection_.close();
    if (is_given_up) return Reply{};
    return fail(ErrorCode::TimedOut, endpoint().text() + " did not answer in time");
  }
}

Result<bool> LockServer::renew(const LockName& name, Milliseconds ttl, std::optional<uint64_t> token) {
  const std::string time = text_of(ttl);
  const auto by_module = [&] {
    if (!token) return connection_.call(List{"LOCK.RENEW", name.key, name.owner, time});
    return connection_.call(List{"LOCK.RENEW", name.key, name.owner, time, "TOKEN", std::to_string(*token)});
  };
  const auto reply = ask(by_module, [&] {
    return connection_.call(List{"EVAL", kRenew, "1", name.key, name.owner, time});
  });
  if (!reply) return std::unexpected(reply.error());
  if (reply->kind != Reply::Kind::Integer) return refused(endpoint(), *reply);
  return is_one(*reply);
}

Result<bool> LockServer::release(const LockName& name) {
  auto released = release_once(name);
  // The server may have been restarted since it was last asked; to give back twice does no harm.
  if (!released && released.error().code == ErrorCode::Closed) released = release_once(name);
  return released;
}

Result<bool> LockServer::release_once(const LockName& name) {
  bool was_held = false;
  // An acquisition whose answer was lost may have been a second hold.
  for (int i = 0; i < kMostHolds; ++i) {
    const auto reply = ask(
        [&] {
          return connection_.call(List{"LOCK.RELEASE", name.key, name.owner});
        },
        [&] {
          return connection_.call(List{"EVAL", kRelease, "1", name.key, name.owner});
        });
    if (!reply) return std::unexpected(reply.error());
    if (reply->is_error("NOTOWNER")) return was_held;
    if (reply->kind != Reply::Kind::Integer) return refused(endpoint(), *reply);
    if (kind_ == Kind::Plain) return is_one(*reply);
    was_held = true;
    if (reply->integer == 0) break;
  }
  return was_held;
}

}  // namespace millrace::client
