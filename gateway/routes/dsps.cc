#include "gateway/routes/dsps.h"

#include <algorithm>

#include "gateway/config/go_duration.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/channels.h"
#include "gateway/stream/channel_poll.h"

namespace millrace::gateway {
namespace {

constexpr int64_t kUsualMax = 64;
constexpr int64_t kGreatestMax = 1'000'000;

// ^[0-9a-z][0-9a-z_-]{0,62}$
bool is_dsps_id(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 63 && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || c == '_' || c == '-'; });
}

Response invalid(std::string_view what) {
  return error_response(400, "Invalid \"" + std::string(what) + "\" parameter");
}

// Checks the names in the path, in their order; nullopt: all are valid.
std::optional<Response> wrong_ids(const Exchange& exchange, std::string_view second) {
  if (!is_dsps_id(exchange.names[0])) return invalid("channelID");
  if (!is_dsps_id(exchange.names[1])) return invalid(second);
  return std::nullopt;
}

// Like failure_of, with the codes that DSPS's client knows.
std::optional<Response> dsps_failure(const Answer& answer) {
  if (answer && answer->is_error("NOSUB")) {
    return error_response(404, "Subscription not found", "dsps.storage.subscription-not-found");
  }
  if (answer && answer->is_error("BADRECEIPT")) {
    return error_response(400, "Ack handle is malformed", "dsps.storage.ack-handle-malformed");
  }
  return failure_of(answer);
}

std::string subscriber_json(const Exchange& exchange) {
  return R"({"channelID":")" + exchange.names[0] + R"(","subscriberID":")" + exchange.names[1] + "\"}";
}

Task<Response> publish(Services& services, ExchangePtr exchange) {
  if (auto wrong = wrong_ids(*exchange, "messageID")) co_return std::move(*wrong);
  const std::string channel = exchange->names[0];
  const std::string message = exchange->names[1];
  auto content = compact_json(exchange->request.body);
  if (!content) co_return error_response(400, "Request body is not JSON");
  Words words = {"CHAN.PUBLISH", channel, message, std::move(*content)};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = dsps_failure(answer)) co_return std::move(*failed);
  co_return json_response(R"({"channelID":")" + channel + R"(","messageID":")" + message + "\"}");
}

Task<Response> subscribe(Services& services, ExchangePtr exchange) {
  if (auto wrong = wrong_ids(*exchange, "subscriberID")) co_return std::move(*wrong);
  Words words = words_to_subscribe(services, exchange->names[0], exchange->names[1]);
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = dsps_failure(answer)) co_return std::move(*failed);
  co_return json_response(subscriber_json(*exchange));
}

Task<Response> unsubscribe(Services& services, ExchangePtr exchange) {
  if (auto wrong = wrong_ids(*exchange, "subscriberID")) co_return std::move(*wrong);
  Words words = {"CHAN.UNSUBSCRIBE", exchange->names[0], exchange->names[1]};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = dsps_failure(answer)) co_return std::move(*failed);
  // Wakes a waiting poll of this channel.
  services.topics.nudge({TopicKey::Kind::Channel, exchange->names[0]});
  co_return json_response(subscriber_json(*exchange));
}

// [[[id, content], ...], receipt, more]
Response fetched(const std::string& channel, const client::Reply& reply) {
  const auto& messages = reply.items[0].items;
  std::string json = "{";
  if (!messages.empty()) {
    json += "\"ackHandle\":";
    append_string(json, reply.items[1].text);
    json += ',';
  }
  json += R"("channelID":")" + channel + R"(","messages":[)";
  for (const client::Reply& message : messages) {
    if (&message != &messages.front()) json += ',';
    json += '{';
    append_value(json, "content", message.items[1].text);
    json += ",\"messageID\":";
    append_string(json, message.items[0].text);
    json += '}';
  }
  json += std::string("],\"moreMessages\":") + (reply.items[2].integer != 0 ? "true" : "false") + '}';
  return json_response(std::move(json));
}

bool is_fetched(const client::Reply& reply) {
  return reply.items.size() == 3 && reply.items[0].is_array() &&
         std::ranges::all_of(reply.items[0].items, [](const auto& one) { return one.items.size() == 2; });
}

