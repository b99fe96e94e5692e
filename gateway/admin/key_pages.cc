#include "gateway/admin/key_pages.h"

#include <algorithm>

#include "gateway/admin/board.h"
#include "gateway/admin/command_words.h"
#include "gateway/admin/console_state.h"
#include "gateway/admin/reply_json.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

using client::Reply;

// The server works at most half a millisecond on a page, so a page may be short. This is how often it is asked for
// more.
constexpr int kMostCalls = 50;

// The bytes that are kept of a name that is too long.
constexpr size_t kShownOfName = 256;

// A cursor that fits into a request. If a name is too long, the cursor is its beginning, followed by what sorts after
// all names with this beginning.
std::string bounded_cursor(std::string cursor) {
  if (cursor.size() <= kLongestName) return cursor;
  cursor.resize(kLongestName - 1);
  return cursor + std::string(8, '\xff');
}

std::string escaped(std::string_view text) {
  std::string pattern = "*";
  for (const char c : text) {
    if (std::string_view("*?[]\\^-").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + '*';
}

Words words_for(const KeyQuestion& question, const std::optional<std::string>& after, int64_t count) {
  Words words = {"MILLRACE.KEYS", "COUNT", std::to_string(count), "WITHINFO"};
  if (!question.type.empty()) words.insert(words.end(), {"TYPE", question.type});
  if (!question.pattern.empty()) words.insert(words.end(), {"MATCH", question.pattern});
  if (after) words.insert(words.end(), {"CURSOR", *after});
  return words;
}

// The keys of one node. `bound` is how far it has looked; nullopt: to the end.
struct NodeKeys {
  std::vector<Reply> keys;
  std::optional<std::string> bound;
};

void add_counts(KeyPage& page, const Reply& answer) {
  const Reply* const counts = find_field(answer, "counts");
  for (size_t i = 0; counts != nullptr && i + 1 < counts->items.size(); i += 2) {
    page.counts[counts->items[i].text] += counts->items[i + 1].integer;
  }
}

void merge(KeyPage& page, std::vector<NodeKeys> nodes, int64_t count) {
  std::optional<std::string> bound;
  for (const NodeKeys& node : nodes) {
    if (node.bound && (!bound || *node.bound < *bound)) bound = node.bound;
  }
  for (NodeKeys& node : nodes) {
    for (Reply& key : node.keys) {
      if (!bound || key.items[0].text <= *bound) page.keys.push_back(std::move(key));
    }
  }
  std::ranges::sort(page.keys, {}, [](const Reply& key) -> const std::string& { return key.items[0].text; });
  page.cursor = bound;
  if (std::cmp_less_equal(page.keys.size(), count)) return;
  page.keys.resize(static_cast<size_t>(count));
  page.cursor = page.keys.back().items[0].text;
}

// How fast a log grows, compared with the last time it was listed.
std::optional<int64_t> rate_of(ConsoleState& state, const Reply& key) {
  constexpr size_t kMostSeen = 10'000;
  if (key.items[1].text != "log" || key.items[0].text.size() > kLongestName) return std::nullopt;
  const int64_t last = number_in(key.items[4], "last");
  const int64_t now = steady_ms();
  if (state.seen_logs.size() > kMostSeen) state.seen_logs.clear();
  SeenLog& seen = state.seen_logs[key.items[0].text];
  if (seen.time == 0 || now - seen.time > 60'000 || last < seen.last) {
    seen = {now, last, std::nullopt};
  } else if (now - seen.time >= 900) {
    seen = {now, last, (last - seen.last) * 1000 / (now - seen.time)};
  }
  return seen.rate;
}

// The list by size or lag, from the last sweep. Its cursor is a position in that list.
Response ranked_keys(ConsoleState& state, const std::string& order, const KeyQuestion& question,
                     const std::string& search) {
  const auto from = parse_number(question.after.value_or("0"), 0, INT32_MAX);
  if (!from) return error_response(400, "invalid 'cursor'", "invalid");
  Board& board = state.board;
  const std::lock_guard lock(board.mutex);
  const auto& keys = order == "size" ? board.sweep.largest : board.sweep.behind;
  std::string json = "{\"items\":[";
  int64_t found = 0;
  auto at = static_cast<size_t>(*from);
  for (; at < keys.size() && found < question.count; ++at) {
    if (!question.type.empty() && keys[at].type != question.type) continue;
    if (keys[at].key.find(search) == std::string::npos) continue;
    json += (found++ == 0 ? "" : ",") + keys[at].json;
  }
  json += ']';
  if (at < keys.size()) json += ",\"cursor\":\"" + std::to_string(at) + '"';
  json += ",\"total\":" + std::to_string(count_of(board, question.type)) + ",\"building\":";
  // The order is known once the first sweep has ended.
  json += board.sweep.ended != 0 ? "null" : building_json(board.swept, std::max(board.swept + 1, count_of(board, "")));
  return json_response(json + '}');
}

}  // namespace

Task<KeyPage> ask_for_keys(Services& services, KeyQuestion question) {
  KeyPage page;
  std::vector<NodeKeys> nodes;
  const std::vector<NodeName> names = services.upstream.nodes();
  for (const NodeName& name : names) {
    NodeKeys node;
    node.bound = question.after;
    for (int calls = 0; calls < kMostCalls && std::cmp_less(node.keys.size(), question.count); ++calls) {
      const int64_t left = question.count - static_cast<int64_t>(node.keys.size());
      Words words = words_for(question, node.bound, left);
      Answer answer = co_await services.upstream.ask_at(name, std::move(words));
      if (!answer) page.failed = answer.error();
      if (answer && answer->is_error()) page.refused = *answer;
      if (page.failed || page.refused) co_return page;
      const Reply* const keys = find_field(*answer, "keys");
      const Reply* const cursor = find_field(*answer, "cursor");
      if (keys == nullptr || cursor == nullptr) break;
      for (const Reply& key : keys->items) {
        if (key.items.size() == 5) node.keys.push_back(key);
      }
      if (calls == 0) {
        page.done += number_in(*answer, "done");
        page.of += number_in(*answer, "of");
        page.total += number_in(*answer, "total");
        add_counts(page, *answer);
      }
      node.bound = cursor->is_nil() ? std::nullopt : std::optional(cursor->text);
      if (!node.bound) break;
    }
    nodes.push_back(std::move(node));
  }
  merge(page, std::move(nodes), question.count);
  co_return page;
}

void append_key(std::string& json, const Reply& key, const std::optional<int64_t>& rate, bool is_dead) {
  const std::string& name = key.items[0].text;
  json += '{';
  if (name.size() > kLongestName) {
    append_content(json, "key", name, kShownOfName);
  } else {
    json += "\"key\":";
    append_bytes(json, name);
  }
  json += ",\"type\":";
  append_string(json, key.items[1].text);
  json += ",\"memory\":";
  append_number(json, key.items[2].integer);
  json += ",\"expires\":";
  append_reply(json, key.items[3]);
  json += is_dead ? ",\"dead\":true,\"figures\":" : ",\"figures\":";
  append_reply(json, key.items[4], "{dead-letters:<group,log>}");
  if (key.items[1].text == "log") {
    json.back() = ',';
    json += "\"rate\":" + (rate ? std::to_string(*rate) : "null") + '}';
  }
  json += '}';
}

Task<Response> list_keys(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  ConsoleState& state = services.console;
  const std::string order = input.value("order").value_or("name");
  const std::string search = input.value("search").value_or("");
  KeyQuestion question{
      .type = input.value("type").value_or(""), .after = input.value("cursor"), .count = input.count()};
  if (!search.empty()) question.pattern = escaped(search);
  const auto is_type = [&](const char* type) { return question.type == type; };
  if (!question.type.empty() && std::ranges::none_of(kKeyTypes, is_type)) input.refuse("there is no such 'type'");
  if (order != "name" && order != "size" && order != "lag") input.refuse("'order' is name, size or lag");
  if (search.size() > 500) input.refuse("'search' has at most 500 bytes");
  if (input.wrong()) co_return *input.wrong();
  state.board.asked = steady_ms();
  if (order != "name") co_return ranked_keys(state, order, question, search);
  const KeyPage page = co_await ask_for_keys(services, std::move(question));
  if (page.failed) co_return unavailable(page.failed->text);
  if (page.refused) co_return *failure_of(Answer(*page.refused));
  std::string json = "{\"items\":[";
  {
    const std::lock_guard lock(state.board.mutex);
    for (const Reply& key : page.keys) {
      if (json.back() != '[') json += ',';
      append_key(json, key, rate_of(state, key), state.board.sweep.dead_letters.contains(key.items[0].text));
    }
  }
  json += ']';
  if (page.cursor) append_cursor(json, bounded_cursor(*page.cursor));
  json += ",\"total\":" + std::to_string(page.total) + ",\"building\":";
  co_return json_response(json + building_json(page.done, page.of) + '}');
}

}  // namespace millrace::gateway
