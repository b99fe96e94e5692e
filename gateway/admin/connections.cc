#include "gateway/admin/connections.h"

#include <optional>
#include <utility>

#include "gateway/admin/command_words.h"
#include "gateway/admin/console_state.h"
#include "gateway/auth/authority.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

// Runs work in another loop, and continues in this one with its result.
template <class T, class Work>
auto ask_loop(Services& services, ConnectionHost& host, Work work) {
  return told<T>([&services, &host, work = std::move(work)](std::function<void(T)> done) {
    host.post([&services, &host, work, done = std::move(done)] {
      // The coroutine belongs to its own loop, which exists as long as this one: all loops end together.
      services.loop.post([done, result = work(host)] { done(result); });
    });
  });
}

// "2-17": the 17th connection of the loop 2.
std::optional<std::pair<size_t, uint64_t>> parse_id(const std::string& id, size_t loops) {
  const size_t dash = id.find('-');
  if (dash == id.npos) return std::nullopt;
  const auto loop = parse_number(id.substr(0, dash), 0, static_cast<int64_t>(loops) - 1);
  const auto number = parse_number(id.substr(dash + 1), 0, INT64_MAX);
  if (!loop || !number) return std::nullopt;
  return std::pair(static_cast<size_t>(*loop), static_cast<uint64_t>(*number));
}

}  // namespace

Task<Response> connections_page(Services& services, std::string search, std::string cursor, size_t count) {
  const std::vector<ConnectionHost*>& loops = services.console.loops;
  const auto from = cursor.empty()
                        ? std::pair<size_t, uint64_t>(0, 0)
                        : parse_id(cursor, loops.size()).value_or(std::pair<size_t, uint64_t>(loops.size(), 0));
  std::string json = "{\"items\":[";
  size_t found = 0;
  std::string last;
  for (size_t loop = from.first; loop < loops.size() && found < count; ++loop) {
    ConnectionQuestion question{search, loop == from.first ? from.second : 0, count - found};
    // Made before it is awaited: g++ 12 destroys what a temporary in the expression has captured twice.
    auto list = [question, loop](ConnectionHost& host) { return host.connections(question, loop); };
    const auto lines = co_await ask_loop<std::vector<ConnectionLine>>(services, *loops[loop], std::move(list));
    for (const ConnectionLine& line : lines) {
      json += (found++ == 0 ? "" : ",") + line.json;
      last = std::to_string(loop) + '-' + std::to_string(line.number);
    }
  }
  json += ']';
  if (found == count && found > 0) append_cursor(json, last);
  co_return json_response(json + '}');
}

Task<Response> end_connection(Services& services, std::string id) {
  const std::vector<ConnectionHost*>& loops = services.console.loops;
  const auto place = parse_id(id, loops.size());
  bool is_ended = false;
  if (place) {
    auto end = [number = place->second](ConnectionHost& host) { return host.disconnect(number); };
    is_ended = co_await ask_loop<bool>(services, *loops[place->first], std::move(end));
  }
  co_return json_response(is_ended ? "{\"ended\":1}" : "{\"ended\":0}");
}

Task<size_t> end_streams_of(Services& services, std::string token) {
  size_t ended = 0;
  for (ConnectionHost* const host : services.console.loops) {
    auto end = [token](ConnectionHost& one) { return one.end_token(token); };
    const size_t here = co_await ask_loop<size_t>(services, *host, std::move(end));
    ended += here;
  }
  co_return ended;
}

Task<bool> end_revoked_streams(Services& services) {
  std::set<std::string> tokens;
  for (ConnectionHost* const host : services.console.loops) {
    auto list = [](ConnectionHost& one) { return one.tokens(); };
    tokens.merge(co_await ask_loop<std::set<std::string>>(services, *host, std::move(list)));
  }
  for (const std::string& token : tokens) {
    Words exists = {"EXISTS", services.authority.revocation_key(token)};
    const Answer answer = co_await services.upstream.ask(std::move(exists));
    if (!answer || answer->is_error()) co_return false;
    if (answer->integer != 0) co_await end_streams_of(services, token);
  }
  co_return true;
}

}  // namespace millrace::gateway
