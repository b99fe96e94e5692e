#include "gateway/routes/logs.h"

#include "gateway/config/go_duration.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/following.h"
#include "gateway/routes/parameters.h"
#include "gateway/stream/batch.h"

namespace millrace::gateway {
namespace {

constexpr int64_t kUsualCount = 100;
constexpr int64_t kMostCount = 10'000;
constexpr size_t kMostLines = 10'000;

// --- writing ---

// Appends the pairs of tag and entry of NDJSON to the words. Returns what is wrong; nullopt: nothing.
std::optional<std::string> append_lines(Words& words, std::string_view body) {
  size_t number = 0;
  while (!body.empty()) {
    const size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto object = JsonObject::parse(line);
    auto entry = object ? value_in(*object, "entry") : std::nullopt;
    const auto tag = object && object->raw("tag") ? object->text("tag") : std::optional<std::string>("");
    if (!entry || !tag) return "line " + std::to_string(number) + R"( is not {"tag":"…","entry":…})";
    words.push_back(*tag);
    words.push_back(std::move(*entry));
    if (number > kMostLines) return "more than " + std::to_string(kMostLines) + " lines";
  }
  if (number == 0) return "the body has no line";
  return std::nullopt;
}

Task<Response> write_log(Services& services, ExchangePtr exchange) {
  const Request& request = exchange->request;
  Words words = {"TWRITE", exchange->names[0]};
  if (const auto id = request.header("idempotency-key")) words.insert(words.end(), {"ID", std::string(*id)});
  const auto delay_text = request.header("millrace-delay");
  if (delay_text) {
    const auto delay = parse_go_duration(*delay_text);
    if (!delay) co_return error_response(400, "invalid Millrace-Delay: expected a time such as 30s", "invalid");
    words.insert(words.end(), {"DELAY", std::to_string(delay->count())});
  }
  words.emplace_back("ENTRIES");
  const std::string_view type = request.header("content-type").value_or("");
  if (names_word(type, "application/x-ndjson")) {
    if (auto wrong = append_lines(words, request.body)) co_return error_response(400, *wrong, "invalid");
  } else {
    words.emplace_back(request.header("millrace-tag").value_or(""));
    words.push_back(request.body);
  }
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (delay_text) {
    std::string json = "{\"ticket\":";
    append_string(json, answer->text);
    co_return json_response(json + '}', 202);
  }
  co_return json_response("{\"offset\":" + std::to_string(answer->integer) + '}', 201);
}

// --- reading ---

struct LogRead {
  std::string from;
  int64_t count;
  std::vector<std::string> tags;
  bool is_reversed;
};

std::optional<std::string> next_offset(const LogRead& read, const client::Reply& info, const client::Reply& reply) {
  const int64_t first = info.items[0].integer;
  const int64_t last = info.items[1].integer;
  const bool is_full = static_cast<int64_t>(reply.items.size()) - 1 == read.count;
  const bool has_messages = reply.items.size() > 1;
  const int64_t end = has_messages ? reply.items.back().items[0].integer : 0;
  // A search by tags may end before it has found as many as asked for: then the bounds say how far it has come.
  const bool is_search_end = !read.tags.empty() && !is_full;
  if (read.is_reversed) {
    const int64_t next = is_search_end ? first - 1 : end - 1;
    return next >= first || (is_search_end && next > 0) ? std::optional(std::to_string(next)) : std::nullopt;
  }
  return std::to_string(has_messages && !is_search_end ? end + 1 : last + 1);
}

Response read_json(const LogRead& read, const client::Reply& reply) {
  const client::Reply& info = reply.items[0];
  std::string json = "{\"epoch\":\"" + std::to_string(info.items[2].integer) +
                     "\",\"first\":" + std::to_string(info.items[0].integer) +
                     ",\"last\":" + std::to_string(info.items[1].integer) + ",\"messages\":[";
  const TopicKey topic{TopicKey::Kind::Log, {}};
  for (size_t i = 1; i < reply.items.size(); ++i) {
    const auto& item = reply.items[i].items;
    if (item.size() < 4) continue;
    if (json.back() != '[') json += ',';
    json += '{';
    append_message(json, topic, {{{}, item[0].integer}, item[1].text, item[2].text});
    json += ",\"time\":" + std::to_string(item[3].integer) + '}';
  }
  return json_response(json + "],\"next\":" + next_offset(read, info, reply).value_or("null") + '}');
}

// One message as it is.
Response read_bytes(const client::Reply& reply) {
  if (reply.items.size() < 2 || reply.items[1].items.size() < 4) return error_response(404, "no message", "no-message");
  const auto& item = reply.items[1].items;
  Response response{.body = item[2].text, .type = "application/octet-stream"};
  response.headers.emplace_back("Millrace-Offset", std::to_string(item[0].integer));
  response.headers.emplace_back("Millrace-Tag", header_text(item[1].text));
  return response;
}

Task<Response> read_log(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const bool as_bytes = wants_bytes(exchange->request);
  LogRead read{.from = parameters.text("from", parameters.is_on("rev") ? "-1" : "1"),
               .count = as_bytes ? 1 : parameters.number("count", kUsualCount, 0, kMostCount),
               .tags = parameters.list("tags"),
               .is_reversed = parameters.is_on("rev")};
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"TREAD",
                 exchange->names[0],
                 read.from,
                 std::to_string(read.count),
                 read.is_reversed ? "REV" : "SKIP",
                 "WITHINFO",
                 "EPOCH",
                 "WITHTIME",
                 "MAXBYTES",
                 kMostAnswered};
  if (!read.tags.empty()) {
    words.insert(words.end(), {"TAGS", std::to_string(read.tags.size())});
    words.insert(words.end(), read.tags.begin(), read.tags.end());
  }
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.empty() || answer->items[0].items.size() != 3) co_return unavailable("an unexpected answer");
  co_return as_bytes ? read_bytes(*answer) : read_json(read, *answer);
}

Task<Response> read_or_follow(Services& services, ExchangePtr exchange) {
  if (!wants_events(exchange->request)) co_return co_await read_log(services, exchange);
  const TopicKey topic{TopicKey::Kind::Log, exchange->names[0]};
  co_return co_await follow_topic(services, exchange, topic);
}

}  // namespace

const std::vector<Route>& log_routes() {
  static const std::vector<Route> routes = {
      {"POST", "/v1/logs/{log}", write_log, Resource::Log, Right::Write,
       "Writes an entry, or lines of them as application/x-ndjson", "", "offset:integer"},
      {"GET", "/v1/logs/{log}", read_or_follow, Resource::Log, Right::Read,
       "Reads a log, or follows it as text/event-stream", "from count tags rev last_event_id",
       "epoch:string first:integer last:integer messages:array next?:integer"},
  };
  return routes;
}

}  // namespace millrace::gateway
