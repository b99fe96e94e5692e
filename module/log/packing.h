// Packs the cold blocks of logs: the full ones whose last message is older than
// millrace.compress-age, the oldest first, a slice at a time and outside of commands.
//
// How blocks are held is each server's own business: nothing is replicated, and a replica
// packs for itself.
//
#pragma once

#include "engine/log/log_operations.h"
#include "module/abi/registration.h"

namespace millrace::module {

// How cold blocks are packed, as the settings stand now.
struct PackingSettings {
  bool on;
  PackingTerms terms;
};
PackingSettings packing_settings();

// The place of a key in the line of those whose blocks are packed.
class PackingDate {
 public:
  // True if the log has full blocks that are to be packed one day, and is not in the line.
  bool is_missing(const Log& log) const { return log.has_unpacked() && date_ == kNever; }
  // Sees to it that the log's full blocks are packed one day. To be called after whatever may
  // have filled one. O(1) but for the first time.
  void keep(int database, ByteView name, const Log& log) {
    if (is_missing(log)) join(database, name, *log.oldest_unpacked());
  }
  // The log is being packed, or has gone.
  void forget(int database, ByteView name);

 private:
  static constexpr UnixMs kNever{UINT64_MAX};

  void join(int database, ByteView name, UnixMs last_written);

  UnixMs date_ = kNever;  // of the last message of the oldest block to be packed
};

}  // namespace millrace::module

namespace millrace::module::packing {

// What happens to all keys of a database at once.
void follow_swap(int first, int second);
void forget(int database);  // -1: of all of them
void follow_loading(abi::Loading moment);

// A setting has changed: what may be packed by now is.
void resume();

// Keys in line.
uint64_t waiting();

}  // namespace millrace::module::packing
