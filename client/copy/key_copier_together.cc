// KeyCopier: small keys are copied together, so that they share round trips. A key with an unexpected answer (it exists
// already, belongs to another node, or was changed meanwhile) is left to copy(), which reports what is wrong.
#include <algorithm>
#include <utility>

#include "client/copy/key_copier.h"
#include "client/copy/key_size.h"

namespace millrace::client {
namespace {

using Commands = std::vector<std::vector<std::string_view>>;

// The largest size of a key that is copied together with others: all of them are in memory at once.
constexpr int64_t kSmall = 64 << 10;

}  // namespace

struct KeyCopier::Together {
  const FoundKey* key;
  std::string payload = {};
  std::string expires = {};
  std::vector<int64_t> size_there = {};
  bool is_restored = false;
  bool is_same = false;
};

Result<void> KeyCopier::copy_all(std::span<const FoundKey> keys, const Told& told) {
  std::vector<Together> together;
  if (keys.size() > 1) {
    auto small = find_small(keys);
    if (!small) return std::unexpected(small.error());
    together = std::move(*small);
    for (const auto step : {&KeyCopier::dump, &KeyCopier::restore, &KeyCopier::compare}) {
      if (auto done = (this->*step)(together); !done) return done;
    }
  }
  auto next = together.begin();
  for (const FoundKey& key : keys) {
    const bool is_copied = next != together.end() && next->key == &key && (next++)->is_same;
    auto copied = is_copied ? Result<CopiedKey>(CopiedKey{CopiedKey::How::Payload}) : copy(key.name, key.type);
    if (auto went_on = told(key, copied); !went_on) return went_on;
  }
  return {};
}

// The keys that are small and that the destination does not have.
Result<std::vector<KeyCopier::Together>> KeyCopier::find_small(std::span<const FoundKey> keys) {
  Commands types, sizes;
  for (const FoundKey& key : keys) {
    types.push_back({"TYPE", key.name});
    sizes.push_back({"MEMORY", "USAGE", key.name});
  }
  const auto there = to_.call_all(types);
  if (!there) return std::unexpected(there.error());
  const auto bytes = from_.call_all(sizes);
  if (!bytes) return std::unexpected(bytes.error());
  std::vector<Together> small;
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool is_small = (*bytes)[i].kind == Reply::Kind::Integer && (*bytes)[i].integer <= kSmall;
    if (is_small && (*there)[i].text == "none") small.push_back({.key = &keys[i]});
  }
  return small;
}

Result<void> KeyCopier::dump(std::vector<Together>& keys) {
  Commands commands;
  for (const Together& each : keys) {
    commands.push_back({"DUMP", each.key->name});
    commands.push_back({"PEXPIRETIME", each.key->name});
  }
  auto replies = from_.call_all(commands);
  if (!replies) return std::unexpected(replies.error());
  for (size_t i = 0; i < keys.size(); ++i) {
    Reply& payload = (*replies)[2 * i];
    const Reply& expires = (*replies)[2 * i + 1];
    if (payload.is_error() || payload.is_nil() || expires.is_error()) continue;
    keys[i].payload = std::move(payload.text);
    keys[i].expires = std::to_string(std::max<int64_t>(expires.integer, 0));
  }
  std::erase_if(keys, [](const Together& each) { return each.payload.empty(); });
  return {};
}

Result<void> KeyCopier::restore(std::vector<Together>& keys) {
  Commands commands;
  for (const Together& each : keys) {
    commands.push_back({"RESTORE", each.key->name, each.expires, each.payload, "ABSTTL"});
    const std::string_view size = size_command(each.key->type);
    if (!size.empty()) commands.push_back({size, each.key->name});
  }
  const auto replies = to_.call_all(commands);
  if (!replies) return std::unexpected(replies.error());
  auto reply = replies->begin();
  for (Together& each : keys) {
    each.is_restored = !(reply++)->is_error();
    if (size_command(each.key->type).empty()) continue;
    if (!reply->is_error()) each.size_there = size_in(*reply, each.key->type);
    ++reply;
  }
  std::erase_if(keys, [](const Together& each) { return !each.is_restored; });
  return {};
}

// Removes those keys again that were changed meanwhile.
Result<void> KeyCopier::compare(std::vector<Together>& keys) {
  Commands questions;
  for (const Together& each : keys) {
    const std::string_view size = size_command(each.key->type);
    if (!size.empty()) questions.push_back({size, each.key->name});
  }
  const auto replies = from_.call_all(questions);
  if (!replies) return std::unexpected(replies.error());
  auto reply = replies->begin();
  for (Together& each : keys) {
    each.is_same = size_command(each.key->type).empty();
    if (each.is_same) continue;
    each.is_same = !reply->is_error() && size_in(*reply, each.key->type) == each.size_there;
    ++reply;
    if (each.is_same) continue;
    if (auto removed = ask(Side::To, {"UNLINK", each.key->name}); !removed) return std::unexpected(removed.error());
  }
  return {};
}

}  // namespace millrace::client
