// The latest date at which a key is looked after: its one entry on the agenda.
#pragma once

#include "module/runtime/agenda.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// `Time` is UnixMs or MonotonicMs, according to the clock that the family uses.
template <class Time>
class KeyDate {
 public:
  // True if the key is already going to be looked after at this date or earlier.
  bool is_kept(Time date) const { return date_ <= date; }

  // Makes sure that it is. O(1) if is_kept(date).
  void keep(int database, ByteView name, Time date) {
    if (is_kept(date)) return;
    forget(database, name);
    agenda::add(database, name, date);
    date_ = date;
  }

  // The key is looked after now, or was removed: removes its entry, if there is one.
  void forget(int database, ByteView name) {
    if (date_ == kNever) return;
    agenda::remove(database, name, date_);
    date_ = kNever;
  }

 private:
  static constexpr Time kNever{UINT64_MAX};
  Time date_ = kNever;
};

// For a family that uses both clocks: one entry on each.
class KeyDates {
 public:
  bool is_kept(UnixMs date) const { return wall_.is_kept(date); }
  bool is_kept(MonotonicMs date) const { return monotonic_.is_kept(date); }
  void keep(int database, ByteView name, UnixMs date) { wall_.keep(database, name, date); }
  void keep(int database, ByteView name, MonotonicMs date) { monotonic_.keep(database, name, date); }
  void forget(int database, ByteView name) {
    wall_.forget(database, name);
    monotonic_.forget(database, name);
  }

 private:
  KeyDate<UnixMs> wall_;
  KeyDate<MonotonicMs> monotonic_;
};

}  // namespace millrace::module
