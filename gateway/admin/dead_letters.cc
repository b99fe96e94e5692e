#include "gateway/admin/dead_letters.h"

#include "gateway/admin/command_words.h"
#include "gateway/admin/console_state.h"
#include "gateway/admin/reply_json.h"
#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

using client::Reply;

// One request sends back at most this many, so that a connection is not busy for minutes: `left` in the answer says how
// many remain.
constexpr int64_t kMostSent = 10'000;
constexpr int64_t kMostOffsets = 1000;

// The bytes that a string in a tag represents. The server writes a byte that is not UTF-8 as \u0080 to \u00ff.
std::string tag_bytes(std::string_view json) {
  std::string bytes;
  for (size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] != '\\') {
      bytes += json[i];
    } else if (json[i + 1] == 'u' && i + 5 < json.size()) {
      bytes += static_cast<char>(std::stoi(std::string(json.substr(i + 4, 2)), nullptr, 16));
      i += 5;
    } else {
      bytes += json[++i];
    }
  }
  return bytes;
}

void append_letter(std::string& json, const Reply& message) {
  json += "{\"offset\":" + std::to_string(message.items[0].integer) +
          ",\"time\":" + std::to_string(message.items[3].integer);
  if (const auto letter = parse_dead_letter(message.items[1].text)) {
    json += ",\"origin\":";
    append_bytes(json, letter->key);
    json += ",\"group\":";
    append_bytes(json, letter->group);
    json += ",\"origin_offset\":" + std::to_string(letter->offset);
    json += ",\"attempts\":" + std::to_string(letter->attempts) + ",\"why\":";
    append_string(json, letter->why);
    json += ",\"reason\":";
    append_bytes(json, letter->reason.empty() ? letter->why : letter->reason);
    json += ',';
    append_tag(json, letter->tag);
  } else {
    // The message was not written by a group.
    json += R"(,"origin":null,"group":null,"origin_offset":null,"attempts":null,"why":null,"reason":null,)";
    append_tag(json, message.items[1].text);
  }
  json += ',';
  append_content(json, "entry", message.items[2].text);
  json += '}';
}

// Whether the caller may write to this log. The name comes from a tag, which any writer of the dead letters may forge.
bool may_write(const Services& services, const Exchange& exchange, const std::string& log) {
  if (!services.config.audit.empty() && log == services.config.audit) return false;
  return services.authority.may(*exchange.caller, Resource::Admin, log, Right::Write);
}

// Sends the letters of a page back, up to the first message that is none. Each is written to its origin under an id, so
// that a second attempt after a failure does not write it twice; then all are removed by `remove`, which is TDEL for
// one letter, TEVICT for the first letters of the log. Returns how many, or why not.
Task<std::expected<int64_t, Response>> send_back(Services& services, ExchangePtr exchange, Reply page,
                                                 std::string remove) {
  int64_t sent = 0;
  std::string last;
  std::optional<Response> wrong;
  for (size_t i = 1; i < page.items.size(); ++i) {
    const auto& message = page.items[i].items;
    const auto letter = message.size() < 3 ? std::nullopt : parse_dead_letter(message[1].text);
    if (!letter) break;
    if (!may_write(services, *exchange, letter->key)) {
      wrong = error_response(403, "a letter goes to a log that you may not write to", "forbidden");
      break;
    }
    std::string offset = std::to_string(message[0].integer);
    const std::string id = "redrive:" + std::to_string(page.items[0].items[2].integer) + '.' + offset;
    Words write = {"TWRITE", letter->key, "ID", id, "ENTRIES", letter->tag, message[2].text};
    const Answer written = co_await services.upstream.ask(std::move(write));
    wrong = failure_of(written);
    if (wrong) break;
    ++sent;
    last = std::move(offset);
  }
  if (sent > 0) {
    Words removal = {std::move(remove), exchange->names[0], std::move(last)};
    const Answer removed = co_await services.upstream.ask(std::move(removal));
    if (!wrong) wrong = failure_of(removed);
  }
  if (wrong) co_return std::unexpected(std::move(*wrong));
  co_return sent;
}

Task<Answer> count_letters(Services& services, std::string log) {
  Words words = {"TINFO", std::move(log)};
  Answer info = co_await services.upstream.ask(std::move(words));
  if (!info || info->is_error()) co_return info;
  co_return Answer(number_of(number_in(*info, "messages")));
}

}  // namespace

