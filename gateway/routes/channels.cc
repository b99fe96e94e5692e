#include "gateway/routes/channels.h"

#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/following.h"
#include "gateway/routes/parameters.h"
#include "gateway/stream/batch.h"
#include "gateway/stream/reading.h"
#include "gateway/stream/subscriber_stream.h"

namespace millrace::gateway {
namespace {

constexpr int64_t kMostRead = 10'000;

Task<Response> put_message(Services& services, ExchangePtr exchange) {
  Words words = {"CHAN.PUBLISH", exchange->names[0], exchange->names[1], exchange->request.body};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->is_nil()) co_return json_response(R"({"duplicate":true})");
  co_return json_response("{\"clock\":" + std::to_string(answer->integer) + '}', 201);
}

// [[[position, id, content], ...], position, more, missed]
Response channel_json(const Reading& reading, int64_t missed) {
  std::string json = "{\"messages\":[";
  const TopicKey topic{TopicKey::Kind::Channel, {}};
  for (const Message& message : reading.messages) {
    if (json.back() != '[') json += ',';
    json += "{\"position\":\"" + message.position.text + "\",";
    append_message(json, topic, message);
    json += '}';
  }
  json += "],\"missed\":" + std::to_string(missed) + ",\"more\":" + (reading.has_more ? "true" : "false");
  json += ",\"position\":";
  if (reading.position.text.empty()) return json_response(json + "null}");
  return json_response(json + '"' + reading.position.text + "\"}");
}

// The first message as it is.
Response first_message(const Reading& reading) {
  if (reading.messages.empty()) return error_response(404, "no message", "no-message");
  const Message& message = reading.messages.front();
  Response response{.body = message.content, .type = "application/octet-stream"};
  response.headers.emplace_back("Millrace-Position", message.position.text);
  response.headers.emplace_back("Millrace-Message", header_text(message.label));
  return response;
}

// With receipts: the subscriber is created if it does not exist.
Task<Response> follow_as_subscriber(Services& services, ExchangePtr exchange, std::string subscriber) {
  const TopicKey topic{TopicKey::Kind::Channel, exchange->names[0]};
  Words words = words_to_subscribe(services, topic.name, subscriber);
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  const auto now = co_await find_start(services.upstream, topic, "$");
  if (!now || services.is_draining) co_return unavailable(now ? "the gateway is shutting down" : now.error().text);
  Response response{.type = "text/event-stream"};
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.stream = std::make_shared<SubscriberStream>(services.loop, services.upstream, services.topics,
                                                       services.figures, topic.name, std::move(subscriber), *now);
  co_return response;
}

Task<Response> read_channel(Services& services, ExchangePtr exchange) {
  const TopicKey topic{TopicKey::Kind::Channel, exchange->names[0]};
  Parameters parameters(exchange->request);
  if (wants_events(exchange->request)) {
    std::string subscriber = parameters.text("subscriber");
    if (subscriber.empty()) co_return co_await follow_topic(services, exchange, topic);
    co_return co_await follow_as_subscriber(services, exchange, std::move(subscriber));
  }
  const bool as_bytes = wants_bytes(exchange->request);
  const int64_t count = as_bytes ? 1 : parameters.number("count", 100, 1, kMostRead);
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"CHAN.READ", topic.name, parameters.text("from", "-"), "MAX", std::to_string(count)};
  words.insert(words.end(), {"MAXBYTES", kMostAnswered});
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  const auto reading = reading_of(topic, {}, *answer);
  if (!reading) co_return unavailable(reading.error().text);
  co_return as_bytes ? first_message(*reading) : channel_json(*reading, answer->items[3].integer);
}

Task<Response> acknowledge_receipt(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const auto body = JsonObject::parse(exchange->request.body);
  const auto given = [&](std::string_view name) {
    return parameters.text(name, body ? body->text(name).value_or("") : "");
  };
  Words words = {"CHAN.ACK", exchange->names[0], given("subscriber"), given("receipt")};
  if (words[2].empty()) parameters.refuse("subscriber", "the name of the subscriber");
  if (words[3].empty()) parameters.refuse("receipt", "what came with the messages");
  if (parameters.wrong()) co_return *parameters.wrong();
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  services.topics.nudge({TopicKey::Kind::Channel, exchange->names[0]});
  co_return json_response("{\"acknowledged\":" + std::to_string(answer->integer) + '}');
}

}  // namespace

Words words_to_subscribe(const Services& services, const std::string& channel, const std::string& subscriber) {
  Words words = {"CHAN.SUBSCRIBE", channel, subscriber};
  const Milliseconds expire = services.authority.channel_expiry(channel);
  if (expire > Milliseconds(0)) words.insert(words.end(), {"EXPIRE", std::to_string(expire.count())});
  return words;
}

const std::vector<Route>& channel_routes() {
  static const std::vector<Route> routes = {
      {"PUT", "/v1/channels/{channel}/messages/{id}", put_message, Resource::Channel, Right::Write,
       "Publishes a message", "", "clock:integer"},
      {"GET", "/v1/channels/{channel}", read_channel, Resource::Channel, Right::Read,
       "Reads a channel, or follows it as text/event-stream", "from count last_event_id subscriber",
       "messages:array missed:integer more:boolean position:string"},
      {"POST", "/v1/channels/{channel}/ack", acknowledge_receipt, Resource::Channel, Right::Read,
       "Acknowledges messages of a subscriber", "subscriber receipt"},
  };
  return routes;
}

}  // namespace millrace::gateway
