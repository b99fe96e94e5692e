#include "gateway/admin/live.h"

#include <functional>
#include <utility>

#include "gateway/admin/admin_routes.h"
#include "gateway/admin/console_state.h"
#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kLookAgain{1000};
constexpr size_t kMostPaths = 4;
// A limit for each loop, because each stream sends several commands per second to the server even if the page is not
// visible.
constexpr size_t kMostStreams = 256;
// The limit for one user, so that a single user cannot take all streams.
constexpr size_t kMostOfUser = 32;

// The request for a path. Null unless it is a GET below /v1/admin that is not a stream itself.
std::shared_ptr<Exchange> exchange_for(const Services& services, const std::string& target,
                                       const std::shared_ptr<const Caller>& caller, const std::string& peer) {
  Request request;
  request.method = "GET";
  if (!parse_target(target, request)) return nullptr;
  Router::Found found = services.router->find(request);
  if (found.route == nullptr || found.route->admin == nullptr || found.route->admin->handler == open_live) {
    return nullptr;
  }
  auto exchange = std::make_shared<Exchange>(std::move(request), peer, caller);
  exchange->names = std::move(found.names);
  exchange->route = found.route;
  return exchange;
}

// The same answer as for a separate request, with the same check of rights.
Task<Response> answer_for(Services& services, std::shared_ptr<Exchange> exchange) {
  const std::string_view name = exchange->names.empty() ? std::string_view() : exchange->names.front();
  if (!services.authority.may(*exchange->caller, Resource::Admin, name, Right::Read)) {
    co_return error_response(403, "the token does not allow this", "forbidden");
  }
  co_return co_await look_at(services, exchange);
}

}  // namespace

LiveStream::LiveStream(Services& services, std::shared_ptr<const Caller> caller, std::string peer,
                       std::vector<Looked> paths)
    : services_(services), caller_(std::move(caller)), peer_(std::move(peer)), paths_(std::move(paths)) {}

void LiveStream::begin(StreamSink& sink) {
  sink_ = &sink;
  ++services_.figures.streams;
  ++services_.console.streams;
  ++services_.console.streams_of[caller_->name];
  look();
}

void LiveStream::look_later() {
  timer_ = services_.loop.after(kLookAgain, [self = weak_from_this()] {
    if (const auto stream = self.lock()) stream->look();
  });
}

Detached LiveStream::look() {
  const auto self = shared_from_this();
  for (size_t i = 0; i < paths_.size() && sink_ != nullptr; ++i) {
    // While the client does not read, no commands are sent for it.
    if (sink_->unsent() > services_.config.stream_backlog) break;
    auto exchange = exchange_for(services_, paths_[i].target, caller_, peer_);
    const Response response = co_await answer_for(services_, std::move(exchange));
    if (sink_ != nullptr) tell(paths_[i], response);
  }
  if (sink_ != nullptr) look_later();
}

void LiveStream::tell(Looked& looked, const Response& response) {
  std::string_view body = response.body;
  while (body.ends_with('\n')) body.remove_suffix(1);
  const uint64_t hash = std::hash<std::string_view>{}(body) ^ static_cast<uint64_t>(response.status);
  if (looked.seen == hash) return;
  looked.seen = hash;
  std::string event = "event: state\ndata: {\"path\":";
  append_string(event, looked.target);
  event += ",\"status\":" + std::to_string(response.status) + ",\"body\":";
  event += body.empty() ? std::string_view("null") : body;
  ++services_.figures.events;
  sink_->send(event + "}\n\n");
}

void LiveStream::drain() {
  if (sink_ == nullptr) return;
  StreamSink& sink = *sink_;
  sink.send("retry: 1000\n\n");
  sink.finish();
}

bool LiveStream::keep_alive() {
  static const auto comment = std::make_shared<const std::string>(":\n\n");
  if (sink_ != nullptr && sink_->unsent() == 0) sink_->send(comment, 0, comment->size());
  return true;
}

void LiveStream::on_end() {
  if (sink_ == nullptr) return;
  sink_ = nullptr;
  --services_.figures.streams;
  --services_.console.streams;
  auto& streams_of = services_.console.streams_of;
  if (const auto mine = streams_of.find(caller_->name); --mine->second == 0) streams_of.erase(mine);
  services_.loop.cancel(timer_);
}

Task<Response> open_live(Services& services, ExchangePtr exchange) {
  std::vector<LiveStream::Looked> paths;
  for (const auto& [name, value] : exchange->request.query) {
    if (name != "path") continue;
    if (paths.size() == kMostPaths) co_return error_response(400, "at most 4 paths", "invalid");
    if (!exchange_for(services, value, exchange->caller, exchange->peer)) {
      co_return error_response(400, "'path' is not a readable path below /v1/admin", "invalid");
    }
    paths.push_back({value});
  }
  if (paths.empty()) co_return error_response(400, "expected 'path'", "invalid");
  if (services.is_draining) co_return unavailable("the gateway is shutting down");
  const auto mine = services.console.streams_of.find(exchange->caller->name);
  if (mine != services.console.streams_of.end() && mine->second >= kMostOfUser) {
    co_return error_response(429, "too many consoles of one user are open", "too-many-requests");
  }
  if (services.console.streams >= kMostStreams) co_return unavailable("too many consoles are open");
  Response response{.type = "text/event-stream"};
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.stream = std::make_shared<LiveStream>(services, exchange->caller, exchange->peer, std::move(paths));
  co_return response;
}

}  // namespace millrace::gateway
