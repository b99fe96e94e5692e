#include "module/runtime/monotonic_agenda.h"

#include <algorithm>
#include <set>
#include <utility>

#include "module/abi/clock.h"
#include "module/abi/event_loop.h"
#include "module/abi/timer.h"
#include "module/runtime/agenda.h"
#include "module/runtime/role.h"

namespace millrace::module::monotonic_agenda {

namespace {

// As in agenda.cc: ten thousand keys that fall due at once do not stop the server.
constexpr int kKeysPerTurn = 100;

using Entries = std::multiset<std::pair<MonotonicMs, DatabaseKey>>;
Entries entries;
Entries before_loading;

constinit abi::Timer timer(work);

void set_timer(MonotonicMs now, UnixMs date) {
  if (entries.empty()) return;
  const MonotonicMs due = entries.begin()->first;
  // A timer waits no longer than a second anyhow.
  timer.set_at_latest(date + (due > now ? std::min<uint64_t>(due - now, 60'000) : 0));
}

// True if it is the first to fall due.
bool enter(DatabaseKey key, MonotonicMs due) {
  abi::watch_loop();
  const bool is_first = entries.empty() || due < entries.begin()->first;
  entries.emplace(due, std::move(key));
  return is_first;
}

}  // namespace

void add(DatabaseKey key, MonotonicMs due) {
  if (enter(std::move(key), due)) set_timer(abi::monotonic_now(), abi::now());
}

void remove(const DatabaseKey& key, MonotonicMs due) {
  const auto found = entries.find({due, key});
  if (found != entries.end()) entries.erase(found);
}

void work(abi::Context context) {
  if (entries.empty() || !may_decide) return;
  const MonotonicMs now = abi::monotonic_now();
  if (entries.begin()->first > now) return set_timer(now, abi::now());
  if (abi::replication_is_paused()) return;  // the end of some later turn comes again
  const int database = context.database();
  for (int i = 0; i < kKeysPerTurn && !entries.empty() && entries.begin()->first <= now; ++i) {
    const DatabaseKey key = std::move(entries.extract(entries.begin()).value().second);
    agenda::look_after_now(context, key);
  }
  context.select(database);
  set_timer(now, abi::now());
}

void follow_swap(int first, int second) {
  for (const auto& [due, key] : std::exchange(entries, {})) entries.emplace(due, key.after_swap(first, second));
}

void forget(int database) {
  if (database == -1) return entries.clear();
  std::erase_if(entries, [&](const auto& entry) { return entry.second.database == database; });
}

void follow_loading(abi::Loading moment) {
  switch (moment) {
    case abi::Loading::Begins:
      before_loading = std::exchange(entries, {});
      return;
    case abi::Loading::Ends:
      return before_loading.clear();
    case abi::Loading::Fails:
      entries = std::exchange(before_loading, {});
      return;
  }
}

}  // namespace millrace::module::monotonic_agenda
