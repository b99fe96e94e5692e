#include "module/log/packing.h"

#include <algorithm>
#include <optional>

#include "module/abi/timer.h"
#include "module/log/log_object.h"
#include "module/log/log_type.h"
#include "module/runtime/dated_keys.h"
#include "module/runtime/settings.h"
#include "module/runtime/slice_budget.h"

namespace millrace::module {

namespace packing {

namespace {

// The pause between two slices: packing takes at most a fifth of the server's time.
constexpr uint64_t kPauseMs = 2;
// How soon packing is tried again while a child process saves: until then, every changed page would be copied.
constexpr uint64_t kRestMs = 200;

// Keys ordered by the date of the last message of their oldest block to be packed. The date of packing is not used,
// because the setting for the age may change meanwhile.
DatedKeys<UnixMs> line;

void fire(abi::Context context);
constinit abi::Timer timer(fire);

UnixMs due_at(UnixMs last_written) { return last_written + packing_settings().terms.age_ms; }

void look_after(abi::Context context, const DatabaseKey& key, UnixMs now, const Budget& budget) {
  context.select(key.database);
  const abi::OwnedString name(key.name);
  auto open = LogKey::for_upkeep(context, name);
  if (!open || open->get() == nullptr) return;
  PackingDate& date = open->notes().packing;
  date.forget(key.database, key.name);
  log_operations().pack_cold(*open->get(), now, packing_settings().terms, budget);
  date.keep(key.database, key.name, *open->get());
}

void set_timer(UnixMs earliest) {
  if (packing_settings().on && !line.empty()) {
    timer.set_at_latest(std::max(earliest, due_at(line.first())));
  }
}

void fire(abi::Context context) {
  if (!packing_settings().on) return;  // resume() sets the timer again
  const UnixMs now = abi::now();
  if (context.has_active_child()) return set_timer(now + kRestMs);
  const SliceBudget budget;
  while (!line.empty() && due_at(line.first()) <= now && !budget.is_spent()) {
    look_after(context, line.take_first(), now, budget);
  }
  set_timer(now + kPauseMs);
}

}  // namespace

void follow_swap(int first, int second) { line.swap(first, second); }
void forget(int database) { line.forget(database); }
void follow_loading(abi::Loading moment) {
  line.follow_loading(moment);
  resume();
}

void resume() { set_timer(abi::now()); }

uint64_t waiting() { return line.size(); }

}  // namespace packing

void PackingDate::join(int database, ByteView name, UnixMs last_written) {
  date_ = last_written;
  packing::line.add(database, name, last_written);
  packing::set_timer(abi::now() + packing::kPauseMs);
}

void PackingDate::forget(int database, ByteView name) {
  if (date_ == kNever) return;
  packing::line.remove(database, name, date_);
  date_ = kNever;
}

}  // namespace millrace::module
