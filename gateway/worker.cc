#include "gateway/worker.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "gateway/access_log.h"
#include "gateway/admin/admin_routes.h"
#include "gateway/admin/connection_json.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/changes.h"
#include "gateway/routes/channels.h"
#include "gateway/routes/connect.h"
#include "gateway/routes/console.h"
#include "gateway/routes/dsps.h"
#include "gateway/routes/finding.h"
#include "gateway/routes/groups.h"
#include "gateway/routes/locks.h"
#include "gateway/routes/logs.h"
#include "gateway/routes/metrics.h"
#include "gateway/routes/openapi.h"
#include "gateway/routes/probes.h"
#include "gateway/routes/tokens.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kLookAfter{250};
// From the check of its token, a stream begins in this time.
constexpr Milliseconds kLongestBeginning{60'000};

UpstreamOptions upstream_options(const Shared& shared) {
  return {.server = shared.server, .most_waiting = shared.config.waiting, .answer_timeout = shared.config.answer};
}

// A client whose machine or network fails does not close its connection: bytes that are unconfirmed for this long end
// it.
void set_patience(int descriptor, Milliseconds patience) {
  const auto time = static_cast<unsigned>(patience.count());
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &time, sizeof time);
}

// The id of the caller's token, or an empty text.
std::string token_of(const Exchange& exchange) {
  if (exchange.caller == nullptr || !exchange.caller->claims) return {};
  return exchange.caller->claims->text("jti").value_or("");
}

std::string unique_feed_name() {
  uint64_t number = 0;
  getentropy(&number, sizeof number);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return std::string("gateway-") + digits;
}

}  // namespace

Worker::Worker(Shared& shared, TlsContext certificate)
    : shared_(shared),
      upstream_(loop_, shared.background, upstream_options(shared)),
      followers_(loop_, upstream_, unique_feed_name()),
      topics_(loop_, upstream_, followers_),
      console_(shared.board, shared.loops),
      services_{loop_,          shared.config, upstream_,    topics_, *shared.authority,
                shared.figures, shared.rate,   is_draining_, console_},
      certificate_(std::move(certificate)) {
  router_.add(dsps_routes(), shared.config.dsps_prefix);
  router_.add(admin_routes(), shared.config.dsps_prefix);
  router_.add(console_page_routes());
  router_.add(probe_routes());
  router_.add(ticket_routes());
  router_.add(metric_routes());
  router_.add(log_routes());
  router_.add(group_routes());
  router_.add(channel_routes());
  router_.add(connect_routes());
  router_.add(lock_routes());
  router_.add(finding_routes());
  router_.add(change_routes());
  router_.add(console_routes());
  services_.router = &router_;
  services_.openapi = openapi_json(router_);
  tick_ = loop_.after(kLookAfter, [this] { look_after(); });
  keep_alive_ = loop_.after(shared.config.keep_alive, [this] { keep_alive(); });
}

Worker::~Worker() {
  while (!connections_.empty()) connections_.pop_back();
}

void Worker::watch_server() {
  monitor_ = std::make_unique<Monitor>(services_);
  registration_ = std::make_unique<Registration>(services_);
}

client::Result<std::vector<client::Endpoint>> Worker::listen(const std::vector<client::Endpoint>& at, bool is_first) {
  std::vector<client::Endpoint> found;
  for (const client::Endpoint& endpoint : at) {
    auto acceptor = Acceptor::open(loop_, endpoint, is_first,
                                   [this](int descriptor, std::string peer) { accept(descriptor, std::move(peer)); });
    if (!acceptor) return std::unexpected(acceptor.error());
    found.push_back((*acceptor)->endpoint());
    acceptors_.push_back(std::move(*acceptor));
  }
  return found;
}

