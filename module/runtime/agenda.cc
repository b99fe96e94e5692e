#include "module/runtime/agenda.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "module/abi/clock.h"
#include "module/abi/event_loop.h"
#include "module/abi/staging.h"
#include "module/abi/timer.h"
#include "module/runtime/dated_keys.h"
#include "module/runtime/family.h"
#include "module/runtime/imported_slots.h"
#include "module/runtime/role.h"
#include "module/runtime/slice.h"

namespace millrace::module::agenda {

namespace {

// How soon the work is tried again while replication is paused, when nothing may be decided.
constexpr uint64_t kRestMs = 100;
// Avoids an overflow for distant dates. A timer waits at most a second in any case.
constexpr uint64_t kLongestMs = 60'000;

struct {
  DatedKeys<UnixMs> wall;
  DatedKeys<MonotonicMs> monotonic;
} dates;

// Keys whose date has come while their slot is being imported, and those of them whose import has ended. As the dates,
// they are hints.
std::vector<DatabaseKey> imported;
std::vector<DatabaseKey> arrived;

void work(abi::Context context);
constinit abi::Timer timer(work);

// The first date on the monotonic clock when the timer was last set. No present date is earlier; the date itself may
// have been removed since. kNoDate: there was no date.
constexpr MonotonicMs kNoDate{UINT64_MAX};
constinit MonotonicMs first_monotonic = kNoDate;

void set_timer() {
  if (!dates.wall.empty()) timer.set_at_latest(dates.wall.first());
  first_monotonic = dates.monotonic.empty() ? kNoDate : dates.monotonic.first();
  if (first_monotonic == kNoDate) return;
  const MonotonicMs due = first_monotonic;
  const MonotonicMs now = abi::monotonic_now();
  timer.set_at_latest(abi::now() + (due > now ? std::min(due - now, kLongestMs) : 0));
}

void look_after(abi::Context context, DatabaseKey key) {
  if (imported_slots::has(key.name)) return imported.push_back(std::move(key));
  context.select(key.database);
  const abi::OwnedString name(key.name);
  for (const Family& family : families()) {
    if (family.look_after != nullptr) family.look_after(context, name);
  }
}

// True if due keys were left when the slice was over: the next turn of the event loop continues with them.
bool is_behind = false;

// Works in slices, so that ten thousand keys that are due at once do not stop the server. `take` returns the next key
// that is due; nullopt: there is none.
template <class Take>
void work_while(abi::Context context, const Slice& slice, Take take) {
  while (auto key = take()) {
    look_after(context, *std::move(key));
    if (!slice.is_over()) continue;
    abi::watch_loop();
    is_behind = true;
    return;
  }
}

template <class Time>
std::optional<DatabaseKey> take_due(DatedKeys<Time>& keys, Time now) {
  if (keys.empty() || keys.first() > now) return std::nullopt;
  return keys.take_first();
}

std::optional<DatabaseKey> take_arrived() {
  if (arrived.empty()) return std::nullopt;
  DatabaseKey key = std::move(arrived.back());
  arrived.pop_back();
  return key;
}

void work(abi::Context context) {
  if (!may_decide) return;  // resume() sets the timer again
  if (abi::replication_is_paused()) return timer.set_at_latest(abi::now() + kRestMs);
  const int database = context.database();
  const Slice slice;
  is_behind = false;
  work_while(context, slice, take_arrived);
  work_while(context, slice, [now = abi::now()] { return take_due(dates.wall, now); });
  work_while(context, slice, [now = abi::monotonic_now()] { return take_due(dates.monotonic, now); });
  context.select(database);
  set_timer();
}

}  // namespace

void add(int database, ByteView name, UnixMs due) {
  dates.wall.add(database, name, due);
  if (!abi::is_staged(database)) timer.set_at_latest(due);
}

void add(int database, ByteView name, MonotonicMs due) {
  abi::watch_loop();
  dates.monotonic.add(database, name, due);
  if (!abi::is_staged(database) && due < first_monotonic) set_timer();  // not always, because it reads the clocks
}

void remove(int database, ByteView name, UnixMs due) { dates.wall.remove(database, name, due); }
void remove(int database, ByteView name, MonotonicMs due) { dates.monotonic.remove(database, name, due); }

size_t size() { return dates.wall.size() + dates.monotonic.size() + imported.size() + arrived.size(); }

void end_turn(abi::Context context) {
  const bool is_due = first_monotonic != kNoDate && first_monotonic <= abi::monotonic_now();
  if (is_due || is_behind) work(context);
}

void resume() { set_timer(); }

void import_ended() {
  if (imported.empty()) return;
  // Those of another import are put back when they are looked at.
  arrived.insert(arrived.end(), std::make_move_iterator(imported.begin()), std::make_move_iterator(imported.end()));
  imported.clear();
  timer.set_at_latest(abi::now());
}

void follow_swap(int first, int second) {
  for (auto* keys : {&imported, &arrived}) {
    for (DatabaseKey& key : *keys) key = key.after_swap(first, second);
  }
  dates.wall.swap(first, second);
  dates.monotonic.swap(first, second);
}

void forget(int database) {
  for (auto* keys : {&imported, &arrived}) {
    std::erase_if(*keys, [&](const DatabaseKey& key) { return database == -1 || key.database == database; });
  }
  dates.wall.forget(database);
  dates.monotonic.forget(database);
}

void follow_loading(abi::Loading moment) {
  dates.wall.follow_loading(moment);
  dates.monotonic.follow_loading(moment);
  set_timer();  // the first date may have changed
}

}  // namespace millrace::module::agenda
