#include "client/load/key_finder.h"

#include <algorithm>

namespace millrace::client {
namespace {

void append_lower(std::string& to, std::string_view text) {
  for (const char c : text) to += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has_flag(const Reply& flags, std::string_view name) {
  return std::ranges::any_of(flags.items, [&](const Reply& flag) { return flag.text == name; });
}

}  // namespace

Result<std::optional<std::string_view>> KeyFinder::first_key(Words words) {
  auto position = position_of(words[0], words);
  if (!position) return std::unexpected(position.error());
  if (*position == kAskEachTime) return ask_for_key(words);
  if (*position <= 0 || static_cast<size_t>(*position) >= words.size()) return std::nullopt;
  return words[static_cast<size_t>(*position)];
}

Result<int> KeyFinder::position_of(std::string_view name, Words words) {
  name_.clear();
  append_lower(name_, name);
  auto found = positions_.find(name_);
  for (int level = 0; level < 2; ++level) {
    if (found == positions_.end()) {
      const auto asked = ask(name_);
      if (!asked) return asked;
      found = positions_.emplace(name_, *asked).first;
    }
    if (found->second != kSubcommand) return found->second;
    if (level == 1 || words.size() < 2) return kNoKey;
    name_ += '|';
    append_lower(name_, words[1]);
    found = positions_.find(name_);
  }
  return kNoKey;
}

// The answer: [name, arity, [flags], first key, last key, step, ..., and as the tenth item [subcommands]].
Result<int> KeyFinder::ask(const std::string& name) {
  const auto reply = server_.call({"COMMAND", "INFO", name});
  if (!reply) return std::unexpected(reply.error());
  if (reply->items.empty() || reply->items[0].items.size() < 6) return kNoKey;
  const std::vector<Reply>& info = reply->items[0].items;
  if (info.size() >= 10 && !info[9].items.empty()) return kSubcommand;
  if (info[3].integer > 0) return static_cast<int>(info[3].integer);
  const bool moves = has_flag(info[2], "movablekeys");
  return moves ? kAskEachTime : kNoKey;
}

Result<std::optional<std::string_view>> KeyFinder::ask_for_key(Words words) {
  std::vector<std::string_view> question = {"COMMAND", "GETKEYS"};
  question.insert(question.end(), words.begin(), words.end());
  const auto reply = server_.call(question);
  if (!reply) return std::unexpected(reply.error());
  if (!reply->is_array() || reply->items.empty()) return std::nullopt;
  const auto key = std::ranges::find(words, reply->items[0].text);
  if (key == words.end()) return std::nullopt;
  return *key;
}

}  // namespace millrace::client
