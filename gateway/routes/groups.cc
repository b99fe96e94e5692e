#include "gateway/routes/groups.h"

#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/parameters.h"

namespace millrace::gateway {
namespace {

constexpr int64_t kMostTaken = 10'000;
constexpr Milliseconds kUsualLease{60'000};
constexpr Milliseconds kLongestLease{4'294'967'295};
constexpr Milliseconds kLongestDelay{140'737'488'355'328};

bool is_offsets(std::string_view text) {
  return !text.empty() && text.size() <= 40 && text.find_first_not_of("0123456789-") == text.npos;
}

// Appends the offsets of ?offsets=1,2,5-9, or of a body {"offsets":[1,2,"5-9"]}, to the words. Returns an error
// response if they are wrong.
std::optional<Response> append_offsets(Words& words, const Request& request, Parameters& parameters) {
  std::vector<std::string> offsets = parameters.list("offsets");
  if (offsets.empty()) {
    const auto body = JsonObject::parse(request.body);
    const auto items = body ? json_items(body->raw("offsets").value_or("")) : std::nullopt;
    for (const std::string_view item : items.value_or(std::vector<std::string_view>())) {
      offsets.push_back(json_string_value(item).value_or(std::string(item)));
    }
  }
  for (std::string& offset : offsets) {
    if (!is_offsets(offset)) parameters.refuse("offsets", "numbers and ranges such as 5-9");
    words.push_back(std::move(offset));
  }
  if (offsets.empty()) parameters.refuse("offsets", R"(?offsets=1,2,5-9 or a body {"offsets":[1,2,"5-9"]})");
  return parameters.wrong();
}

void append_consumer(Words& words, Parameters& parameters) {
  if (const std::string consumer = parameters.text("consumer"); !consumer.empty()) {
    words.insert(words.end(), {"CONSUMER", consumer});
  }
}

// [[offset, tag, entry, attempts, time], ...]
Response taken(const client::Reply& reply) {
  std::string json = "{\"messages\":[";
  for (const client::Reply& message : reply.items) {
    const auto& item = message.items;
    if (item.size() < 5) continue;
    if (json.back() != '[') json += ',';
    json += "{\"offset\":" + std::to_string(item[0].integer) + ",\"tag\":";
    append_string(json, item[1].text);
    json += ',';
    append_value(json, "entry", item[2].text);
    json += ",\"attempts\":" + std::to_string(item[3].integer) + ",\"time\":" + std::to_string(item[4].integer) + '}';
  }
  return json_response(json + "]}");
}

// For a client that disconnected before its messages came: another client gets them at once, and no attempt is counted.
void give_back(Upstream& upstream, const std::vector<std::string>& names, const client::Reply& reply) {
  Words words = {"TNACK", names[0], names[1], "UNCOUNTED"};
  for (const client::Reply& message : reply.items) {
    if (!message.items.empty()) words.push_back(std::to_string(message.items[0].integer));
  }
  upstream.call(std::move(words), 1, [](const Answer&) {});
}

Task<Response> take(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const int64_t count = parameters.number("count", 1, 1, kMostTaken);
  const Milliseconds wait = parameters.time("wait", Milliseconds(0), services.config.longest_poll);
  const Milliseconds lease = parameters.time("lease", kUsualLease, kLongestLease);
  if (lease < Milliseconds(1)) parameters.refuse("lease", "a time such as 60s");
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"TREADGROUP", exchange->names[0], "1", std::to_string(count), "GROUP", exchange->names[1], "RETRY"};
  words.insert(words.end(), {std::to_string(lease.count()), "0", "WITHATTEMPTS", "WITHTIME"});
  words.insert(words.end(), {"MAXBYTES", kMostAnswered});
  append_consumer(words, parameters);
  Answer answer = co_await services.upstream.ask(words);
  const bool waits = answer && answer->is_array() && answer->items.empty() && wait > Milliseconds(0);
  if (waits) {
    words.insert(words.end(), {"BLOCK", std::to_string(wait.count())});
    answer = co_await exchange->ask_waiting(services.upstream, std::move(words), wait);
  }
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  // A client that has closed its side while it waited has most likely disconnected: the gateway cannot see whether it
  // still reads.
  const bool is_lost = waits ? exchange->is_given_up() : exchange->is_gone();
  if (!is_lost) co_return taken(*answer);
  if (!answer->items.empty()) give_back(services.upstream, exchange->names, *answer);
  co_return unavailable("the client no longer waits for the answer");
}

Task<Response> acknowledge_offsets(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  Words words = {"TACK", exchange->names[0], exchange->names[1]};
  append_consumer(words, parameters);
  if (auto wrong = append_offsets(words, exchange->request, parameters)) co_return std::move(*wrong);
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"acknowledged\":" + std::to_string(answer->integer) + '}');
}

Task<Response> give_back_messages(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  Words words = {"TNACK", exchange->names[0], exchange->names[1]};
  append_consumer(words, parameters);
  const Milliseconds delay = parameters.time("delay", Milliseconds(0), kLongestDelay);
  if (delay > Milliseconds(0)) words.insert(words.end(), {"DELAY", std::to_string(delay.count())});
  if (parameters.is_on("uncounted")) words.emplace_back("UNCOUNTED");
  if (const std::string reason = parameters.text("dead"); !reason.empty()) words.insert(words.end(), {"DEAD", reason});
  if (auto wrong = append_offsets(words, exchange->request, parameters)) co_return std::move(*wrong);
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"returned\":" + std::to_string(answer->integer) + '}');
}

Task<Response> extend(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  Words words = {"TEXTEND", exchange->names[0], exchange->names[1]};
  append_consumer(words, parameters);
  const Milliseconds lease = parameters.time("lease", kUsualLease, kLongestLease);
  if (lease < Milliseconds(1)) parameters.refuse("lease", "a time such as 60s");
  words.push_back(std::to_string(lease.count()));
  if (auto wrong = append_offsets(words, exchange->request, parameters)) co_return std::move(*wrong);
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"extended\":" + std::to_string(answer->integer) + '}');
}

}  // namespace

const std::vector<Route>& group_routes() {
  static const std::vector<Route> routes = {
      {"POST", "/v1/logs/{log}/groups/{group}/take", take, Resource::Log, Right::Write, "Takes messages for a time",
       "count wait lease consumer", "messages:array"},
      {"POST", "/v1/logs/{log}/groups/{group}/ack", acknowledge_offsets, Resource::Log, Right::Write,
       "Acknowledges messages", "offsets consumer", "acknowledged:integer"},
      {"POST", "/v1/logs/{log}/groups/{group}/nack", give_back_messages, Resource::Log, Right::Write,
       "Gives messages back, or up", "offsets consumer delay uncounted dead", "returned:integer"},
      {"POST", "/v1/logs/{log}/groups/{group}/extend", extend, Resource::Log, Right::Write, "Keeps messages for longer",
       "offsets consumer lease", "extended:integer"},
  };
  return routes;
}

}  // namespace millrace::gateway
