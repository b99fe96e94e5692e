#include "gateway/stream/reading.h"

#include <algorithm>
#include <charconv>

namespace millrace::gateway {
namespace {

using client::ErrorCode;
using client::Reply;
using client::Result;

constexpr std::string_view kReplaced = R"({"reason":"replaced"})";

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Position log_position(std::string_view epoch, int64_t offset) {
  const bool has_epoch = !epoch.empty() && epoch != "0";
  return {has_epoch ? std::string(epoch) + '.' + std::to_string(offset) : std::to_string(offset), offset};
}

std::string_view epoch_in(const Position& position) {
  const size_t dot = position.text.find('.');
  return dot == std::string::npos ? std::string_view() : std::string_view(position.text).substr(0, dot);
}

// Empty if the position does not name the life.
std::string_view life_in(TopicKey::Kind kind, const Position& position) {
  if (kind == TopicKey::Kind::Log) return epoch_in(position);
  const size_t digits = position.text.size() - std::min(position.text.find('.'), position.text.size());
  // Behind the clock and a dot, 8 digits are a mark, and 8 more the life.
  return digits == 17 ? std::string_view(position.text).substr(position.text.size() - 8) : std::string_view();
}

// The first element of an answer to TREAD … WITHINFO EPOCH.
struct LogInfo {
  int64_t first;
  int64_t last;
  std::string epoch;
};

std::optional<LogInfo> log_info(const Reply& answer) {
  if (answer.items.empty() || answer.items[0].items.size() != 3) return std::nullopt;
  const auto& info = answer.items[0].items;
  return LogInfo{info[0].integer, info[1].integer, std::to_string(info[2].integer)};
}

std::string range_json(std::string_view reason, int64_t from, int64_t to) {
  return R"({"reason":")" + std::string(reason) + R"(","from":)" + std::to_string(from) + R"(,"to":)" +
         std::to_string(to) + '}';
}

// Messages of a channel expired before those of the reading.
Reset expired(int64_t missed, const Position& after, const Reading& reading) {
  const auto& messages = reading.messages;
  const int64_t end = messages.empty() ? reading.position.number : messages.front().position.number - 1;
  return {R"({"reason":"expired","missed":)" + std::to_string(missed) + '}', after, end};
}

Result<Reading> unexpected_answer(const Reply& answer) {
  return client::fail(ErrorCode::Protocol, answer.is_error() ? answer.text : "the server gave an unexpected answer");
}

Result<Reading> log_reading(const Position& after, const Reply& answer) {
  const auto info = log_info(answer);
  if (!info) return unexpected_answer(answer);
  Reading reading;
  reading.position = log_position(info->epoch, after.number);
  if (info->last < after.number) {
    // A server that came back without its last messages: the same offsets will be given to others.
    reading.position = log_position(info->epoch, info->last);
    reading.reset = Reset{range_json("lost", info->last + 1, after.number), reading.position};
    return reading;
  }
  if (after.number + 1 < info->first && after.number >= 0) {
    reading.position = log_position(info->epoch, info->first - 1);
    reading.reset = Reset{range_json("evicted", after.number + 1, info->first - 1), reading.position, info->first - 1};
  }
  for (size_t i = 1; i < answer.items.size(); ++i) {
    const auto& item = answer.items[i].items;
    if (item.size() < 3) continue;
    reading.messages.push_back({log_position(info->epoch, item[0].integer), item[1].text, item[2].text});
  }
  if (!reading.messages.empty()) reading.position = reading.messages.back().position;
  reading.has_more = !reading.messages.empty() && reading.position.number < info->last;
  return reading;
}

Result<Reading> channel_reading(const Position& after, const Reply& answer) {
  if (answer.items.size() != 4) return unexpected_answer(answer);
  Reading reading;
  for (const Reply& item : answer.items[0].items) {
    if (item.items.size() != 3) return unexpected_answer(answer);
    const auto position = parse_position(TopicKey::Kind::Channel, item.items[0].text);
    if (!position) return unexpected_answer(answer);
    reading.messages.push_back({*position, item.items[1].text, item.items[2].text});
  }
  reading.position = after;
  if (!answer.items[1].is_nil()) {
    const auto position = parse_position(TopicKey::Kind::Channel, answer.items[1].text);
    if (!position) return unexpected_answer(answer);
    reading.position = *position;
  }
  reading.has_more = answer.items[2].integer != 0;
  if (const int64_t missed = answer.items[3].integer; missed > 0) {
    reading.reset = expired(missed, after, reading);
  }
  return reading;
}

}  // namespace

std::optional<Position> parse_position(TopicKey::Kind kind, std::string_view text) {
  const size_t dot = text.find('.');
  const bool is_log = kind == TopicKey::Kind::Log;
  if (text.size() > 64 || (dot == text.npos && !is_log)) return std::nullopt;
  const std::string_view rest = dot == text.npos ? std::string_view() : text.substr(dot + 1);
  const auto number = whole_number(is_log && dot != text.npos ? rest : text.substr(0, dot));
  // Nothing comes after the greatest offset.
  if (!number || (is_log && (*number < 0 || *number == INT64_MAX))) return std::nullopt;
  if (is_log && dot != text.npos && text.substr(0, dot).find_first_not_of("0123456789") != text.npos) {
    return std::nullopt;
  }
  return Position{std::string(text), *number};
}

bool same_life(TopicKey::Kind kind, const Position& one, const Position& other) {
  const std::string_view life = life_in(kind, one);
  const std::string_view other_life = life_in(kind, other);
  return life.empty() || other_life.empty() || life == other_life;
}

Words words_to_read(const TopicKey& topic, const Position& after) {
  if (topic.kind == TopicKey::Kind::Channel) {
    return {"CHAN.READ",
            topic.name,
            after.text.empty() ? "-" : after.text,
            "MAX",
            std::to_string(kReadMessages),
            "MAXBYTES",
            std::to_string(kReadBytes)};
  }
  const std::string_view epoch = epoch_in(after);
  const std::string start = (epoch.empty() ? "" : std::string(epoch) + '.') + std::to_string(after.number + 1);
  return {"TREAD",    topic.name, start,      std::to_string(kReadMessages), "SKIP",
          "WITHINFO", "EPOCH",    "MAXBYTES", std::to_string(kReadBytes)};
}

Result<Reading> reading_of(const TopicKey& topic, const Position& after, const Reply& answer) {
  if (answer.is_error()) return client::fail(ErrorCode::BadInput, answer.text);
  return topic.kind == TopicKey::Kind::Log ? log_reading(after, answer) : channel_reading(after, answer);
}

Result<Reading> feed_reading(const TopicKey& topic, const Position& after, const Reply& entry) {
  const bool is_log = topic.kind == TopicKey::Kind::Log;
  const auto position = parse_position(topic.kind, entry.items[1].text);
  if (!position) return unexpected_answer(entry);
  Reading reading{.position = *position, .has_more = entry.items[3].integer != 0};
  for (const Reply& item : entry.items[2].items) {
    if (item.items.size() != 3) return unexpected_answer(entry);
    const auto place = is_log ? log_position(epoch_in(*position), item.items[0].integer)
                              : parse_position(topic.kind, item.items[0].text);
    if (!place) return unexpected_answer(entry);
    reading.messages.push_back({*place, item.items[1].text, item.items[2].text});
  }
  if (const int64_t missed = entry.items[4].integer; missed > 0) {
    const int64_t before_next = after.number + missed;
    reading.reset = is_log ? Reset{range_json("evicted", after.number + 1, before_next),
                                   log_position(epoch_in(*position), before_next), before_next}
                           : expired(missed, after, reading);
  }
  return reading;
}

namespace {

// A channel that refuses a position because it ends before it: the server came back without its last messages.
Task<std::optional<Reading>> put_back(Upstream& upstream, TopicKey topic, Position after) {
  const std::string life(life_in(topic.kind, after));
  const auto end = co_await find_start(upstream, topic, "$");
  if (!end || life.empty() || life_in(topic.kind, *end) != life || end->number >= after.number) co_return std::nullopt;
  std::optional<Reading> reading(std::in_place);
  reading->position = *end;
  reading->reset = Reset{range_json("lost", end->number + 1, after.number), *end};
  co_return reading;
}

}  // namespace

Task<Result<Reading>> read_after(Upstream& upstream, TopicKey topic, Position after) {
  Answer answer = co_await upstream.ask(words_to_read(topic, after));
  if (!answer) co_return std::unexpected(answer.error());
  if (!answer->is_error("BADPOSITION")) co_return reading_of(topic, after, *answer);
  if (topic.kind == TopicKey::Kind::Channel) {
    auto reading = co_await put_back(upstream, topic, after);
    if (reading) co_return std::move(*reading);
  }
  const Position beginning;
  answer = co_await upstream.ask(words_to_read(topic, beginning));
  if (!answer) co_return std::unexpected(answer.error());
  auto reading = reading_of(topic, beginning, *answer);
  if (reading) reading->reset = Reset{std::string(kReplaced), after};
  co_return reading;
}

Task<Result<Position>> find_start(Upstream& upstream, TopicKey topic, std::string from) {
  if (topic.kind == TopicKey::Kind::Channel) {
    if (from == "-") co_return Position{};
    if (from != "$") co_return client::fail(ErrorCode::BadInput, "'" + from + "' is no place in a channel: - or $");
    Words words = {"CHAN.READ", topic.name, "$"};
    const Answer answer = co_await upstream.ask(std::move(words));
    if (!answer) co_return std::unexpected(answer.error());
    const auto reading = reading_of(topic, {}, *answer);
    if (!reading) co_return std::unexpected(reading.error());
    co_return reading->position;
  }
  const bool is_word = from == "$" || from == "-";
  const auto offset = is_word ? std::optional<int64_t>(0) : whole_number(from);
  if (!offset || (!is_word && *offset == 0)) {
    co_return client::fail(ErrorCode::BadInput, "'" + from + "' is no place in a log: an offset, -n, - or $");
  }
  if (*offset > 0) co_return log_position({}, *offset - 1);
  Words words = {"TREAD", topic.name, "1", "0", "WITHINFO", "EPOCH"};
  const Answer answer = co_await upstream.ask(std::move(words));
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->is_error()) co_return client::fail(ErrorCode::BadInput, answer->text);
  const auto info = log_info(*answer);
  if (!info) co_return client::fail(ErrorCode::Protocol, "the server gave an unexpected answer");
  const int64_t before_first = std::max<int64_t>(info->first - 1, 0);
  co_return log_position(info->epoch, from == "-" ? before_first : std::max(info->last + *offset, before_first));
}

}  // namespace millrace::gateway
