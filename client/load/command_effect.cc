#include "client/load/command_effect.h"

#include <charconv>

#include "client/load/dangerous_command.h"
#include "client/load/same_word.h"

namespace millrace::client {
namespace {

bool is(std::string_view word, std::string_view name) { return is_same_word(word, name); }

// These are answered more than once, or never.
bool has_no_single_answer(Words words) {
  for (const std::string_view name : {"MONITOR", "SYNC", "PSYNC", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE",
                                      "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"}) {
    if (is(words[0], name)) return true;
  }
  return is(words[0], "CLIENT") && words.size() > 1 && is(words[1], "REPLY");
}

// The loader itself controls the protocol, the login, the database and the end of a connection.
bool changes_the_connection(std::string_view name) {
  return is(name, "HELLO") || is(name, "RESET") || is(name, "QUIT");
}

bool matters_to_the_next(std::string_view name) {
  for (const std::string_view one : {"MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "SELECT"}) {
    if (is(name, one)) return true;
  }
  return false;
}

std::optional<unsigned> number_in(std::string_view word) {
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

CommandEffects::Effect CommandEffects::next(Words words) {
  const std::string_view name = words[0];
  // Almost all commands of almost all loads end here.
  if (name == harmless_) return {.role = {.part = is_in_transaction_ ? Part::Inside : Part::None}};
  Effect effect = look_at(words);
  const bool is_harmless = effect.refusal == nullptr && !effect.is_select && !effect.role.ends_server &&
                           (effect.role.part == Part::None || effect.role.part == Part::Inside);
  // For these commands, the words after the name decide whether they can be loaded.
  if (is_harmless && !is(name, "CLIENT") && !may_be_dangerous(name) && !matters_to_the_next(name)) {
    harmless_ = name;
  }
  return effect;
}

CommandEffects::Effect CommandEffects::look_at(Words words) {
  const std::string_view name = words[0];
  Effect effect{.role = {.part = is_in_transaction_ ? Part::Inside : Part::None}};
  if (has_no_single_answer(words)) {
    effect.refusal = "this command cannot be loaded: it is not answered once";
  } else if (changes_the_connection(name)) {
    effect.refusal = "this command cannot be loaded: it changes or ends the connection itself";
  } else if (is_dangerous(words) && !allows_dangerous_) {
    effect.refusal = "this command can harm the whole server: it is loaded only with --allow-dangerous";
  } else if (matters_to_the_next(name)) {
    if (!has_one_connection_) {
      effect.refusal = "this command means something for the next ones, which needs one connection and no cluster";
    }
    // With a word too many, MULTI begins no transaction and DISCARD ends none, but EXEC still ends it.
    if (is(name, "MULTI") && words.size() == 1) effect.role.part = Part::Begins;
    if (is(name, "EXEC")) effect.role.part = Part::Executes;
    if (is(name, "DISCARD") && words.size() == 1) effect.role.part = Part::Discards;
    effect.is_select = is(name, "SELECT");
    if (effect.is_select && words.size() == 2) effect.role.selects = number_in(words[1]);
    is_in_transaction_ = effect.role.part == Part::Begins || effect.role.part == Part::Inside;
  }
  effect.role.ends_server = effect.refusal == nullptr && ends_the_server(words);
  return effect;
}

}  // namespace millrace::client
