#include "module/host/agenda.h"

#include <set>
#include <unordered_map>
#include <utility>

#include "module/abi/timer.h"
#include "module/host/role.h"

namespace millrace::module::agenda {

namespace {

// How many keys one firing looks after, so that ten thousand keys that fall due in the
// same millisecond do not stop the server; the rest follow in the next turn.
constexpr int kKeysPerTurn = 100;
constexpr uint64_t kRestMs = 100;

struct Entry {
  UnixMs due;
  Upkeep upkeep;
};

std::unordered_map<DatabaseKey, Entry> entries;
std::set<std::pair<UnixMs, DatabaseKey>> by_date;

void fire(abi::Context context);
constinit abi::Timer timer(fire);

void fire(abi::Context context) {
  if (!server_decides) return;  // resume() sets the timer again
  const UnixMs now = abi::now();
  if (abi::replicas_must_rest()) {
    timer.set_at_latest(now + kRestMs);
    return;
  }
  for (int i = 0; i < kKeysPerTurn && !by_date.empty() && by_date.begin()->first <= now; ++i) {
    const DatabaseKey key = by_date.begin()->second;
    const Upkeep upkeep = entries.at(key).upkeep;
    by_date.erase(by_date.begin());
    entries.erase(key);
    context.select(key.database);
    const abi::OwnedString name(key.name);
    if (const auto next = upkeep(context, name, now)) add(key, *next, upkeep);
  }
  if (!by_date.empty()) timer.set_at_latest(by_date.begin()->first);
}

}  // namespace

void add(DatabaseKey key, UnixMs due, Upkeep upkeep) {
  auto [found, is_new] = entries.try_emplace(key, Entry{due, upkeep});
  if (!is_new) {
    if (found->second.due <= due) return;
    by_date.erase({found->second.due, key});
    found->second = {due, upkeep};
  }
  by_date.emplace(due, std::move(key));
  timer.set_at_latest(due);
}

void follow_swap(int first, int second) {
  const auto old = std::exchange(entries, {});
  by_date.clear();
  for (const auto& [key, entry] : old) add(key.after_swap(first, second), entry.due, entry.upkeep);
}

void resume() {
  if (!by_date.empty()) timer.set_at_latest(by_date.begin()->first);
}

}  // namespace millrace::module::agenda
