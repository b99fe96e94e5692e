#include "gateway/admin/log_messages.h"

#include "gateway/admin/command_words.h"
#include "gateway/admin/reply_json.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

using client::Reply;

// The most bytes of a message that is requested alone.
constexpr size_t kMostWhole = 1 << 20;
constexpr const char* kMostRead = "8388608";  // bytes of a page, before they are cut

// [offset, tag, entry, time]; an offset without a message is null.
void append_message(std::string& json, const Reply& message, size_t most) {
  json += "{\"offset\":" + std::to_string(message.items[0].integer) + ',';
  append_tag(json, message.items[1].text, most);
  json += ",\"time\":" + std::to_string(message.items[3].integer) + ',';
  append_content(json, "entry", message.items[2].text, most);
  json += '}';
}

bool is_message(const Reply& reply) { return reply.items.size() >= 4; }

// The offset at which the next page begins. nullopt: this was the last page.
std::optional<int64_t> next_offset(const Reply& reply, bool is_reversed, bool has_tags) {
  const Reply& info = reply.items[0];
  const int64_t first = info.items[0].integer;
  const int64_t last = info.items[1].integer;
  // A search by tags may end before it has found as many as asked for: then the bounds say how far it has come.
  const bool has_messages = reply.items.size() > 1 && is_message(reply.items.back());
  const int64_t end = has_messages ? reply.items.back().items[0].integer : 0;
  if (is_reversed) {
    const int64_t next = has_messages ? end - 1 : has_tags ? first - 1 : 0;
    return next >= 1 && (has_tags || next >= first) ? std::optional(next) : std::nullopt;
  }
  const int64_t next = has_messages ? end + 1 : last + 1;
  return has_messages && next <= last ? std::optional(next) : std::nullopt;
}

// The first offset of a page: ?cursor=, else ?time=, else ?from=.
Task<Answer> find_from(Services& services, std::string log, AdminInput* input) {
  Reply from = text_of({});
  if (const auto cursor = input->value("cursor")) {
    from.text = *cursor;
  } else if (const auto time = input->value("time")) {
    Words words = {"TSEEK", std::move(log), *time};
    Answer found = co_await services.upstream.ask(std::move(words));
    if (!found || found->is_error()) co_return found;
    from.text = std::to_string(found->integer);
  } else {
    from.text = input->value("from").value_or(input->is_true("rev") ? "-1" : "1");
  }
  co_return Answer(std::move(from));
}

}  // namespace

Task<Response> read_messages(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const std::string log = exchange->names[0];
  const bool is_reversed = input.is_true("rev");
  const int64_t count = input.count();
  const std::vector<std::string> tags = input.list("tags");
  if (input.wrong()) co_return *input.wrong();
  const Answer from = co_await find_from(services, log, &input);
  if (auto failed = failure_of(from)) co_return std::move(*failed);
  Words words = {"TREAD",    log,        from->text, std::to_string(count), is_reversed ? "REV" : "SKIP", "WITHINFO",
                 "WITHTIME", "MAXBYTES", kMostRead};
  if (!tags.empty()) {
    words.insert(words.end(), {"TAGS", std::to_string(tags.size())});
    words.insert(words.end(), tags.begin(), tags.end());
  }
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.empty() || answer->items[0].items.size() != 2) co_return unavailable("an unexpected answer");
  std::string json = "{\"first\":" + std::to_string(answer->items[0].items[0].integer) +
                     ",\"last\":" + std::to_string(answer->items[0].items[1].integer) + ",\"items\":[";
  for (size_t i = 1; i < answer->items.size(); ++i) {
    if (!is_message(answer->items[i])) continue;
    if (json.back() != '[') json += ',';
    append_message(json, answer->items[i], kMostShown);
  }
  json += ']';
  if (const auto next = next_offset(*answer, is_reversed, !tags.empty())) {
    json += ",\"cursor\":\"" + std::to_string(*next) + '"';
  }
  co_return json_response(json + '}');
}

Task<Response> read_message(Services& services, ExchangePtr exchange) {
  Words words = {"TREAD", exchange->names[0], exchange->names[1], "1", "WITHTIME"};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.empty() || !is_message(answer->items[0])) {
    co_return error_response(404, "there is no message at this offset", "missing");
  }
  std::string json;
  append_message(json, answer->items[0], kMostWhole);
  co_return json_response(std::move(json));
}

Task<Response> read_group(Services& services, ExchangePtr exchange) {
  const std::string name = exchange->names[1];
  // TGROUP LIST starts after a given name, so it is given one that sorts right before this one.
  std::string before = name;
  if (before.back() == '\0') {
    before.pop_back();
  } else {
    before.back() = static_cast<char>(static_cast<unsigned char>(before.back()) - 1);
    before += std::string(512, '\xff');
  }
  Words words = {"TGROUP", "LIST", exchange->names[0], "AFTER", std::move(before), "COUNT", "1"};
  const Answer answer = co_await services.upstream.ask(std::move(words), 2);
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  const Reply* const found = answer->items.empty() ? nullptr : find_field(answer->items[0], "name");
  if (found == nullptr || found->text != name) co_return error_response(404, "there is no such group", "nogroup");
  std::string json;
  append_reply(json, answer->items[0], "{}");
  co_return json_response(std::move(json));
}

Task<Response> seek_group(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const auto raw = input.raw("to");
  std::string to = input.value("to").value_or("");
  if (to.empty()) input.refuse(R"(expected 'to': an offset, "first", "$" or {"time":ms})");
  if (input.wrong()) co_return *input.wrong();
  if (raw && raw->starts_with('{')) {
    const auto object = JsonObject::parse(*raw);
    const auto time = object ? object->number("time") : std::nullopt;
    if (!time) co_return error_response(400, R"('to' is {"time":ms} or an offset)", "invalid");
    Words words = {"TSEEK", exchange->names[0], std::to_string(*time)};
    const Answer found = co_await services.upstream.ask(std::move(words));
    if (auto failed = failure_of(found)) co_return std::move(*failed);
    to = std::to_string(found->integer);
  } else if (to == "$") {
    to = "NEXT";
  } else if (to == "first") {
    to = "FIRST";
  }
  Words words = {"TGROUP", "SEEK", exchange->names[0], exchange->names[1], to};
  const Answer answer = co_await services.upstream.ask(std::move(words), 2);
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"to\":\"" + to + "\"}");
}

}  // namespace millrace::gateway
