// How the runtime handles keys with a log.
#pragma once

#include "engine/log/log_operations.h"
#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/log/log_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// For commands that need only the wall clock.
inline Now wall_clock() {
  return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0};
}

// The operations object of this server. Its limits follow the settings.
namespace detail {
inline constinit LogOperations* log_operations = nullptr;
LogOperations& make_log_operations();
}  // namespace detail
inline LogOperations& log_operations() {
  if (detail::log_operations == nullptr) [[unlikely]] {
    return detail::make_log_operations();
  }
  return *detail::log_operations;
}

template <>
struct ObjectTraits<Log> {
  static constexpr const char* kApply = millrace::module::kApply;
  static constexpr bool kWaits = true;
  // If the log is deleted, or the key holds another type, clients continue to wait: a log may be created later.
  static constexpr bool kOtherTypeIsMissing = false;
  static constexpr bool kToldWhenGone = false;
  // If one write concerns ten thousand readers, this many are served at once, and the others in later turns.
  static constexpr size_t kServedPerTurn = 120;

  // Deadlines of groups use the monotonic clock.
  static Now now() {
    Now now = wall_clock();
    now.monotonic = abi::monotonic_now();
    return now;
  }
  [[gnu::always_inline]] static void settle(KeyPlace<Log>& place, const Consequences&) {
    const Log& log = *place.get();
    const bool has_unused = log.has_evicted() || log.has_unused_compaction() || log.has_forgotten();
    if (has_unused || place.key().notes().packing.is_missing(log)) free_and_pack(place);
  }
  static Consequences look_after(KeyPlace<Log>& place, const Call& call);
  static std::optional<UnixMs> first_date(const Log& log) { return LogOperations::first_date(log); }
  static Wake wake_all(const Log* log);
  template <class Visit>
  static void each_tag(const Log& log, uint64_t from, Visit visit) {
    Log::Cursor cursor(log, Offset(from));
    Message message;
    while (cursor.next(message) && visit(message.tag, message.offset.value())) {
    }
  }

 private:
  // Not inlined, because most operations leave nothing to free and fill no block.
  [[gnu::noinline]] static void free_and_pack(KeyPlace<Log>& place);
};

}  // namespace millrace::module
