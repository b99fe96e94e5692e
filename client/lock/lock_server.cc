#include "client/lock/lock_server.h"

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "client/cluster_map.h"

namespace millrace::client {
namespace {

// The recipe of SET NX PX: only the client that set the value may change or delete it.
constexpr std::string_view kRelease =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
constexpr std::string_view kRenew =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";

constexpr int kMostHolds = 100;

// How many redirects of a cluster one command follows.
constexpr int kMostRedirections = 5;

Milliseconds until_then(Moment then) {
  const auto left = std::chrono::ceil<Milliseconds>(then - std::chrono::steady_clock::now());
  return std::max(left, Milliseconds(0));
}

std::string text_of(Milliseconds time) { return std::to_string(time.count()); }

// Converts an error reply of the server to an Error.
std::unexpected<Error> refused(const Endpoint& endpoint, const Reply& reply) {
  return fail(ErrorCode::Unreachable,
              endpoint.text() + " says: " + (reply.is_error() ? reply.text : "something unexpected"));
}

bool is_one(const Reply& reply) { return reply.kind == Reply::Kind::Integer && reply.integer == 1; }

// The value of "run_id:" in the answer to INFO: random, new at each start of a server.
std::string run_id_in(std::string_view info) {
  constexpr std::string_view kField = "run_id:";
  const size_t at = info.find(kField);
  if (at == info.npos) return {};
  info.remove_prefix(at + kField.size());
  return std::string(info.substr(0, info.find_first_of("\r\n")));
}

std::vector<std::string> acquiring_words(const LockName& name, Milliseconds ttl) {
  std::vector<std::string> words = {"LOCK.ACQUIRE", name.key, name.owner, text_of(ttl)};
  if (name.mode.is_shared) words.emplace_back("SHARED");
  if (name.mode.permits != 1) words.insert(words.end(), {"LIMIT", std::to_string(name.mode.permits)});
  return words;
}

}  // namespace

LockServer::LockServer(ConnectionOptions options, Milliseconds patience, bool is_one_of_several)
    : home_(std::move(options)), connection_(home_), patience_(patience), is_one_of_several_(is_one_of_several) {}

Result<void> LockServer::send(const Texts& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return connection_.send(views);
}

void LockServer::go_home() {
  if (!is_redirected_) return;
  is_redirected_ = false;
  connection_ = Connection(home_);
}

Result<void> LockServer::open() {
  if (connection_.is_open()) return {};
  kind_ = Kind::Unknown;
  identity_.clear();
  auto opened = connection_.open();
  if (!opened || !is_one_of_several_) return opened;
  const auto about = connection_.call({"INFO", "server"});
  if (!about) return std::unexpected(about.error());
  // A user without the right to run INFO gets an error; the identity stays unknown.
  if (about->kind == Reply::Kind::Text) identity_ = run_id_in(about->text);
  return {};
}

template <class MakeWords, class Receive>
Result<Reply> LockServer::ask_keeper(MakeWords make_words, Receive receive) {
  bool is_asking = false;  // the slot is moving, and its new node needs ASKING first
  for (int i = 0;; ++i) {
    connection_.set_deadline(std::chrono::steady_clock::now() + patience_);
    auto done = open();
    if (done && is_asking) {
      if (const auto asked = connection_.call({"ASKING"}); !asked) done = std::unexpected(asked.error());
    }
    if (done) done = send(make_words());
    auto reply = done ? receive() : Result<Reply>(std::unexpected(done.error()));
    if (!reply) {
      go_home();
      return reply;
    }
    is_asking = reply->is_error("ASK");
    if (!is_asking && !reply->is_error("MOVED")) return reply;
    const auto keeper = redirection_target(reply->text, endpoint());
    if (!keeper || i == kMostRedirections) return reply;
    connection_.redirect(*keeper);
    is_redirected_ = true;
  }
}

Result<Reply> LockServer::ask(const Texts& module_words, const Texts& plain_words) {
  const auto receive = [this] { return connection_.receive(); };
  if (!connection_.is_open()) kind_ = Kind::Unknown;
  if (kind_ != Kind::Plain) {
    auto reply = ask_keeper([&] { return module_words; }, receive);
    if (!reply || !reply->is_error() || !reply->text.starts_with("ERR unknown command")) {
      kind_ = reply ? Kind::Module : Kind::Unknown;
      return reply;
    }
    kind_ = Kind::Plain;
  }
  return ask_keeper([&] { return plain_words; }, receive);
}

Result<LockServer::Answer> LockServer::acquire(const LockName& name, Milliseconds ttl) {
  const auto reply = ask(acquiring_words(name, ttl), {"SET", name.key, name.owner, "NX", "PX", text_of(ttl)});
  if (!reply) return std::unexpected(reply.error());
  if (kind_ != Kind::Plain) return answer_in(*reply);
  if (reply->is_error()) return refused(endpoint(), *reply);
  const Answer answer = answered(reply->kind == Reply::Kind::Status);
  if (name.mode.is_plain()) return answer;
  if (answer.granted) static_cast<void>(release(name));
  return fail(ErrorCode::BadInput,
              endpoint().text() + " has no Millrace module, without which a lock has one holder at a time");
}

Result<LockServer::Answer> LockServer::answer_in(const Reply& reply) const {
  if (!reply.is_array() || reply.items.size() != 4) return refused(endpoint(), reply);
  Answer answer = answered(is_one(reply.items[0]));
  if (answer.granted) answer.token = static_cast<uint64_t>(reply.items[1].integer);
  return answer;
}

Result<std::optional<LockServer::Answer>> LockServer::acquire_in_line(const LockName& name, Milliseconds ttl,
                                                                      Moment until, int stop) {
  if (has_line() == false) return std::nullopt;
  // Time that was spent on opening the connection, or at another node, is subtracted from the wait.
  const auto words = [&] {
    Texts all = acquiring_words(name, ttl);
    all.insert(all.end(), {"WAIT", text_of(until_then(until))});
    return all;
  };
  const auto reply = ask_keeper(words, [&] { return wait_for_reply(until, stop); });
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error() && reply->text.starts_with("ERR unknown command")) {
    kind_ = Kind::Plain;
    return std::nullopt;
  }
  kind_ = Kind::Module;
  if (reply->kind == Reply::Kind::Nil) {
    static_cast<void>(release(name));  // the grant may have been on its way
    return Answer{};
  }
  return answer_in(*reply);
}