std::optional<DeadLetter> parse_dead_letter(std::string_view tag) {
  if (!tag.starts_with("{\"why\":")) return std::nullopt;
  const auto object = JsonObject::parse(tag);
  if (!object) return std::nullopt;
  const auto bytes = [&](std::string_view name) -> std::optional<std::string> {
    const auto raw = object->raw(name);
    if (!raw || !raw->starts_with('"')) return std::nullopt;
    return tag_bytes(*raw);
  };
  auto why = bytes("why");
  auto group = bytes("group");
  auto key = bytes("key");
  auto own = bytes("tag");
  const auto attempts = object->number("attempts");
  const auto offset = object->number("offset");
  if (!why || !group || !key || !own || !attempts || !offset) return std::nullopt;
  return DeadLetter{std::move(*why),
                    *attempts,
                    *offset,
                    std::move(*group),
                    std::move(*key),
                    std::move(*own),
                    bytes("reason").value_or("")};
}

void add_groups_of_letters(const Services& services, const Exchange& exchange, std::string& json) {
  Board& board = services.console.board;
  const std::lock_guard lock(board.mutex);
  const auto found = board.sweep.dead_letters.find(exchange.names[0]);
  json += ",\"dead_of\":[";
  if (found != board.sweep.dead_letters.end()) {
    for (const auto& [key, group] : found->second) {
      json += json.back() == '[' ? "{\"key\":" : ",{\"key\":";
      append_bytes(json, key);
      json += ",\"group\":";
      append_bytes(json, group);
      json += '}';
    }
  }
  json += ']';
}

Task<Response> read_dead_letters(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const int64_t count = input.count();
  const std::string from = input.value("cursor").value_or("1");
  if (input.wrong()) co_return *input.wrong();
  Words words = {"TREAD",    exchange->names[0], from,       std::to_string(count), "SKIP",
                 "WITHINFO", "WITHTIME",         "MAXBYTES", kMostAnswered};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.empty() || answer->items[0].items.size() != 2) co_return unavailable("an unexpected answer");
  std::string json = "{\"items\":[";
  int64_t end = 0;
  for (size_t i = 1; i < answer->items.size(); ++i) {
    if (answer->items[i].items.size() < 4) continue;
    if (json.back() != '[') json += ',';
    append_letter(json, answer->items[i]);
    end = answer->items[i].items[0].integer;
  }
  json += ']';
  if (end != 0 && end < answer->items[0].items[1].integer) json += ",\"cursor\":\"" + std::to_string(end + 1) + '"';
  co_return json_response(json + '}');
}

Task<Response> redrive(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const std::string log = exchange->names[0];
  const std::vector<std::string> offsets = input.list("offsets");
  const bool is_all = input.is_true("all");
  const auto limit = parse_number(input.value("limit").value_or(std::to_string(kMostSent)), 1, kMostSent);
  if (is_all == !offsets.empty()) input.refuse(R"(expected "offsets":[…] or "all":true)");
  if (static_cast<int64_t>(offsets.size()) > kMostOffsets) input.refuse("at most 1000 offsets");
  if (!limit) input.refuse("invalid 'limit': expected a number from 1 to 10000");
  if (input.wrong()) co_return *input.wrong();
  int64_t sent = 0;
  std::string from = "1";
  for (size_t i = 0; is_all ? sent < *limit : i < offsets.size(); ++i) {
    const int64_t count = is_all ? std::min(*limit - sent, kUsualPage) : 1;
    Words read = {"TREAD", log, is_all ? from : offsets[i], std::to_string(count)};
    read.insert(read.end(), {"SKIP", "WITHINFO", "EPOCH", "MAXBYTES", kMostAnswered});
    Answer page = co_await services.upstream.ask(std::move(read));
    if (auto failed = failure_of(page)) co_return std::move(*failed);
    const size_t found = page->items.size();
    if (found > 1) from = std::to_string(page->items.back().items[0].integer + 1);
    // Without SKIP, an offset that was deleted would be an error; with it, the next message would be sent back.
    if (!is_all && found > 1 && std::to_string(page->items[1].items[0].integer) != offsets[i]) continue;
    const auto done = co_await send_back(services, exchange, std::move(*page), is_all ? "TEVICT" : "TDEL");
    if (!done) co_return done.error();
    sent += *done;
    if (is_all && *done + 1 < static_cast<int64_t>(found)) break;  // a message that is no letter
    if (is_all && found < 2) break;
  }
  const Answer left = co_await count_letters(services, log);
  if (auto failed = failure_of(left)) co_return std::move(*failed);
  co_return json_response("{\"sent\":" + std::to_string(sent) + ",\"left\":" + std::to_string(left->integer) + '}');
}

}  // namespace millrace::gateway