void Worker::accept(int descriptor, std::string peer) {
  Figures& figures = shared_.figures;
  if (figures.connections >= static_cast<int64_t>(shared_.config.connections)) {
    ++figures.refused;
    ::close(descriptor);
    return;
  }
  if (!shared_.rate.takes_connection(peer)) {
    ++figures.refused;
    ::close(descriptor);
    return;
  }
  std::optional<client::TlsSession> tls;
  if (certificate_) {
    auto session = client::TlsSession::serve(*certificate_, descriptor);
    if (!session) {
      shared_.rate.leave(peer);
      ::close(descriptor);
      return;
    }
    tls.emplace(std::move(*session));
  }
  set_patience(descriptor, shared_.config.timeouts.write);
  ++figures.accepted;
  ++figures.connections;
  HttpHost& host = *this;
  auto connection = std::make_unique<HttpConnection>(host, descriptor, std::move(tls), std::move(peer));
  connection->index = connections_.size();
  connection->set_number(next_number_++);
  connections_.push_back(std::move(connection));
}

void Worker::remove(HttpConnection& connection) {
  --shared_.figures.connections;
  shared_.rate.leave(connection.peer());
  const size_t index = connection.index;
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  loop_.later([gone = std::shared_ptr<HttpConnection>(std::move(connections_.back()))] {});
  connections_.pop_back();
  if (is_draining_ && acceptors_.empty() && connections_.empty()) loop_.stop();
}

std::unique_ptr<StreamNote> Worker::note_stream(const Exchange& exchange, bool is_socket) {
  auto note = std::make_unique<StreamNote>();
  note->what = exchange.request.path.substr(0, 256);
  note->is_socket = is_socket;
  if (exchange.caller == nullptr) return note;
  if (!exchange.caller->is_trusted) note->user = exchange.caller->name;
  note->token = token_of(exchange);
  return note;
}

std::vector<ConnectionLine> Worker::connections(const ConnectionQuestion& question, size_t loop) {
  std::vector<const HttpConnection*> found;
  for (const auto& connection : connections_) {
    const ConnectionNote& note = connection->note();
    if (note.number > question.after && names_connection(*connection, question.search)) {
      found.push_back(connection.get());
    }
  }
  const auto number = [](const HttpConnection* one) { return one->note().number; };
  const size_t count = std::min(question.count, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<ptrdiff_t>(count), {}, number);
  found.resize(count);
  std::vector<ConnectionLine> lines;
  for (const HttpConnection* const one : found) {
    lines.push_back({one->note().number, connection_json(*one, loop, loop_.now())});
  }
  return lines;
}

bool Worker::disconnect(uint64_t number) {
  const auto found = std::ranges::find(connections_, number, [](const auto& one) { return one->note().number; });
  if (found == connections_.end()) return false;
  (*found)->expire();
  return true;
}

size_t Worker::end_token(const std::string& id) {
  std::erase_if(ended_tokens_, [&](const auto& one) { return one.second < loop_.now(); });
  if (!id.empty()) ended_tokens_[id] = loop_.now() + kLongestBeginning;
  size_t ended = 0;
  // Backwards: when a connection ends, the last one takes its place.
  for (size_t i = connections_.size(); i-- > 0;) {
    if (i >= connections_.size()) continue;
    const StreamNote* const stream = connections_[i]->note().stream.get();
    if (stream == nullptr || stream->token != id || id.empty()) continue;
    ++ended;
    connections_[i]->expire();
  }
  return ended;
}

std::set<std::string> Worker::tokens() {
  std::set<std::string> ids;
  for (const auto& connection : connections_) {
    const StreamNote* const stream = connection->note().stream.get();
    if (stream != nullptr && !stream->token.empty()) ids.insert(stream->token);
  }
  return ids;
}

void Worker::serve(ExchangePtr exchange) { answer(std::move(exchange)); }

Detached Worker::answer(ExchangePtr exchange) {
  Response response = co_await response_to(exchange);
  if (response.stream && ended_tokens_.contains(token_of(*exchange))) {
    response = error_response(401, "the token was revoked", "unauthorized");
  }
  shared_.authority->browsers().add_headers(exchange->request, response);
  if (exchange->caller) response.until = exchange->caller->until;
  exchange->respond(std::move(response));
}

