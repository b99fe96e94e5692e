#include "gateway/routes/finding.h"

#include <algorithm>
#include <set>

#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/parameters.h"

namespace millrace::gateway {
namespace {

// Parameters that are options of the search, not conditions.
constexpr std::string_view kOptions[] = {"order", "rev", "limit", "after", "get", "ticket", "_"};

struct Relation {
  std::string_view suffix;  // the ending of a parameter's name: age.gte=18
  std::string_view word;    // the word of IDX.FIND
};
constexpr Relation kRelations[] = {{".lte", "<="}, {".gte", ">="}, {".lt", "<"}, {".gt", ">"}, {".prefix", "PREFIX"}};

bool is_list(std::string_view name) { return name.ends_with(".in") || name.ends_with(".between"); }

// city=Bonn, age.gte=18, city.in=Bonn,Kiel, age.between=18,30: each appends a WHERE to the words.
void append_condition(Words& words, std::string_view name, const std::string& value, Parameters& parameters) {
  const auto values = [&] { return parameters.list(name); };
  words.emplace_back("WHERE");
  for (const Relation& relation : kRelations) {
    if (!name.ends_with(relation.suffix)) continue;
    const std::string field(name.substr(0, name.size() - relation.suffix.size()));
    words.insert(words.end(), {field, std::string(relation.word), value});
    return;
  }
  if (name.ends_with(".in")) {
    const auto found = values();
    words.insert(words.end(), {std::string(name.substr(0, name.size() - 3)), "IN", std::to_string(found.size())});
    words.insert(words.end(), found.begin(), found.end());
  } else if (name.ends_with(".between")) {
    const auto found = values();
    if (found.size() != 2) parameters.refuse(name, "two values with a comma");
    words.insert(words.end(), {std::string(name.substr(0, name.size() - 8)), "BETWEEN"});
    words.insert(words.end(), found.begin(), found.end());
  } else {
    words.insert(words.end(), {std::string(name), "=", value});
  }
}

void append_text_or_null(std::string& json, const client::Reply& reply) {
  if (reply.is_nil()) {
    json += "null";
  } else {
    append_string(json, reply.text);
  }
}

// [cursor, [key, …]], or with GET [cursor, [[key, [field, …]], …]]
std::string found_json(const client::Reply& reply, const std::vector<std::string>& fields) {
  std::string json = "{\"documents\":[";
  for (const client::Reply& document : reply.items[1].items) {
    if (json.back() != '[') json += ',';
    json += "{\"key\":";
    append_string(json, document.is_array() ? document.items[0].text : document.text);
    if (document.items.size() == 2) {
      json += ",\"fields\":{";
      const auto& values = document.items[1].items;
      for (size_t i = 0; i < std::min(fields.size(), values.size()); ++i) {
        if (i > 0) json += ',';
        append_string(json, fields[i]);
        json += ':';
        append_text_or_null(json, values[i]);
      }
      json += '}';
    }
    json += '}';
  }
  json += "],\"next\":";
  append_text_or_null(json, reply.items[0]);
  return json + '}';
}

Task<Response> find(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  Words words = {"IDX.FIND", exchange->names[0]};
  std::set<std::string_view> lists;
  for (const auto& [name, value] : exchange->request.query) {
    if (std::ranges::find(kOptions, name) != std::end(kOptions)) continue;
    // A list may be given by several parameters of the same name; they are one condition.
    if (is_list(name) && !lists.insert(name).second) continue;
    append_condition(words, name, value, parameters);
  }
  if (const auto order = parameters.text("order"); !order.empty()) words.insert(words.end(), {"ORDER", order});
  if (parameters.is_on("rev")) words.emplace_back("REV");
  words.insert(words.end(), {"LIMIT", std::to_string(parameters.number("limit", 100, 1, 10'000))});
  if (const auto after = parameters.text("after"); !after.empty()) words.insert(words.end(), {"AFTER", after});
  const auto fields = parameters.list("get");
  if (!fields.empty()) {
    words.insert(words.end(), {"GET", std::to_string(fields.size())});
    words.insert(words.end(), fields.begin(), fields.end());
  }
  if (parameters.wrong()) co_return *parameters.wrong();
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.size() != 2) co_return unavailable("an unexpected answer");
  co_return json_response(found_json(*answer, fields));
}

// Answers terms, each with its score.
Task<Response> suggest(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const int64_t limit = parameters.number("limit", 10, 1, 10'000);
  Words words = {"SUG.GET", exchange->names[0],    parameters.text("prefix"),
                 "LIMIT",   std::to_string(limit), "WITHSCORES"};
  if (parameters.is_on("fuzzy")) words.emplace_back("FUZZY");
  if (parameters.is_on("nocase")) words.emplace_back("NOCASE");
  if (parameters.wrong()) co_return *parameters.wrong();
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  std::string json = "{\"terms\":[";
  for (size_t i = 0; i + 1 < answer->items.size(); i += 2) {
    if (i > 0) json += ',';
    json += "{\"term\":";
    append_string(json, answer->items[i].text);
    json += ",\"score\":" + compact_json(answer->items[i + 1].text).value_or("null") + '}';
  }
  co_return json_response(json + "]}");
}

}  // namespace

const std::vector<Route>& finding_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/v1/indexes/{index}", find, Resource::Index, Right::Read,
       "Finds documents: field=value, field.gte=value, field.in=a,b", "order rev limit after get", "documents:array"},
      {"GET", "/v1/suggest/{dictionary}", suggest, Resource::Suggest, Right::Read, "Suggests terms",
       "prefix limit fuzzy nocase", "terms:array"},
  };
  return routes;
}

}  // namespace millrace::gateway
