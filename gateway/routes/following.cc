#include "gateway/routes/following.h"

#include "gateway/routes/answers.h"
#include "gateway/routes/parameters.h"
#include "gateway/stream/reading.h"
#include "gateway/stream/sse_stream.h"

namespace millrace::gateway {

Task<Response> follow_topic(Services& services, ExchangePtr exchange, TopicKey topic) {
  Parameters parameters(exchange->request);
  const auto header = exchange->request.header("last-event-id");
  const std::string last = header && !header->empty() ? std::string(*header) : parameters.text("last_event_id");
  Position after;
  if (last.empty()) {
    const auto start = co_await find_start(services.upstream, topic, parameters.text("from", "$"));
    if (!start && start.error().code == client::ErrorCode::BadInput) {
      co_return error_response(400, start.error().text, "invalid");
    }
    if (!start) co_return unavailable(start.error().text);
    after = *start;
  } else if (const auto position = parse_position(topic.kind, last)) {
    after = *position;
  } else {
    co_return error_response(400, "the Last-Event-ID is invalid", "bad-position");
  }
  if (services.is_draining) co_return unavailable("the gateway is shutting down");
  SseStream::Options options{.backlog = services.config.stream_backlog, .tags = parameters.list("tags")};
  Response response{.type = "text/event-stream"};
  // nginx would keep events back until it has a buffer full of them.
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.stream = std::make_shared<SseStream>(services.topics, services.figures, std::move(topic), std::move(after),
                                                std::move(options));
  co_return response;
}

}  // namespace millrace::gateway
