#include "gateway/routes/connect.h"

#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/websocket/socket_stream.h"

namespace millrace::gateway {
namespace {

Task<Response> connect_socket(Services& services, ExchangePtr exchange) {
  const Request& request = exchange->request;
  if (!names_word(request.header("upgrade").value_or(""), "websocket") ||
      !names_word(request.header("connection").value_or(""), "upgrade")) {
    Response response = error_response(426, "this is a WebSocket", "upgrade-required");
    response.headers.emplace_back("Upgrade", "websocket");
    co_return response;
  }
  if (request.header("sec-websocket-version") != "13") {
    Response response = error_response(426, "expected version 13 of WebSocket", "upgrade-required");
    response.headers.emplace_back("Sec-WebSocket-Version", "13");
    co_return response;
  }
  const auto key = request.header("sec-websocket-key");
  const auto nonce = key ? base64_decoded(*key) : std::nullopt;
  if (!nonce || nonce->size() != 16 || !request.body.empty()) {
    co_return error_response(400, "invalid Sec-WebSocket-Key", "invalid");
  }
  if (services.is_draining) co_return unavailable("the gateway is shutting down");
  Response response{.status = 101, .is_upgrade = true};
  response.headers = {
      {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", websocket_accept(*key)}};
  response.stream = std::make_shared<SocketStream>(services, exchange->caller);
  co_return response;
}

}  // namespace

const std::vector<Route>& connect_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/v1/connect", connect_socket, Resource::Connect, Right::Read, "A WebSocket that follows and publishes"}};
  return routes;
}

}  // namespace millrace::gateway
