#include "client/sentinel.h"

#include <charconv>

#include "client/connection.h"

namespace millrace::client {
namespace {

// The reply is [host, port], or nil for a service that the sentinel does not know.
Result<Endpoint> ask_sentinel(const Endpoint& sentinel, const SentinelGroup& group, const ConnectionOptions& options) {
  Connection connection({.to = sentinel,
                         .login = group.login,
                         .tls = options.tls,
                         .connect_timeout = options.connect_timeout,
                         .answer_timeout = options.answer_timeout});
  const auto reply = connection.call({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", group.service});
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error()) {
    return fail(ErrorCode::Unreachable, "the sentinel " + sentinel.text() + " says: " + reply->text);
  }
  if (reply->items.size() != 2) {
    return fail(ErrorCode::Unreachable,
                "the sentinel " + sentinel.text() + " knows no service '" + group.service + "'");
  }
  Endpoint master{.host = reply->items[0].text};
  const std::string& port = reply->items[1].text;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), master.port);
  if (problem != std::errc() || end != port.data() + port.size()) {
    return fail(ErrorCode::Protocol, "the sentinel " + sentinel.text() + " names a port that is none: " + port);
  }
  return master;
}

}  // namespace

Result<Endpoint> find_master(const SentinelGroup& group, const ConnectionOptions& options) {
  Result<Endpoint> found = fail(ErrorCode::Unreachable, "no sentinel is named");
  for (const Endpoint& sentinel : group.sentinels) {
    found = ask_sentinel(sentinel, group, options);
    if (found) return found;
  }
  return fail(ErrorCode::Unreachable, found.error().text);
}

}  // namespace millrace::client
