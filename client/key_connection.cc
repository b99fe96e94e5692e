#include "client/key_connection.h"

#include <utility>

#include "client/cluster_map.h"

namespace millrace::client {
namespace {

// How many redirects one command follows.
constexpr int kMostRedirections = 5;

}  // namespace

Result<Reply> KeyConnection::call(Words words) {
  for (int i = 0;; ++i) {
    auto reply = connection_.call(words);
    if (!reply) {
      close();
      return reply;
    }
    // By now, the sentinels know the new master.
    if (home_.sentinels && reply->is_error("READONLY")) close();
    const bool is_asking = reply->is_error("ASK");
    if ((!is_asking && !reply->is_error("MOVED")) || i == kMostRedirections) return reply;
    const auto there = redirection_target(reply->text, connection_.endpoint());
    if (!there) return reply;
    connection_.redirect(*there);
    is_redirected_ = true;
    if (!is_asking) continue;
    if (auto asked = connection_.call({"ASKING"}); !asked) return asked;
  }
}

Result<std::vector<Reply>> KeyConnection::call_all(const std::vector<std::vector<std::string_view>>& commands) {
  std::vector<Reply> replies;
  replies.reserve(commands.size());
  const auto failed = [this](const Error& error) {
    close();
    return std::unexpected(error);
  };
  for (const auto& words : commands) {
    if (auto sent = connection_.send(words); !sent) return failed(sent.error());
  }
  while (replies.size() < commands.size()) {
    auto reply = connection_.receive();
    if (!reply) return failed(reply.error());
    replies.push_back(std::move(*reply));
  }
  return replies;
}

void KeyConnection::close() {
  connection_.close();
  if (!std::exchange(is_redirected_, false)) return;
  connection_ = Connection(home_);
}

}  // namespace millrace::client
