#include "module/runtime/agenda.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "module/abi/timer.h"
#include "module/runtime/family.h"
#include "module/runtime/role.h"

namespace millrace::module::agenda {

namespace {

// How many keys one firing looks after, so that ten thousand keys that fall due in the
// same millisecond do not stop the server; the rest follow in the next turn.
constexpr int kKeysPerTurn = 100;
constexpr uint64_t kRestMs = 100;

std::unordered_map<DatabaseKey, UnixMs> dates;
std::set<std::pair<UnixMs, DatabaseKey>> by_date;

void fire(abi::Context context);
constinit abi::Timer timer(fire);

// Whatever family the key belongs to by now. Says when to come again.
std::optional<UnixMs> look_after(abi::Context context, abi::StringRef name, UnixMs now) {
  std::optional<UnixMs> next;
  for (const Family& family : families()) {
    if (family.look_after == nullptr) continue;
    const auto wanted = family.look_after(context, name, now);
    if (wanted && (!next || *wanted < *next)) next = wanted;
  }
  return next;
}

void fire(abi::Context context) {
  if (!may_decide) return;  // resume() sets the timer again
  const UnixMs now = abi::now();
  if (abi::replication_is_paused()) {
    timer.set_at_latest(now + kRestMs);
    return;
  }
  for (int i = 0; i < kKeysPerTurn && !by_date.empty() && by_date.begin()->first <= now; ++i) {
    const DatabaseKey key = by_date.begin()->second;
    by_date.erase(by_date.begin());
    dates.erase(key);
    look_after_now(context, key);
  }
  if (!by_date.empty()) timer.set_at_latest(by_date.begin()->first);
}

}  // namespace

void add(DatabaseKey key, UnixMs due) {
  auto [found, is_new] = dates.try_emplace(key, due);
  if (!is_new) {
    if (found->second <= due) return;
    by_date.erase({found->second, key});
    found->second = due;
  }
  by_date.emplace(due, std::move(key));
  timer.set_at_latest(due);
}

void look_after_now(abi::Context context, const DatabaseKey& key) {
  context.select(key.database);
  const abi::OwnedString name(key.name);
  if (const auto next = look_after(context, name, abi::now())) add(key, *next);
}

void follow_swap(int first, int second) {
  const auto old = std::exchange(dates, {});
  by_date.clear();
  for (const auto& [key, due] : old) add(key.after_swap(first, second), due);
}

void resume() {
  if (!by_date.empty()) timer.set_at_latest(by_date.begin()->first);
}

}  // namespace millrace::module::agenda
