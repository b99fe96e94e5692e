#include "module/log/packing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "module/abi/timer.h"
#include "module/log/log_resources.h"
#include "module/log/log_type.h"
#include "module/log/upkeep_counters.h"
#include "module/runtime/settings.h"
#include "module/runtime/slice.h"

namespace millrace::module::packing {

namespace {

// Between two slices: packing takes a fifth of the server's time at most.
constexpr uint64_t kPauseMs = 2;
// While a fork saves, every page changed is copied: packing can wait.
constexpr uint64_t kRestMs = 200;

// By the date of the last message of the oldest block to be packed, for the age at which it
// is may change meanwhile.
std::unordered_map<DatabaseKey, UnixMs> dates;
std::set<std::pair<UnixMs, DatabaseKey>> by_date;

void fire(abi::Context context);
constinit abi::Timer timer(fire);

UnixMs due_at(UnixMs last_written) { return last_written + packing_settings().age_ms; }

// Says which date the log is in line for from now on; nothing if there is no more to be done.
std::optional<UnixMs> pack_blocks(Log& log, UnixMs now, const Slice& slice) {
  const int level = packing_settings().level;
  while (const auto last_written = log.oldest_unpacked()) {
    if (due_at(*last_written) > now || slice.is_over()) return last_written;
    const uint64_t saved = log.pack_next(block_packer(), level);
    ++(saved > 0 ? log_upkeep.blocks_packed : log_upkeep.blocks_left_unpacked);
    log_upkeep.bytes_saved += saved;
  }
  return std::nullopt;
}

void look_after(abi::Context context, const DatabaseKey& key, UnixMs now, const Slice& slice) {
  context.select(key.database);
  const abi::OwnedString name(key.name);
  auto open = LogKey::for_upkeep(context, name);
  if (!open || open->get() == nullptr) return;
  const auto next = pack_blocks(*open->get(), now, slice);
  open->get()->promise_packing(next.has_value());
  if (next) add(key, *next);
}

void set_timer(UnixMs earliest) {
  if (packing_settings().on && !by_date.empty()) {
    timer.set_at_latest(std::max(earliest, due_at(by_date.begin()->first)));
  }
}

void fire(abi::Context context) {
  if (!packing_settings().on) return;  // resume() sets the timer again
  const UnixMs now = abi::now();
  if (context.has_active_child()) return set_timer(now + kRestMs);
  const Slice slice;
  while (!by_date.empty() && due_at(by_date.begin()->first) <= now && !slice.is_over()) {
    const DatabaseKey key = by_date.begin()->second;
    by_date.erase(by_date.begin());
    dates.erase(key);
    look_after(context, key, now, slice);
  }
  set_timer(now + kPauseMs);
}

}  // namespace

void add(DatabaseKey key, UnixMs last_written) {
  auto [found, is_new] = dates.try_emplace(key, last_written);
  if (!is_new) {
    if (found->second <= last_written) return;
    by_date.erase({found->second, key});
    found->second = last_written;
  }
  by_date.emplace(last_written, std::move(key));
  set_timer(abi::now() + kPauseMs);
}

void forget(const DatabaseKey& key) {
  const auto found = dates.find(key);
  if (found == dates.end()) return;
  by_date.erase({found->second, key});
  dates.erase(found);
}

void forget_database(int database) {
  const auto is_in = [&](const DatabaseKey& key) { return database == -1 || key.database == database; };
  std::erase_if(dates, [&](const auto& entry) { return is_in(entry.first); });
  std::erase_if(by_date, [&](const auto& entry) { return is_in(entry.second); });
}

uint64_t waiting() { return dates.size(); }

void follow_swap(int first, int second) {
  const auto old = std::exchange(dates, {});
  by_date.clear();
  for (const auto& [key, last_written] : old) add(key.after_swap(first, second), last_written);
}

void resume() { set_timer(abi::now()); }

}  // namespace millrace::module::packing