Task<Response> Worker::response_to(ExchangePtr exchange) {
  if (auto response = shared_.authority->browsers().preflight(exchange->request)) co_return std::move(*response);
  Router::Found found = router_.find(exchange->request);
  if (found.route == nullptr) {
    if (found.allowed.empty()) co_return text_response(404, "404 page not found");
    Response response = text_response(405, "405 method not allowed");
    response.headers.emplace_back("Allow", found.allowed);
    co_return response;
  }
  exchange->names = std::move(found.names);
  exchange->route = found.route;
  if (auto refusal = co_await refusal_of(exchange, found.route)) co_return std::move(*refusal);
  co_return co_await found.route->handler(services_, exchange);
}

// Why the request is refused: too many requests, or no right to do it. Empty: it is served.
Task<std::optional<Response>> Worker::refusal_of(ExchangePtr exchange, const Route* route) {
  if (route->resource == Resource::None) co_return std::nullopt;
  const auto caller = co_await shared_.authority->identify(upstream_, exchange);
  // A caller without a valid token is identified by its address.
  const std::string& client = caller ? (*caller)->name : exchange->peer;
  if (!shared_.rate.takes_request(client, loop_.now())) {
    Response response = error_response(429, "too many requests", "too-many-requests");
    response.headers.emplace_back("Retry-After", "1");
    co_return response;
  }
  const bool is_dsps = route->pattern.starts_with("/channel/") || route->pattern.starts_with("/admin/");
  const std::string_view name = exchange->names.empty() ? std::string_view() : exchange->names.front();
  using Access = Authority::Access;
  const Access access =
      caller ? shared_.authority->access(**caller, route->resource, name, route->right) : Access::Forbidden;
  if (access == Access::NoSuchChannel) co_return error_response(400, "Invalid channel", "dsps.storage.invalid-channel");
  if (access == Access::Allowed) {
    exchange->caller = *caller;
    co_return std::nullopt;
  }
  if (!caller && caller.error().status == 503) co_return caller.error();
  if (is_dsps) co_return error_response(403, "Unauthorized", "dsps.auth.rejected");
  if (!caller) co_return caller.error();
  if ((*caller)->claims) co_return error_response(403, "the token does not allow this", "forbidden");
  Response response = error_response(401, "a token is needed", "unauthorized");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  co_return response;
}

void Worker::note_response(const Request& request, const std::string& peer, const Response& response,
                           Milliseconds took) {
  ++shared_.figures.requests[static_cast<size_t>(response.status / 100) % 6];
  if (shared_.figures.writes_access_log) {
    write_access(shared_.config.access_log == "json", request, peer, response, took);
  }
}

void Worker::look_after() {
  // Backwards: when a connection ends, the last one takes its place.
  for (size_t i = connections_.size(); i-- > 0;) {
    if (i < connections_.size()) connections_[i]->check_deadline(loop_.now());
  }
  tick_ = loop_.after(kLookAfter, [this] { look_after(); });
}

void Worker::keep_alive() {
  for (size_t i = connections_.size(); i-- > 0;) {
    if (i < connections_.size()) connections_[i]->keep_alive();
  }
  keep_alive_ = loop_.after(shared_.config.keep_alive, [this] { keep_alive(); });
}

void Worker::use_certificate(TlsContext context) {
  loop_.post([this, context = std::move(context)] { certificate_ = context; });
}

void Worker::drain() {
  loop_.post([this] { begin_drain(); });
}

void Worker::begin_drain() {
  if (is_draining_) return;
  is_draining_ = true;
  if (registration_) registration_->leave();
  loop_.after(shared_.config.drain_notice, [this] { end_drain(); });
}

void Worker::end_drain() {
  acceptors_.clear();
  for (size_t i = connections_.size(); i-- > 0;) {
    if (i < connections_.size()) connections_[i]->drain();
  }
  if (connections_.empty()) return loop_.stop();
  loop_.after(shared_.config.drain, [this] { loop_.stop(); });
}

}  // namespace millrace::gateway