Result<Reply> LockServer::wait_for_reply(Moment until, int stop) {
  const Moment last = std::max(until, std::chrono::steady_clock::now()) + kPatienceBehindWait;
  while (true) {
    // A readable descriptor does not mean that there is an answer: TLS sends its own messages.
    auto reply = connection_.receive_some();
    if (!reply) return std::unexpected(reply.error());
    if (*reply) return std::move(**reply);
    // A descriptor below zero is skipped by poll().
    pollfd watched[] = {{connection_.descriptor(), POLLIN, 0}, {stop, POLLIN, 0}};
    // poll() takes an int, so a longer wait is made of several calls.
    const Milliseconds left = std::min<Milliseconds>(until_then(last), std::chrono::hours(1));
    poll(watched, std::size(watched), static_cast<int>(left.count()));
    const bool is_given_up = watched[1].revents != 0 && watched[0].revents == 0;
    if (!is_given_up && left > Milliseconds(0)) continue;
    connection_.close();
    if (is_given_up) return Reply{};
    return fail(ErrorCode::TimedOut, endpoint().text() + " did not answer in time");
  }
}

Result<LockServer::Answer> LockServer::renew(const LockName& name, Milliseconds ttl, std::optional<uint64_t> token) {
  const std::string time = text_of(ttl);
  Texts by_module = {"LOCK.RENEW", name.key, name.owner, time};
  if (token) by_module.insert(by_module.end(), {"TOKEN", std::to_string(*token)});
  const auto reply = ask(by_module, {"EVAL", std::string(kRenew), "1", name.key, name.owner, time});
  if (!reply) return std::unexpected(reply.error());
  if (reply->kind != Reply::Kind::Integer) return refused(endpoint(), *reply);
  return answered(is_one(*reply));
}

Result<LockServer::Answer> LockServer::release(const LockName& name) {
  auto released = release_once(name);
  // The server may have been restarted since the last command. Releasing twice does no harm.
  if (!released && released.error().code == ErrorCode::Closed) released = release_once(name);
  return released;
}

Result<LockServer::Answer> LockServer::release_once(const LockName& name) {
  bool was_held = false;
  // An acquisition whose answer was lost may have been a second hold.
  for (int i = 0; i < kMostHolds; ++i) {
    const auto reply =
        ask({"LOCK.RELEASE", name.key, name.owner}, {"EVAL", std::string(kRelease), "1", name.key, name.owner});
    if (!reply) return std::unexpected(reply.error());
    if (reply->is_error("NOTOWNER")) return answered(was_held);
    if (reply->kind != Reply::Kind::Integer) return refused(endpoint(), *reply);
    if (kind_ == Kind::Plain) return answered(is_one(*reply));
    was_held = true;
    if (reply->integer == 0) break;
  }
  return answered(was_held);
}

}  // namespace millrace::client
