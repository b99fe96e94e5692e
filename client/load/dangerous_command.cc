#include "client/load/dangerous_command.h"

#include <algorithm>

#include "client/load/same_word.h"

namespace millrace::client {
namespace {

struct DangerousCommand {
  std::string_view name;
  std::string_view subcommand = {};  // empty: with any word after the name
};

constexpr DangerousCommand kDangerous[] = {
    // These delete or exchange all data.
    {"FLUSHALL"},
    {"FLUSHDB"},
    {"SWAPDB"},
    // These end the server, or may break it.
    {"SHUTDOWN"},
    {"DEBUG"},
    {"MODULE"},
    {"CONFIG", "SET"},
    {"CONFIG", "REWRITE"},
    {"CONFIG", "RESETSTAT"},
    // These change which node is the master, or which node serves what.
    {"REPLICAOF"},
    {"SLAVEOF"},
    {"FAILOVER"},
    {"CLUSTER"},
    {"SENTINEL"},
    // These affect other clients, users and programs.
    {"CLIENT", "KILL"},
    {"CLIENT", "PAUSE"},
    {"ACL", "SETUSER"},
    {"ACL", "DELUSER"},
    {"ACL", "LOAD"},
    {"ACL", "SAVE"},
    {"SCRIPT", "FLUSH"},
    {"SCRIPT", "KILL"},
    {"FUNCTION", "FLUSH"},
    {"FUNCTION", "DELETE"},
    {"FUNCTION", "KILL"},
};

}  // namespace

bool is_dangerous(Words words) {
  for (const DangerousCommand& one : kDangerous) {
    if (!is_same_word(words[0], one.name)) continue;
    if (one.subcommand.empty() || (words.size() > 1 && is_same_word(words[1], one.subcommand))) return true;
  }
  return false;
}

bool may_be_dangerous(std::string_view name) {
  return std::ranges::any_of(kDangerous, [&](const DangerousCommand& one) { return is_same_word(name, one.name); });
}

bool ends_the_server(Words words) { return is_same_word(words[0], "SHUTDOWN"); }

}  // namespace millrace::client
