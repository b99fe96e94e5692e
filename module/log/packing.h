// Packs the cold blocks of logs: the full ones whose last message is older than millrace.compress-age, the oldest
// first, in slices and outside of commands.
//
// Packing is not replicated: a replica packs its own blocks.
#pragma once

#include "engine/log/log_operations.h"
#include "module/abi/registration.h"

namespace millrace::module {

// How cold blocks are packed, by the current settings.
struct PackingSettings {
  bool on;
  PackingTerms terms;
};
PackingSettings packing_settings();

// The place of a key in the line of keys whose blocks will be packed.
class PackingDate {
 public:
  // True if the log has full blocks that can be packed later, and is not in the line.
  bool is_missing(const Log& log) const { return log.has_unpacked() && date_ == kNever; }
  // Puts the log in the line if it has full blocks to pack. Called after anything that may have filled a block. O(1)
  // except for the first time.
  void keep(int database, ByteView name, const Log& log) {
    if (is_missing(log)) join(database, name, *log.oldest_unpacked());
  }
  // The log is being packed, or was removed.
  void forget(int database, ByteView name);

 private:
  static constexpr UnixMs kNever{UINT64_MAX};

  void join(int database, ByteView name, UnixMs last_written);

  UnixMs date_ = kNever;  // when the last message of the oldest block to be packed was written
};

}  // namespace millrace::module

namespace millrace::module::packing {

// Events that concern all keys of a database at once.
void follow_swap(int first, int second);
void forget(int database);  // -1: of all of them
void follow_loading(abi::Loading moment);

// A setting has changed: packs what may be packed now.
void resume();

// The number of keys in the line.
uint64_t waiting();

}  // namespace millrace::module::packing