// Waits for messages at the server if the limit allows it, because that is faster; otherwise by the feed.
Task<Answer> fetch_waiting(Services& services, ExchangePtr exchange, Words words, Milliseconds wait) {
  if (services.upstream.has_room_to_wait()) {
    // If there are already messages, the server answers at once: one command is enough in any case.
    words.insert(words.end(), {"BLOCK", std::to_string(wait.count())});
    co_return co_await exchange->ask_waiting(services.upstream, std::move(words), wait);
  }
  const auto poll =
      std::make_shared<ChannelPoll>(services.loop, services.upstream, services.topics, std::move(words), wait);
  if (!exchange->begin_wait([poll] { poll->cancel(); })) {
    co_return client::fail(client::ErrorCode::Closed, "the gateway is shutting down");
  }
  // By reference: g++ 12 destroys the captures of a temporary in this expression twice.
  Answer answer = co_await told<Answer>([&poll](ChannelPoll::Done done) { poll->start(std::move(done)); });
  exchange->end_wait();
  co_return answer;
}

Task<Response> poll(Services& services, ExchangePtr exchange) {
  if (auto wrong = wrong_ids(*exchange, "subscriberID")) co_return std::move(*wrong);
  const auto timeout = parse_go_duration(exchange->request.parameter("timeout").value_or("0"));
  if (!timeout) co_return invalid("timeout");
  const auto given = exchange->request.parameter("max");
  const auto max = given ? parse_number(*given, 1, kGreatestMax) : kUsualMax;
  if (!max) co_return invalid("max");
  const auto wait = std::min(*timeout, services.config.longest_poll);
  Words words = {"CHAN.FETCH", exchange->names[0], exchange->names[1], "MAX", std::to_string(*max)};
  words.insert(words.end(), {"MAXBYTES", kMostAnswered});
  Answer answer = std::unexpected(client::Error{});
  if (wait > Milliseconds(0)) {
    answer = co_await fetch_waiting(services, exchange, std::move(words), wait);
  } else {
    answer = co_await services.upstream.ask(std::move(words));
  }
  if (auto failed = dsps_failure(answer)) co_return std::move(*failed);
  if (!is_fetched(*answer)) co_return error_response(500, "");
  // An empty answer before its time would make a client of DSPS sleep for the rest of it.
  const bool is_early = wait > Milliseconds(0) && exchange->is_given_up() && answer->items[0].items.empty();
  if (is_early) co_return unavailable("the gateway is shutting down");
  co_return fetched(exchange->names[0], *answer);
}

Task<Response> acknowledge(Services& services, ExchangePtr exchange) {
  if (auto wrong = wrong_ids(*exchange, "subscriberID")) co_return std::move(*wrong);
  const auto handle = exchange->request.parameter("ackHandle");
  if (!handle || handle->empty()) co_return error_response(400, "Missing \"ackHandle\" parameter");
  Words words = {"CHAN.ACK", exchange->names[0], exchange->names[1], std::string(*handle)};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = dsps_failure(answer)) co_return std::move(*failed);
  co_return Response{.status = 204};
}

}  // namespace

const std::vector<Route>& dsps_routes() {
  static const std::vector<Route> routes = {
      {"PUT", "/channel/{c}/message/{m}", publish, Resource::Channel, Right::Write, "Publishes a message (DSPS)", "",
       "channelID:string messageID:string"},
      {"PUT", "/channel/{c}/subscription/polling/{s}", subscribe, Resource::Channel, Right::Read, "Subscribes (DSPS)",
       "", "channelID:string subscriberID:string"},
      {"DELETE", "/channel/{c}/subscription/polling/{s}", unsubscribe, Resource::Channel, Right::Read,
       "Ends a subscription (DSPS)", "", "channelID:string subscriberID:string"},
      {"GET", "/channel/{c}/subscription/polling/{s}", poll, Resource::Channel, Right::Read,
       "Fetches messages, and waits for them (DSPS)", "timeout max",
       "ackHandle?:string channelID:string messages:array moreMessages:boolean"},
      {"DELETE", "/channel/{c}/subscription/polling/{s}/message", acknowledge, Resource::Channel, Right::Read,
       "Acknowledges messages (DSPS)", "ackHandle"},
  };
  return routes;
}

}  // namespace millrace::gateway
